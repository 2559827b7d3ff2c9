/**
 * One index in a process of its own, so that its memory and processor time can be told. Started by vectors.ts with fork;
 * answers its orders one by one. Times are processor time of the whole process: other programs on the machine don't count.
 */
import { existsSync, readFileSync } from "node:fs";
import { cp, open, readFile, rm } from "node:fs/promises";
import { setTimeout } from "node:timers/promises";
import { K, type VectorSet } from "./vectors-data.ts";
import { indexes, type MeasuredIndex, type Opening, openings } from "./vectors-peers.ts";

export interface Orders {
  create(name: string, set: VectorSet): undefined;
  /** Adds rows [from, to). Gives seconds. */
  build(from: number, to: number): number;
  setEf(ef: number): undefined;
  /** Runs all queries once. Gives recall and seconds. */
  query(): { recall: number; seconds: number };
  /** False where it can't be done here. */
  save(folder: string): boolean;
  /** What another process saved, opened several times. */
  load(name: string, set: VectorSet, folder: string): Loads;
}

export interface Loads {
  /** For each time but the first: code is warm, files are in memory. */
  seconds: { clock: number; processor: number }[];
  /** What the process grows by with one more index beside the same one, with which came all code. */
  bytes: number;
}

/** Rows brought into an index's form at a time. */
const PREPARED_ROWS = 1000;
/** Until an index that was opened is at rest. */
const SETTLING_MS = 2000;
/** Times that a saved index is opened. */
const OPENINGS = 7;

let index: MeasuredIndex;
let set: VectorSet;
let queries: unknown[] = [];
let truth: Uint32Array;

const orders: { [O in keyof Orders]: (...args: Parameters<Orders[O]>) => Promise<ReturnType<Orders[O]>> } = {
  async create(name, wanted) {
    set = wanted;
    const rows = rowsOf(await floats(set.files.queries));
    const numbers = await readFile(set.files.truth);
    truth = new Uint32Array(numbers.buffer, numbers.byteOffset, numbers.byteLength / 4);
    index = await (indexes[name] as NonNullable<(typeof indexes)[string]>)(set);
    queries = index.prepare(rows);
    return undefined;
  },
  async build(from, to) {
    let seconds = 0;
    const file = await open(set.files.vectors);
    for (let first = from; first < to; first += PREPARED_ROWS) {
      const rows = Math.min(PREPARED_ROWS, to - first);
      const bytes = new Float32Array(rows * set.dimension);
      await file.read(new Uint8Array(bytes.buffer), 0, bytes.byteLength, first * set.dimension * 4);
      const prepared = index.prepare(rowsOf(bytes));
      seconds += await timed(() => index.add(first, prepared));
    }
    await file.close();
    if (to === set.count && index.finish !== undefined) seconds += await timed(() => index.finish?.());
    return seconds;
  },
  async setEf(ef) {
    await index.setEf(ef);
    return undefined;
  },
  async query() {
    const found: ArrayLike<number | bigint>[] = [];
    const seconds = await timed(async () => {
      for (const query of queries) {
        const answer = index.search(query);
        found.push(answer instanceof Promise ? await answer : answer);
      }
    });
    return { recall: recallOf(found), seconds };
  },
  async save(folder) {
    await index.save?.(folder);
    return index.save !== undefined;
  },
  async load(name, saved, folder) {
    const opening = openings[name] as NonNullable<(typeof openings)[string]>;
    const bytes = await bytesOfOneMore((from) => opening(saved, from)(), folder);
    const open = opening(saved, folder);
    const seconds: Loads["seconds"] = [];
    for (let i = 0; i <= OPENINGS; i++) {
      let close: () => void | Promise<void> = () => {};
      const startMs = performance.now();
      const processor = await timed(async () => {
        close = await open();
      });
      if (i > 0) seconds.push({ clock: (performance.now() - startMs) / 1000, processor });
      await close();
      // What this opening leaves is not of the next: a collection frees memory in the background, and the next one
      // waits for that.
      globalThis.gc?.();
      globalThis.gc?.();
    }
    return { seconds, bytes };
  },
};

function rowsOf(all: Float32Array): Float32Array[] {
  const { dimension } = set;
  return Array.from({ length: all.length / dimension }, (_, i) => {
    return all.slice(i * dimension, (i + 1) * dimension);
  });
}

async function floats(path: string): Promise<Float32Array> {
  const bytes = await readFile(path);
  return new Float32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4);
}

function recallOf(found: ArrayLike<number | bigint>[]): number {
  let hits = 0;
  for (const [i, ids] of found.entries()) {
    const nearest = new Set(truth.subarray(i * K, (i + 1) * K));
    for (const id of Array.from(ids)) hits += nearest.has(Number(id)) ? 1 : 0;
  }
  return hits / truth.length;
}

async function bytesOfOneMore(
  open: (folder: string) => ReturnType<Opening>,
  folder: string,
): Promise<number> {
  const copy = `${folder}-beside`;
  await cp(folder, copy, { recursive: true });
  const closeFirst = await open(folder);
  // What it does when nobody waits, such as compiling, is over.
  await setTimeout(SETTLING_MS);
  const before = bytesHeld();
  const closeSecond = await open(copy);
  const bytes = bytesHeld() - before;
  await closeFirst();
  await closeSecond();
  await rm(copy, { recursive: true });
  return bytes;
}

/** What the process has written to memory and holds; where pages can't be told apart, with those of files. */
function bytesHeld(): number {
  globalThis.gc?.();
  globalThis.gc?.();
  const pages = "/proc/self/smaps_rollup";
  const anonymous = existsSync(pages) && /^Anonymous: +(\d+) kB$/m.exec(readFileSync(pages, "utf8"))?.[1];
  return anonymous ? Number(anonymous) * 1024 : process.memoryUsage.rss();
}

async function timed(work: () => unknown): Promise<number> {
  const start = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1e6;
}

process.on("message", async ([order, args]: [keyof Orders, unknown[]]) => {
  try {
    const run = orders[order] as (...args: unknown[]) => Promise<unknown>;
    process.send?.({ value: await run(...args) });
  } catch (error) {
    process.send?.({ error: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  }
});
process.on("disconnect", () => process.exit());
process.send?.({ value: "ready" });
