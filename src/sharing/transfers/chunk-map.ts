/**
 * Which chunk of a transfer is where and who brought it, for drawing. Made by transfers.ts. A map of every chunk is long
 * for a large file, so a caller may have a sample of them, which takes time and room by its own size.
 */
import { MAX_CHUNK_SOURCES, MAX_TRANSFERS } from "../limits.ts";

/** In `sources`: brought by nobody, or by nobody who is known. */
export const UNKNOWN_SOURCE = 255;

/** Entry by entry: 0 missing, 1 asked for, 2 held; and who brought it, by index into `peers`, or UNKNOWN_SOURCE. */
export interface ChunkMap {
  chunkCount: number;
  states: Uint8Array;
  sources: Uint8Array;
  peers: string[];
}

export interface ChunkMapParts {
  chunkCount: number;
  /** Most entries: one for each chunk, or so many chunks evenly spread over the file. */
  maxEntries: number;
  isHeld: (index: number) => boolean;
  isAsked: (index: number) => boolean;
  sourceOf: (index: number) => number;
  peers: string[];
}

export function chunkMap({
  chunkCount,
  maxEntries,
  isHeld,
  isAsked,
  sourceOf,
  peers,
}: ChunkMapParts): ChunkMap {
  const entryCount = Math.min(chunkCount, maxEntries);
  const states = new Uint8Array(entryCount);
  const sources = new Uint8Array(entryCount).fill(UNKNOWN_SOURCE);
  for (let entry = 0; entry < entryCount; entry++) {
    const index = sampledChunk(entry, entryCount, chunkCount);
    if (isHeld(index)) {
      states[entry] = 2;
      sources[entry] = sourceOf(index);
    } else if (isAsked(index)) states[entry] = 1;
  }
  return { chunkCount, states, sources, peers };
}

/**
 * A chunk of the entry's stretch of the file, at a place that differs from stretch to stretch, so that no pattern of
 * chunks shows.
 */
function sampledChunk(entry: number, entryCount: number, chunkCount: number): number {
  const first = Math.floor((entry * chunkCount) / entryCount);
  const end = Math.floor(((entry + 1) * chunkCount) / entryCount);
  return first + ((Math.imul(entry, GOLDEN_RATIO_32) >>> 0) % (end - first));
}

/** 2^32 over the golden ratio: its multiples are spread evenly (Knuth, TAOCP 3, 6.4). */
const GOLDEN_RATIO_32 = 0x9e3779b9;

/** Who brought the chunks of transfers whose runs are over, as long as this process lives and there is room. */
export class ChunkSources {
  readonly #byTransfer = new Map<string, Uint8Array>();
  #chunkCount = 0;

  sourceOf(transferId: string, index: number): number {
    return this.#byTransfer.get(transferId)?.[index] ?? UNKNOWN_SOURCE;
  }

  /** What a run of the transfer knew, over what earlier ones did. The transfer becomes the one kept longest. */
  keep(transferId: string, sources: Uint8Array): void {
    if (sources.length === 0) return;
    const merged = sources.slice();
    const earlier = this.#byTransfer.get(transferId);
    if (earlier !== undefined) {
      for (const [index, source] of earlier.entries()) {
        if (merged[index] === UNKNOWN_SOURCE) merged[index] = source;
      }
    }
    this.forget(transferId);
    this.#byTransfer.set(transferId, merged);
    this.#chunkCount += merged.length;
    for (const oldest of this.#byTransfer.keys()) {
      if (this.#chunkCount <= MAX_CHUNK_SOURCES && this.#byTransfer.size <= MAX_TRANSFERS) return;
      this.forget(oldest);
    }
  }

  forget(transferId: string): void {
    this.#chunkCount -= this.#byTransfer.get(transferId)?.length ?? 0;
    this.#byTransfer.delete(transferId);
  }
}
