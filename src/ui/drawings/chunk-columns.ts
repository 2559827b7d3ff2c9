/**
 * The chunks of a file as columns of pixels, for any number of chunks: what share of a column's chunks is here, what
 * share is asked for, and who brought most of it. Called by piece-bar; calls nothing.
 */
import { MAX_RUNS_A_COLUMN } from "./limits.ts";

/** Chunks in runs of equal state and source: run i goes from `starts[i]` up to but not including `starts[i + 1]`. */
export interface ChunkRuns {
  chunkCount: number;
  starts: Uint32Array;
  /** 0 missing, 1 asked for, 2 held. */
  states: Uint8Array;
  /** Index into the peers that brought them, or NO_SOURCE. */
  sources: Uint8Array;
}

export interface ChunkColumns {
  /** Share of the column's chunks, 0..1. */
  held: Float32Array;
  asked: Float32Array;
  /** The peer that brought most of what is held, or NO_SOURCE. */
  sources: Uint8Array;
}

/** Was here before, or nobody knows who brought it. */
export const NO_SOURCE = 255;

/** As the API tells it: a digit a chunk, and base64 of one byte a chunk; of a long file, for a sample of its chunks. */
export interface ChunkTexts {
  states: string;
  sources: string;
}

/** A sample is taken as if it were all. */
export function chunkRuns({ states, sources }: ChunkTexts): ChunkRuns {
  const chunkCount = states.length;
  const bytes = atob(sources);
  const starts = new Uint32Array(chunkCount);
  let runCount = 0;
  let before = -1;
  for (let index = 0; index < chunkCount; index++) {
    const both = states.charCodeAt(index) * 256 + bytes.charCodeAt(index);
    if (both !== before) starts[runCount++] = index;
    before = both;
  }
  const kept = starts.slice(0, runCount);
  return {
    chunkCount,
    starts: kept,
    states: Uint8Array.from(kept, (start) => states.charCodeAt(start) - 48),
    sources: Uint8Array.from(kept, (start) => bytes.charCodeAt(start)),
  };
}

/** Whether some are held that no peer of this transfer is known to have brought. */
export function isAnyFromBefore({ states, sources }: ChunkRuns): boolean {
  return states.some((state, run) => state === 2 && sources[run] === NO_SOURCE);
}

export function isAnyAsked({ states }: ChunkRuns): boolean {
  return states.includes(1);
}

/** Takes time by columns, not by chunks: of a column with very many runs it looks at some, evenly spread. */
export function chunkColumns(runs: ChunkRuns, columnCount: number): ChunkColumns {
  const { chunkCount, starts, states, sources } = runs;
  const columns: ChunkColumns = {
    held: new Float32Array(columnCount),
    asked: new Float32Array(columnCount),
    sources: new Uint8Array(columnCount).fill(NO_SOURCE),
  };
  if (chunkCount === 0) return columns;
  const broughtBy = new Uint32Array(NO_SOURCE + 1);
  for (let column = 0; column < columnCount; column++) {
    const from = Math.floor((column * chunkCount) / columnCount);
    const to = Math.max(from + 1, Math.floor(((column + 1) * chunkCount) / columnCount));
    const first = runAt(starts, from);
    const last = runAt(starts, to - 1);
    const step = Math.ceil((last - first + 1) / MAX_RUNS_A_COLUMN);
    let seen = 0;
    let held = 0;
    let asked = 0;
    let most = NO_SOURCE;
    broughtBy.fill(0);
    for (let run = first; run <= last; run += step) {
      const length = Math.min(starts[run + 1] ?? chunkCount, to) - Math.max(starts[run] ?? 0, from);
      seen += length;
      if (states[run] === 1) asked += length;
      if (states[run] !== 2) continue;
      held += length;
      const source = sources[run] ?? NO_SOURCE;
      const count = (broughtBy[source] ?? 0) + length;
      broughtBy[source] = count;
      if (source === most || count > (broughtBy[most] ?? 0)) most = source;
    }
    columns.held[column] = held / seen;
    columns.asked[column] = asked / seen;
    columns.sources[column] = most;
  }
  return columns;
}

/** The run that a chunk belongs to: the last that starts at it or before. */
function runAt(starts: Uint32Array, chunk: number): number {
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((starts[middle] ?? 0) <= chunk) low = middle;
    else high = middle - 1;
  }
  return low;
}
