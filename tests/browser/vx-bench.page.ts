/** The page that tests/bench/vectors-browser opens: starts the measured worker, and measures class Vx from the window. */
import * as Comlink from "comlink";
import { pageVxHost } from "../../src/browser/index/vx-thread.ts";
import type { Config } from "../../src/vx/config.ts";
import { Vx } from "../../src/vx/vx.ts";
import type { BenchPage, MeasuredVx } from "../bench/bench-page.ts";
import type { BenchWorker } from "./vx-bench.worker.ts";

const BATCH = 1000;
const worker = Comlink.wrap<BenchWorker>(
  new Worker(new URL("./vx-bench.worker.ts", import.meta.url), { type: "module" }),
);

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startMs = performance.now();
  await work();
  return performance.now() - startMs;
}

async function open(config: Config): Promise<Vx> {
  const vx = new Vx(config, pageVxHost());
  await vx.ready();
  return vx;
}

async function measureVx(dimension: number, count: number): Promise<MeasuredVx> {
  const startMs: number[] = [];
  for (let i = 0; i < 7; i++) {
    const startedMs = performance.now();
    const vx = await open({ dimension });
    startMs.push(performance.now() - startedMs);
    await vx.close();
  }
  const all = new Float32Array(await (await fetch(dataUrl("vectors"))).arrayBuffer());
  const row = (i: number) => all.slice(i * dimension, (i + 1) * dimension);
  const config: Config = { dimension, distance: "l2", storagePath: `bench/${crypto.randomUUID()}` };
  const vx = await open(config);
  const longTasksMs: number[] = [];
  const observer = new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) longTasksMs.push(duration);
  });
  observer.observe({ type: "longtask" });
  let isAdding = true;
  const searching = (async () => {
    for (let i = 0; isAdding; i++) await vx.search(row(i % count), 10);
  })();
  const addSeconds =
    (await timed(async () => {
      for (let first = 0; first < count; first += BATCH) {
        const ids = Array.from({ length: BATCH }, (_, i) => first + i);
        await vx.batchAdd(
          ids,
          ids.map(row),
          ids.map((id) => ({ id, topic: `t${id % 100}` })),
        );
      }
    })) / 1000;
  isAdding = false;
  await searching;
  const searchMs: number[] = [];
  for (let i = 0; i < 1000; i++) searchMs.push(await timed(() => vx.search(row(i), 10)));
  const { search_latency_ms: engineSearchMs } = await vx.collectMetrics();
  const addMs: number[] = [];
  for (let i = 0; i < 200; i++) addMs.push(await timed(() => vx.add(count + i, row(i), { id: i })));
  // What the observer was told late is in this turn.
  for (const { duration } of observer.takeRecords()) longTasksMs.push(duration);
  observer.disconnect();
  await vx.save();
  await vx.close();
  const openMs = await timed(async () => {
    await (await open({ storagePath: config.storagePath })).close();
  });
  return { startMs, addSeconds, addMs, searchMs, engineSearchMs, openMs, longTasksMs };
}

const dataUrl = (name: string) => new URL(`data/${name}.f32`, location.href).href;

const bench: BenchPage = {
  create: (shape) => worker.create(shape, { vectors: dataUrl("vectors"), queries: dataUrl("queries") }),
  build: (from, to) => worker.build(from, to),
  query: (k, ef, times) => worker.query(k, ef, times),
  append: (count) => worker.append(count),
  measureVx,
};
Object.assign(globalThis, { bench });
