/**
 * Class Vx around the kernel, on Node.js: what durability, threads, filters, batches and snapshots cost a caller. Called by
 * vectors.ts. Times are of the clock, kernel and library in turn; on a busy machine the longest waits are the machine's.
 */
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { Vx } from "../../src/headless/vx.ts";
import { HnswGraph } from "../../src/vx/hnsw/hnsw-graph.ts";
import { SlotSet } from "../../src/vx/hnsw/slot-set.ts";
import { median, table } from "./results.ts";
import { K, type VectorSet } from "./vectors-data.ts";
import { EF_CONSTRUCTION, M } from "./vectors-peers.ts";

const BATCH = 1000;
const EF = 100;
/** One record in so many passes the filter. */
const BUCKETS = 10;
/** Records that one batch replaces while searches go on. */
const REPLACED = 20_000;
const MESSAGES = 500;
/** Of scans: bytes that no cache holds, lengths of rows, and how often each is scanned. */
const SCAN_BYTES = 120e6;
const SCAN_DIMENSIONS = [64, 100, 128, 256, 384, 768, 1536];
const SCAN_ROUNDS = 15;

/** Gives the section's text. */
export async function measureLibrary(set: VectorSet): Promise<string> {
  const { dimension, metric, count } = set;
  const folder = await mkdtemp(join(tmpdir(), "shoal-bench-vx-"));
  const graph = new HnswGraph({ dimension, metric, m: M, efConstruction: EF_CONSTRUCTION, efSearch: EF });
  const vx = new Vx({
    ...{ dimension, distance: metric, storagePath: folder, persistInterval: 0, backupInterval: 0 },
    ...{ hnswM: M, hnswEfConstruct: EF_CONSTRUCTION, hnswEfSearch: EF },
  });
  try {
    await vx.ready();
    const rows = rowsOf(await floats(set.files.vectors), dimension);
    const queries = rowsOf(await floats(set.files.queries), dimension);
    const adds = await compareAdds(graph, vx, rows);
    const searches = await compareSearches(graph, vx, queries);
    const waits = await longestWaits(vx, rows.slice(0, Math.min(REPLACED, count / 2)), queries);
    const { search_latency_ms: engineMs } = await vx.collectMetrics();
    const ms = (value: number) => `${value.toFixed(3)} ms`;
    const rate = (seconds: number) => (count / seconds).toFixed(0);
    return [
      `### Class Vx, engine in a worker thread: ${set.name}, ${count} x ${dimension}, ef = ${EF}`,
      table(
        ["", "kernel", "Vx", ""],
        [
          [
            `adds by ${BATCH}, durable, with metadata, vectors/s`,
            rate(adds.kernel),
            rate(adds.vx),
            percent(adds.kernel / adds.vx),
          ],
          ["search, median", ms(searches.kernel), ms(searches.vx), `+${ms(searches.vx - searches.kernel)}`],
          [
            `search with a filter that one in ${BUCKETS} passes, median`,
            "",
            ms(searches.filtered),
            `${(searches.filtered / searches.vx).toFixed(2)}x`,
          ],
        ],
      ),
      `The engine's own median of a search: ${ms(engineMs)}. A message of that size to another thread and back, each asleep when it comes: ${ms(await messageMs())}.`,
      table(["searches one after another, the longest", "ms"], waits),
      exactScans(),
    ].join("\n\n");
  } finally {
    await vx.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Seconds in all, batch by batch in turn. */
async function compareAdds(graph: HnswGraph, vx: Vx, rows: Float32Array[]) {
  const seconds = { kernel: 0, vx: 0 };
  for (let first = 0; first < rows.length; first += BATCH) {
    const batch = rows.slice(first, first + BATCH);
    const ids = batch.map((_, i) => first + i);
    const metadata = ids.map((id) => ({ bucket: id % BUCKETS, name: `record ${id}` }));
    seconds.kernel += await secondsOf(() => {
      for (const [i, row] of batch.entries()) graph.add(first + i, row);
    });
    seconds.vx += await secondsOf(() => vx.batchAdd(ids, batch, metadata));
  }
  return seconds;
}

/** Medians in ms, query by query in turn; the first filtered searches show what index is wanted. */
async function compareSearches(graph: HnswGraph, vx: Vx, queries: Float32Array[]) {
  const filter = "bucket = 3";
  for (const query of queries.slice(0, 50)) await vx.searchWithFilter(query, K, filter);
  await new Promise((resolve) => setTimeout(resolve, 1000));
  const times = { kernel: [] as number[], vx: [] as number[], filtered: [] as number[] };
  for (const query of queries) {
    times.kernel.push(await secondsOf(() => graph.search(query, K)));
    times.vx.push(await secondsOf(() => vx.search(query, K)));
    times.filtered.push(await secondsOf(() => vx.searchWithFilter(query, K, filter)));
  }
  return {
    kernel: median(times.kernel) * 1000,
    vx: median(times.vx) * 1000,
    filtered: median(times.filtered) * 1000,
  };
}

/** Median in ms: what the machine takes to wake a thread, twice, is in every call that finds it asleep. */
async function messageMs(): Promise<number> {
  const echo = new Worker(
    "const { parentPort } = require('node:worker_threads'); parentPort.on('message', (it) => parentPort.postMessage(it))",
    { eval: true },
  );
  const times: number[] = [];
  const message = { ids: new BigUint64Array(K), distances: new Float32Array(K) };
  for (let i = 0; i < MESSAGES; i++) {
    await new Promise((resolve) => setTimeout(resolve, 2));
    const start = performance.now();
    echo.postMessage(message);
    await once(echo, "message");
    times.push(performance.now() - start);
  }
  await echo.terminate();
  return median(times);
}

/** The longest search while nothing else, a snapshot, or a large batch that replaces records is under way. */
async function longestWaits(vx: Vx, rows: Float32Array[], queries: Float32Array[]) {
  const longest = async (work: Promise<unknown>) => {
    let isOver = false;
    const over = work.finally(() => {
      isOver = true;
    });
    let most = 0;
    for (let i = 0; !isOver; i++) {
      most = Math.max(most, await secondsOf(() => vx.search(queries[i % queries.length] as Float32Array, K)));
    }
    await over;
    return (most * 1000).toFixed(0);
  };
  const ids = rows.map((_, i) => i);
  const moved = rows.map((row) => row.map((x) => x + 0.001));
  const idle = await longest(new Promise((resolve) => setTimeout(resolve, 5000)));
  const snapshot = await longest(vx.save());
  const replacing = await longest(vx.batchAdd(ids, moved));
  return [
    ["nothing else, for 5 s", idle],
    ["a snapshot", snapshot],
    [`one batch that replaces ${rows.length} records`, replacing],
  ];
}

/** Exact scans in f32 of what does not fit a cache, by length of the rows, against reading memory by memcmp. */
function exactScans(): string {
  const [one, other] = [Buffer.alloc(SCAN_BYTES / 2, 1), Buffer.alloc(SCAN_BYTES / 2, 1)];
  const lines = SCAN_DIMENSIONS.map((dimension) => {
    const bytes = Math.floor(SCAN_BYTES / 4 / dimension) * dimension * 4;
    const scan = exactScan(dimension, bytes / 4 / dimension);
    const times = { scan: [] as number[], read: [] as number[] };
    for (let round = 0; round < SCAN_ROUNDS; round++) {
      times.scan.push(cpuSeconds(() => scan(round)));
      times.read.push(cpuSeconds(() => one.equals(other)));
    }
    const [scanned, read] = [bytes / median(times.scan) / 1e9, SCAN_BYTES / median(times.read) / 1e9];
    return [String(dimension), scanned.toFixed(1), read.toFixed(1), percent(scanned / read)];
  });
  const name = `exact scan in f32 of ${SCAN_BYTES / 1e6} MB in rows of so many numbers`;
  return table([name, "GB/s of processor time", "reading by memcmp", "share"], lines);
}

/** A scan of all of so many rows but one. */
function exactScan(dimension: number, count: number): (round: number) => void {
  const options = { dimension, metric: "l2", m: 2, efConstruction: 1, quantization: "none" } as const;
  const graph = new HnswGraph(options);
  const vector = new Float32Array(dimension);
  const allow = new SlotSet(count);
  for (let id = 0; id < count; id++) {
    for (let i = 0; i < dimension; i++) vector[i] = Math.sin(id * 7.3 + i);
    graph.add(id, vector);
    if (id > 0) allow.add(id);
  }
  return (round) => void graph.searchAmong(vector.fill(round), K, allow);
}

function percent(share: number): string {
  return `${(share * 100).toFixed(0)} %`;
}

async function secondsOf(work: () => unknown): Promise<number> {
  const start = performance.now();
  await work();
  return (performance.now() - start) / 1000;
}

function cpuSeconds(work: () => unknown): number {
  const start = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1e6;
}

async function floats(path: string): Promise<Float32Array> {
  const bytes = await readFile(path);
  return new Float32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4);
}

function rowsOf(all: Float32Array, dimension: number): Float32Array[] {
  return Array.from({ length: all.length / dimension }, (_, i) =>
    all.slice(i * dimension, (i + 1) * dimension),
  );
}
