/** How many chunks are under way in all downloads: src/sharing/download/request-budget. */
import { describe, expect, it } from "vitest";
import type { CatalogEntry } from "../../../src/sharing/catalog/catalog-entry.ts";
import { ActivePeer } from "../../../src/sharing/download/active-peer.ts";
import { Inbox } from "../../../src/sharing/download/inbox.ts";
import { RequestBudget } from "../../../src/sharing/download/request-budget.ts";
import { TransferWork, type TransferWorkPorts } from "../../../src/sharing/download/transfer-work.ts";
import { MAX_CHUNKS_UNDER_WAY, SILENT_PEER_MS } from "../../../src/sharing/limits.ts";
import { deferred } from "../../deferred.ts";
import { HandClock } from "../hand-clock.ts";
import { freeTurns, silentSession } from "./silent-session.ts";

/** So many chunks are under way elsewhere. */
function budgetWith(count: number): RequestBudget {
  const budget = new RequestBudget();
  for (let begun = 0; begun < count; begun++) budget.begin();
  return budget;
}

it("so many chunks are under way in all downloads", () => {
  const budget = budgetWith(MAX_CHUNKS_UNDER_WAY - 1);
  expect(budget.hasRoom).toBe(true);
  budget.begin();
  expect(budget.hasRoom).toBe(false);
  budget.end();
  expect(budget.hasRoom).toBe(true);
});

describe("beyond the budget a download", () => {
  /** Two peers, of which the first alone is asked. */
  function twoPeers(underWayCount: number) {
    const clock = new HandClock();
    const ports = { clock, blocks: {}, budget: budgetWith(underWayCount) } as unknown as TransferWorkPorts;
    const work = new TransferWork(ports, new Inbox(), new AbortController().signal);
    const answer = deferred<Uint8Array>();
    const fetch = () => answer.promise;
    const peers = ["a", "b"].map((id) => new ActivePeer({ ...silentSession(id), fetch }, clock, freeTurns()));
    const [first, second] = peers as [ActivePeer, ActivePeer];
    const manifest = { chunkCid: () => {}, chunkBytes: () => 1 };
    const entry = { manifest } as unknown as CatalogEntry;
    const ask = (peer: ActivePeer, index: number) =>
      work.fetchChunk({ peer, entry, index, isUrgent: false, copy: undefined });
    const room = () => [work.hasRoomFor(first), work.hasRoomFor(second)];
    return { clock, ask, room, first, second, answer };
  }

  it("has one chunk under way, and another when that is over", async () => {
    const { clock, ask, room, first, answer } = twoPeers(MAX_CHUNKS_UNDER_WAY);
    expect(room()).toEqual([true, true]);
    ask(first, 0);
    expect(room()).toEqual([false, false]);
    answer.reject(new Error("gone"));
    await clock.pass(0);
    expect(room()).toEqual([true, true]);
  });

  it("is not held up by what a silent peer doesn't bring, of which it asks nothing more", async () => {
    const { clock, ask, room, first, second } = twoPeers(MAX_CHUNKS_UNDER_WAY);
    ask(first, 0);
    await clock.pass(SILENT_PEER_MS);
    expect(room()).toEqual([false, true]);
    ask(second, 1);
    expect(room()).toEqual([false, false]);
  });

  it("begins where others have taken all, though a silent peer may be asked before", async () => {
    const { clock, ask, room, first } = twoPeers(MAX_CHUNKS_UNDER_WAY - 2);
    ask(first, 0);
    await clock.pass(SILENT_PEER_MS);
    expect(room()).toEqual([true, true]);
    ask(first, 1);
    expect(room()).toEqual([false, true]);
  });
});
