/**
 * When a bootstrap address is dialled again: after longer and longer pauses while nobody answers, and soon after it was reached;
 * and of which tries is told.
 */
import { peerIdFromString } from "@libp2p/peer-id";
import { multiaddr } from "@multiformats/multiaddr";
import { expect, it, vi } from "vitest";
import { keepConnected } from "../../../src/network/connecting/bootstrap.ts";
import { REDIAL_FIRST_MS, REDIAL_MAX_MS } from "../../../src/network/connecting/limits.ts";
import type { Libp2pNode } from "../../../src/network/libp2p-node.ts";
import { HandClock } from "../hand-clock.ts";

const PEER = peerIdFromString("12D3KooWKPAtK5j9JNVq86nN3Ab6MMkJGT5CoMGGhCoS9wDjhTTb");
const ADDRESS = multiaddr("/ip4/127.0.0.1/tcp/9");
const FAILURES = 10;

it("dials an address that nobody answers at after pauses that double, up to a limit, and soon again once it was reached", async () => {
  // The longest that a pause may be.
  vi.spyOn(Math, "random").mockReturnValue(1);
  const clock = new HandClock(1);
  const stop = new AbortController();
  const dialledMs: number[] = [];
  const node = Object.assign(new EventTarget(), {
    dial: async () => {
      dialledMs.push(clock.monotonic());
      if (dialledMs.length > FAILURES + 2) stop.abort();
      if (dialledMs.length !== FAILURES + 1) throw new Error("nobody answers");
      return { remotePeer: PEER };
    },
    peerStore: { merge: async () => undefined },
    // It is gone at once.
    getConnections: () => [],
  });
  const turns: string[] = [];
  const onTurn = (_: string, error?: Error) => void turns.push(error?.message ?? "reached");
  const ports = { clock, signal: stop.signal, log: () => undefined, onTurn };
  const kept = keepConnected(node as unknown as Libp2pNode, [ADDRESS], ports);
  await clock.pass(FAILURES * REDIAL_MAX_MS);
  await kept.ended;
  const pausesMs = dialledMs.slice(1).map((ms, nth) => ms - (dialledMs[nth] ?? 0));
  const doubled = Array.from({ length: FAILURES }, (_, nth) => REDIAL_FIRST_MS * 2 ** (nth + 1));
  const fromFirst = [REDIAL_FIRST_MS, 2 * REDIAL_FIRST_MS];
  expect(pausesMs).toEqual([...doubled.map((ms) => Math.min(ms, REDIAL_MAX_MS)), ...fromFirst]);
  expect(turns).toEqual(["nobody answers", "reached", "nobody answers"]);
});

it("dials at once where there may be a network again, what is not connected, and then after short pauses as at first", async () => {
  vi.spyOn(Math, "random").mockReturnValue(1);
  const clock = new HandClock(1);
  const stop = new AbortController();
  const dialledMs: number[] = [];
  let answers = false;
  const connections: unknown[] = [];
  const node = Object.assign(new EventTarget(), {
    dial: async () => {
      dialledMs.push(clock.monotonic());
      if (!answers) throw new Error("nobody answers");
      connections.push("one");
      return { remotePeer: PEER };
    },
    peerStore: { merge: async () => undefined },
    getConnections: () => connections,
  });
  const ports = { clock, signal: stop.signal, log: () => undefined };
  const kept = keepConnected(node as unknown as Libp2pNode, [ADDRESS], ports);
  const dialled = () => dialledMs.splice(0).map((ms) => ms - startMs);
  await clock.pass(FAILURES * REDIAL_MAX_MS);
  let startMs = clock.monotonic();
  dialledMs.length = 0;

  kept.dialNow();
  await clock.pass(2 * REDIAL_FIRST_MS);
  expect(dialled()).toEqual([0, 2 * REDIAL_FIRST_MS]);

  answers = true;
  startMs = clock.monotonic();
  kept.dialNow();
  await clock.pass(0);
  expect(dialled()).toEqual([0]);

  kept.dialNow();
  await clock.pass(REDIAL_MAX_MS);
  expect(dialled()).toEqual([]);
  startMs = clock.monotonic();
  connections.length = 0;
  node.dispatchEvent(new CustomEvent("peer:disconnect", { detail: PEER }));
  await clock.pass(REDIAL_FIRST_MS);
  expect(dialled()).toEqual([REDIAL_FIRST_MS]);
  stop.abort();
  await kept.ended;
});
