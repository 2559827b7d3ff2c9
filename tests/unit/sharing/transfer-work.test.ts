/** One download at work: readers, peers and the store: src/sharing/download/transfer-work. */
import { expect, it } from "vitest";
import type { CatalogEntry } from "../../../src/sharing/catalog/catalog-entry.ts";
import { ActivePeer } from "../../../src/sharing/download/active-peer.ts";
import { Inbox } from "../../../src/sharing/download/inbox.ts";
import { RequestBudget } from "../../../src/sharing/download/request-budget.ts";
import {
  type TransferEvent,
  TransferWork,
  type TransferWorkPorts,
} from "../../../src/sharing/download/transfer-work.ts";
import { Demand } from "../../../src/sharing/files/demand.ts";
import { CHUNKS_TOLD_PER_MS } from "../../../src/sharing/limits.ts";
import type { BlockStore, HaveUpdate, PeerSession } from "../../../src/sharing/ports.ts";
import { deferred } from "../../deferred.ts";
import { HandClock } from "../hand-clock.ts";
import { freeTurns, silentSession } from "./silent-session.ts";

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

it("the store is told with a chunk whether another is on its way, unless a reader waits for this one", async () => {
  const clock = new HandClock();
  const answers = Array.from({ length: 4 }, () => deferred<Uint8Array>());
  const asked = [...answers];
  const fetch = () => asked.shift()?.promise as Promise<Uint8Array>;
  const told: (boolean | undefined)[] = [];
  const blocks = {
    putVerified: async (...[, , options]: Parameters<BlockStore["putVerified"]>) => {
      told.push(options?.moreToCome);
    },
  };
  const ports = { clock, blocks, budget: new RequestBudget() } as unknown as TransferWorkPorts;
  const work = new TransferWork(ports, new Inbox(), new AbortController().signal);
  const peer = new ActivePeer({ ...silentSession("a"), fetch }, clock, freeTurns());
  const entry = { manifest: { chunkCid: () => {}, chunkBytes: () => 1 } } as unknown as CatalogEntry;
  for (const index of answers.keys())
    work.fetchChunk({ peer, entry, index, isUrgent: index === 1, copy: undefined });
  peer.prioritize(2, true, undefined as never);
  for (const { resolve } of answers) {
    resolve(new Uint8Array(1));
    await clock.pass(0);
  }
  expect(told).toEqual([true, false, false, false]);
});
