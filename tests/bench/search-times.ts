/**
 * How long an embedder takes. The clock tells what a caller waits for, on a machine that may have other work; processor time
 * tells what it costs. Used by search.ts for Node.js and by search-browser for Chromium.
 */
import { median } from "./results.ts";
import type { SearchBench } from "./search-bench.ts";
import { type FilesBench, typed } from "./search-files.ts";

export interface EmbedderTimes {
  /** Until the first embedding is there: the thread started, the model read and compiled. */
  startMs: number;
  /** A query by itself: by the clock (median), and in processor time (mean). */
  queryMs: number;
  queryProcessorMs: number;
  /** One of many texts in batches, in processor time. */
  textProcessorMs: number;
}

const QUERIES = 60;

/** `processorMs`: of all threads of the host, since any time. */
export async function timeEmbedder(
  bench: SearchBench,
  texts: string[],
  query: string,
  processorMs: () => Promise<number>,
): Promise<EmbedderTimes> {
  const queries = Array.from({ length: QUERIES }, (_, at) => `${query} ${at}`);
  const costOf = async (work: () => Promise<unknown>) => {
    const start = await processorMs();
    await work();
    return (await processorMs()) - start;
  };
  const [startMs = Number.NaN] = await bench.embed([query], true);
  // The engine compiles anew what runs often.
  await bench.embed(queries, true);
  let queryMs: number[] = [];
  const queriesCost = await costOf(async () => {
    queryMs = await bench.embed(queries, true);
  });
  const textsCost = await costOf(() => bench.embed(texts, false));
  return {
    startMs,
    queryMs: median(queryMs),
    queryProcessorMs: queriesCost / queries.length,
    textProcessorMs: textsCost / texts.length,
  };
}

export interface SearchTimes {
  files: number;
  searches: number;
  /** By the clock: the median, and what one in twenty takes longer than. */
  medianMs: number;
  slowMs: number;
  /** In processor time of all threads, mean. */
  processorMs: number;
}

const FILES = 10_000;
const TYPED = ["minutes about the new roof", "mend a flat bicycle tyre", "dentist bill"];

/** How long the screens of files and network wait for the node as somebody types. */
export async function timeSearch(
  bench: FilesBench,
  texts: string[],
  processorMs: () => Promise<number>,
): Promise<SearchTimes> {
  await bench.fill(FILES, texts);
  const queries = typed(TYPED);
  // The engine compiles anew what runs often.
  await bench.search(queries);
  const before = await processorMs();
  const tookMs = (await bench.search(queries)).sort((a, b) => a - b);
  const spentMs = (await processorMs()) - before;
  return {
    files: FILES,
    searches: queries.length,
    medianMs: median(tookMs),
    slowMs: tookMs[Math.floor(tookMs.length * 0.95)] ?? Number.NaN,
    processorMs: spentMs / queries.length,
  };
}
