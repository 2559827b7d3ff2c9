/** What is put down of requests that came to nothing: src/sharing/download/chunk-requests. */
import { expect, it } from "vitest";
import { CatalogEntry } from "../../../src/sharing/catalog/catalog-entry.ts";
import { Holding } from "../../../src/sharing/catalog/holding.ts";
import { ActivePeer } from "../../../src/sharing/download/active-peer.ts";
import { ChunkRequests } from "../../../src/sharing/download/chunk-requests.ts";
import { PeersInUse } from "../../../src/sharing/download/peers-in-use.ts";
import { TransferChunks } from "../../../src/sharing/download/transfer-chunks.ts";
import type { TransferWork } from "../../../src/sharing/download/transfer-work.ts";
import { SharingError } from "../../../src/sharing/errors.ts";
import { importFile } from "../../../src/sharing/files/dag.ts";
import { CHUNK_BYTES, MAX_SILENCE_MS } from "../../../src/sharing/limits.ts";
import { MemoryBlockStore } from "../../../src/sharing/memory/memory-block-store.ts";
import { HandClock } from "../hand-clock.ts";
import { bytesOf, randomFile } from "./hub.ts";
import { freeTurns, silentSession } from "./silent-session.ts";

/** Of a file of two chunks, of which none is here, at a peer that says it has all. */
async function opened() {
  const bytes = randomFile(2 * CHUNK_BYTES);
  const signal = new AbortController().signal;
  const manifest = await importFile(bytesOf(bytes), async () => {}, { signal });
  const record = { name: "x", sizeBytes: bytes.length, createdAt: new Date(0).toISOString() };
  const entry = new CatalogEntry(manifest.root.toString(), manifest, new Holding(2), record);
  const options = { strategy: "sequential", output: undefined, chunksByPeer: new Map() } as const;
  const chunks = new TransferChunks(entry, new MemoryBlockStore(), options);
  const { picker } = chunks;
  const [clock, peers] = [new HandClock(), new PeersInUse()];
  const peer = new ActivePeer(silentSession("a"), clock, freeTurns());
  peers.add(peer);
  picker.join(peer.id);
  picker.holds(peer.id, { kind: "all" });
  const work = {} as TransferWork;
  const requests = new ChunkRequests({ chunks, peers, work, onAsked: () => {}, onNew: () => {} });
  /** The next chunk is asked of the peer. */
  const ask = () => {
    const index = picker.pick(peer.id, peer)?.index as number;
    return { index, signal: peer.begin(index) };
  };
  return { picker, clock, peer, requests, ask };
}

it("one that was taken back says nothing of its peer, nor of the request for the same chunk after it", async () => {
  const { picker, peer, requests, ask } = await opened();
  const { index, signal } = ask();
  peer.cancel(index, "taken back");
  picker.failed(peer.id, index);
  expect(ask().index).toBe(index);
  const error = new SharingError("stopped", "taken back");
  expect(requests.failed({ type: "failed", peer, index, signal, error })).toBeUndefined();
  expect([picker.isAsked(index), peer.isAsked]).toEqual([true, true]);
});

it("a chunk that its peer refuses is asked of it no more, and the peer is not to blame", async () => {
  const { picker, peer, requests, ask } = await opened();
  const { index, signal } = ask();
  const error = new SharingError("block_not_found", "not here");
  expect(requests.failed({ type: "failed", peer, index, signal, error })).toBeUndefined();
  expect([picker.isAsked(index), peer.hasRefused]).toEqual([false, true]);
  expect([ask().index, picker.pick(peer.id, peer)]).toEqual([1 - index, undefined]);
});

it("a chunk that is taken back from a peer that gets nowhere may be asked for again", async () => {
  const { picker, clock, peer, requests, ask } = await opened();
  const asked = [ask(), ask()];
  await clock.pass(MAX_SILENCE_MS - 1);
  requests.giveBackSurplus();
  expect(picker.missingCount).toBe(0);
  await clock.pass(1);
  requests.giveBackSurplus();
  expect(picker.missingCount).toBe(1);
  expect(asked.map(({ index, signal }) => [picker.isAsked(index), signal.aborted])).toEqual([
    [true, false],
    [false, true],
  ]);
  expect(peer.isAsked).toBe(true);
});
