/** A worker that tests/bench/vectors-browser measures: the bare kernel, and appends to the browser's storage. */
import * as Comlink from "comlink";
import { openIndexDisk } from "../../src/browser/index/index-disk.ts";
import { KernelRun, type KernelShape } from "../bench/kernel-run.ts";

const FRAME_BYTES = 600;

let run: KernelRun;

async function floats(url: string): Promise<Float32Array> {
  return new Float32Array(await (await fetch(url)).arrayBuffer());
}

const service = {
  async create(shape: KernelShape, urls: { vectors: string; queries: string }): Promise<void> {
    run = new KernelRun(shape, await floats(urls.vectors), await floats(urls.queries));
  },

  build: (from: number, to: number) => run.build(from, to),
  query: (k: number, ef: number, times: number) => run.query(k, ef, times),

  /** Milliseconds of each append with its flush. */
  async append(count: number): Promise<number[]> {
    const storage = await (await openIndexDisk("opfs")).openStorage(`bench/${crypto.randomUUID()}`);
    const file = await storage.startAppending("journal");
    const times: number[] = [];
    for (let i = 0; i < count; i++) {
      const startMs = performance.now();
      await file.append(new Uint8Array(FRAME_BYTES));
      await file.sync();
      times.push(performance.now() - startMs);
    }
    await file.close();
    await storage.close();
    return times;
  },
};

export type BenchWorker = typeof service;

Comlink.expose(service);
