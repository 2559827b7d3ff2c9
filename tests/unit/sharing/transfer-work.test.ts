import { expect, it } from "vitest";
import type { CatalogEntry } from "../../../src/sharing/catalog/catalog-entry.ts";
import { ActivePeer } from "../../../src/sharing/download/active-peer.ts";
import { Inbox } from "../../../src/sharing/download/inbox.ts";
import {
  type TransferEvent,
  TransferWork,
  type TransferWorkPorts,
} from "../../../src/sharing/download/transfer-work.ts";
import { Demand } from "../../../src/sharing/files/demand.ts";
import { CHUNKS_TOLD_PER_MS } from "../../../src/sharing/limits.ts";
import type { HaveUpdate, PeerSession } from "../../../src/sharing/ports.ts";
import { HandClock } from "../hand-clock.ts";
import { freeTurns } from "./silent-session.ts";

/** What the inbox of a transfer hears of a reader that moves before and after the transfer's end. */
async function heardOf(ending: AbortController): Promise<number> {
  const inbox = new Inbox<TransferEvent>();
  const work = new TransferWork({} as TransferWorkPorts, inbox, ending.signal);
  const demand = new Demand();
  work.followReaders({ demand } as CatalogEntry);
  demand.move({}, 0, 1);
  ending.abort();
  demand.move({}, 0, 1);
  inbox.push({ type: "tick" });
  const never = new AbortController().signal;
  let count = 0;
  while ((await inbox.next(never)).type === "demand") count += 1;
  return count;
}

it("readers are followed until the transfer ends", async () => {
  expect(await heardOf(new AbortController())).toBe(1);
});

it("readers are not followed by a transfer that has ended before it began", async () => {
  const ending = new AbortController();
  ending.abort();
  expect(await heardOf(ending)).toBe(0);
});

it("a peer that tells anew of a large file, over and over, is heard at a pace that leaves time for others", async () => {
  const clock = new HandClock();
  const inbox = new Inbox<TransferEvent>();
  const heard: string[] = [];
  inbox.push = (event) => void (event.type === "haves" && heard.push(event.update.kind));
  const news: HaveUpdate[] = [
    { kind: "all" },
    { kind: "bitfield", bits: new Uint8Array(1) },
    { kind: "have", indexes: [1] },
    { kind: "have", indexes: [2] },
    { kind: "none" },
  ];
  const session = {
    async *haves() {
      yield* news;
    },
  } as unknown as PeerSession;
  const work = new TransferWork(
    { clock } as unknown as TransferWorkPorts,
    inbox,
    new AbortController().signal,
  );
  const entry = { manifest: { chunkCount: 100 * CHUNKS_TOLD_PER_MS } } as CatalogEntry;
  work.followHaves(new ActivePeer(session, clock, freeTurns()), entry);
  await clock.pass(99);
  expect(heard).toEqual(["all"]);
  await clock.pass(1);
  expect(heard).toEqual(["all", "bitfield"]);
  await clock.pass(100);
  expect(heard).toEqual(news.map(({ kind }) => kind));
});
