/**
 * The files of all simulations: their bytes, and of which blocks they are made. Some share chunks, some have one twice,
 * and some are a chunk, less than one, or nothing.
 */
import type { CID } from "multiformats/cid";
import { importFile } from "../../src/sharing/files/dag.ts";
import { CHUNK_BYTES } from "../../src/sharing/limits.ts";

export interface KnownFile {
  name: string;
  id: string;
  bytes: Uint8Array;
  /** Each of its blocks with its bytes, chunks and inner nodes. */
  blocks: { cid: CID; bytes: Uint8Array }[];
}

const SMALL_BYTES = 300;

/** Chunks by what they are filled with; the last may be short. */
const MADE_OF: [name: string, fills: number[], lastBytes: number][] = [
  ["empty", [0], 0],
  ["small", [1], SMALL_BYTES],
  ["one", [1], CHUNK_BYTES],
  ["two", [2, 3], SMALL_BYTES],
  ["twins", [3, 3, 4, 3], CHUNK_BYTES],
  ["four", [2, 5, 6, 1], SMALL_BYTES],
  ["six", [5, 7, 8, 9, 10, 1], CHUNK_BYTES],
];

export const knownFiles: readonly KnownFile[] = await Promise.all(MADE_OF.map(make));

async function make([name, fills, lastBytes]: (typeof MADE_OF)[number]): Promise<KnownFile> {
  const bytes = new Uint8Array((fills.length - 1) * CHUNK_BYTES + lastBytes);
  for (const [at, fill] of fills.entries()) bytes.fill(fill, at * CHUNK_BYTES, (at + 1) * CHUNK_BYTES);
  const blocks: KnownFile["blocks"] = [];
  const { root } = await importFile(
    bytesOf(bytes),
    async (cid, block) => void blocks.push({ cid, bytes: block.slice() }),
    { signal: new AbortController().signal },
  );
  return { name, id: root.toString(), bytes, blocks };
}

export async function* bytesOf(bytes: Uint8Array): AsyncIterable<Uint8Array> {
  yield bytes;
}

export function nameOf(fileId: string): string {
  return knownFiles.find(({ id }) => id === fileId)?.name ?? fileId;
}
