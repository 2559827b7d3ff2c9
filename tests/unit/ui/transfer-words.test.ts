/** What a row says of its transfer: src/ui/transfers/transfer-words. */
import { expect, test } from "vitest";
import type { Transfer } from "../../../src/ui/state/entries.ts";
import {
  adviceOn,
  inTurn,
  sourceText,
  statusText,
  underWayText,
} from "../../../src/ui/transfers/transfer-words.ts";

test.each([
  [["in_progress"], "1 download under way"],
  [["in_progress", "started", "interrupted"], "2 downloads under way, 1 paused or waiting"],
  [["interrupted", "interrupted"], "No download under way, 2 paused or waiting"],
] as const)("transfers that are %j are told of as %j", (statuses, told) => {
  expect(underWayText(statuses.map((status) => ({ status })))).toBe(told);
});

test("a download that waits for its turn says so, and not that it asks", () => {
  const transfer = { status: "started", peers: 1, speed: 0, waiting: true } as Transfer;
  expect(statusText(transfer)).toBe("Waiting for its turn: other files come first");
  expect(statusText({ ...transfer, waiting: false })).toBe("Asking 1 peer");
});

test("a download that has begun says when nothing comes, and that it looks for the rest", () => {
  const transfer = { status: "in_progress", progress: 0.1, peers: 2, speed: 0, waiting: false } as Transfer;
  expect(statusText(transfer)).toBe("Nothing comes just now · waiting for 2 peers");
  expect(statusText({ ...transfer, peers: 0 })).toBe("Looking for peers who have the rest");
  expect(statusText({ ...transfer, progress: 0, peers: 0 })).toBe("Looking for peers who have it");
});

test("what comes through a relay, which may be why it is slow, is told apart", () => {
  const source = { speed: 20_000, chunks_downloaded: 1 };
  expect(sourceText(source, "webrtc")).toBe("20 kB/s · 1 piece");
  expect(sourceText(source, undefined)).toBe("20 kB/s · 1 piece");
  expect(sourceText(source, "relay")).toBe("20 kB/s · 1 piece · through a relay");
});

test("those that wait for their turn come below the others, the next first", () => {
  const transfers = [5, 4, 3, 2, 1].map(
    (at) => ({ id: `${at}`, waiting: at % 2 === 0 || at === 5 }) as Transfer,
  );
  expect(inTurn(transfers).map(({ id }) => id)).toEqual(["3", "1", "2", "4", "5"]);
});

test("a download that was paused for an hour is told of without a speed, which it never had", () => {
  const transfer = {
    status: "completed",
    size: 30_000_000,
    started_at: "2026-11-24T08:00:00Z",
    ended_at: "2026-11-24T09:00:20Z",
  } as Transfer;
  expect(statusText(transfer)).toBe("Done in 1 h");
});

test("a reason of the node is followed by what helps", () => {
  const failed = (now: Partial<Transfer>) => adviceOn({ status: "failed", ...now } as Transfer);
  const error = "no peer offers this file";
  expect(failed({ error, progress: 0.5, size: 9 })).toMatch(
    /^No peer offers this file\. Try again: what is here/,
  );
  expect(failed({ error, progress: 0, size: null })).toMatch(/^No peer offers this file\. Ask .* same swarm/);
  expect(failed({ error: "it is gone", progress: 0, size: 9 })).toBe(
    "It is gone. Try again when that has changed.",
  );
  const full = { error: "no room", storage_full: true };
  expect(failed({ ...full, progress: 0, size: null })).toBe("No room. Make room and try again.");
  expect(failed({ ...full, progress: 0.5, size: 9 })).toMatch(/^No room\. Make room and try again: what/);
});
