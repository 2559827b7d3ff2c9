/**
 * Bytes -> UnixFS DAG of 1 MiB chunks, streaming: chunks are hashed and stored a few at a time while more are
 * read, so memory is bounded whatever the file's size. Called by the importer, and by transfer-outputs
 * for what stands at a place; stores through a BlockSink.
 */
import type { CID } from "multiformats/cid";
import { SharingError } from "../errors.ts";
import { blockCid, RAW } from "../hash.ts";
import { CHUNK_BYTES, IMPORT_CONCURRENCY, MAX_CHUNKS } from "../limits.ts";
import { ChunkBuffers } from "./chunk-buffers.ts";
import { buildDag, DigestList, type Manifest } from "./manifest.ts";

/** Stores one hashed block. */
export type BlockSink = (cid: CID, bytes: Uint8Array) => Promise<void>;

export interface ImportOptions {
  signal: AbortSignal;
  /** Those of the store, by default some of its own. */
  buffers?: ChunkBuffers;
}

/** Stores the bytes as a file's DAG. */
export async function importFile(
  bytes: AsyncIterable<Uint8Array>,
  store: BlockSink,
  { signal, buffers = new ChunkBuffers() }: ImportOptions,
): Promise<Manifest> {
  const digests = new DigestList();
  const underWay = new Set<Promise<void>>();
  let sizeBytes = 0;
  let failure: unknown;

  const giveBack = ({ buffer, byteOffset }: Uint8Array) =>
    buffers.give(new Uint8Array(buffer, byteOffset, CHUNK_BYTES));

  const storeChunk = async (index: number, chunk: Uint8Array): Promise<void> => {
    signal.throwIfAborted();
    if (index >= MAX_CHUNKS) throw new SharingError("bad_request", "the file has too many chunks");
    const cid = await blockCid(chunk, RAW);
    await store(cid, chunk);
    digests.set(index, cid.multihash.digest);
  };

  try {
    let index = 0;
    for await (const chunk of chunksOf(bytes, buffers)) {
      sizeBytes += chunk.length;
      const task = storeChunk(index++, chunk)
        .catch((error: unknown) => {
          failure ??= error;
        })
        .finally(() => {
          giveBack(chunk);
          underWay.delete(task);
        });
      underWay.add(task);
      if (underWay.size >= IMPORT_CONCURRENCY) await Promise.race(underWay);
      signal.throwIfAborted();
      if (failure) throw failure;
    }
  } finally {
    await Promise.all(underWay);
  }
  if (failure) throw failure;

  const { manifest, nodes } = await buildDag(digests.bytes(), sizeBytes);
  for (const node of nodes) await store(node.cid, node.bytes);
  return manifest;
}

/**
 * Cuts a byte stream into chunks of exactly CHUNK_BYTES, the last one shorter; an empty stream is one empty chunk.
 * Each chunk is the beginning of a buffer taken from `buffers`.
 */
export async function* chunksOf(
  bytes: AsyncIterable<Uint8Array>,
  buffers: ChunkBuffers,
): AsyncIterable<Uint8Array> {
  let chunk: Uint8Array | undefined;
  let filled = 0;
  let emitted = false;
  try {
    for await (const piece of bytes) {
      let taken = 0;
      while (taken < piece.length) {
        chunk ??= buffers.take();
        const part = piece.subarray(taken, taken + CHUNK_BYTES - filled);
        chunk.set(part, filled);
        filled += part.length;
        taken += part.length;
        if (filled < CHUNK_BYTES) continue;
        const full = chunk;
        [chunk, filled, emitted] = [undefined, 0, true];
        yield full;
      }
    }
    const last = chunk ?? (emitted ? undefined : buffers.take());
    chunk = undefined;
    if (last !== undefined) yield last.subarray(0, filled);
  } finally {
    if (chunk !== undefined) buffers.give(chunk);
  }
}
