/** What the page that vectors-browser opens can measure: implemented by tests/browser/vx-bench.page.ts. */
import type { KernelShape } from "./kernel-run.ts";

export interface BenchPage {
  create(shape: KernelShape): Promise<void>;
  build(from: number, to: number): Promise<number>;
  query(k: number, ef: number, times: number): Promise<number[]>;
  /** Milliseconds of appends of 600 bytes, each with its flush, on OPFS. */
  append(count: number): Promise<number[]>;
  measureVx(dimension: number, count: number): Promise<MeasuredVx>;
}

export interface MeasuredVx {
  /** From nothing to an index in memory that answers: worker, code, engine. */
  startMs: number[];
  addSeconds: number;
  /** Of single adds, each durable. */
  addMs: number[];
  searchMs: number[];
  /** Median that the engine measures of the same searches. */
  engineSearchMs: number;
  openMs: number;
  /** Tasks of the window over 50 ms while adding and searching. */
  longTasksMs: number[];
}
