/**
 * Threads that help to link, each with an instance of the kernel on the same memory. Started by the runtime (LinkThreads)
 * when a graph first has much to link; their end of it is link-helper. The rounds are those of assembly/team.ts.
 */
import type { GraphOptions } from "./graph.ts";
import type { KernelExports } from "./kernel-exports.ts";

/** What a helper needs to know; goes to its thread as data. */
export interface LinkJob {
  module: WebAssembly.Module;
  memory: WebAssembly.Memory;
  boardAddress: number;
  index: number;
  regionAddress: number;
  regionBytes: number;
  dimension: number;
  cosine: boolean;
  m: number;
  efConstruction: number;
  quantized: boolean;
}

export interface LinkThread {
  /** Settles when the thread has ended. */
  ended: Promise<void>;
  end(): void;
}

/** Threads that a runtime can spare for linking. */
export interface LinkThreads {
  count: number;
  /** The kernel compiled for several threads. */
  module: WebAssembly.Module;
  /** Starts a thread that calls `helpLinking` with the job. */
  start(job: LinkJob): LinkThread;
}

/** Bytes at a region's start that are the host's: the round that its helper has finished. */
export const REGION_HEAD_BYTES = 64;

/** The number of a round that ends a helper. */
export const LAST_ROUND = -1;

interface Helper {
  thread: LinkThread;
  finished: Int32Array;
  isLost: boolean;
}

export class Team {
  readonly #round: Int32Array;
  readonly #helpers: Helper[];

  /** One helper a job; all have the same board. */
  constructor(threads: LinkThreads, memory: WebAssembly.Memory, boardAddress: number, jobs: LinkJob[]) {
    this.#round = new Int32Array(memory.buffer, boardAddress, 1);
    this.#helpers = jobs.map((job) => {
      const finished = new Int32Array(job.memory.buffer, job.regionAddress, 1);
      const helper = { thread: threads.start(job), finished, isLost: false };
      void helper.thread.ended.then(() => {
        helper.isLost = true;
      });
      return helper;
    });
  }

  /** Begins the round that was published. */
  begin(): void {
    const next = (Atomics.load(this.#round, 0) + 1) & 0x7fffffff;
    Atomics.store(this.#round, 0, next);
    Atomics.notify(this.#round, 0);
  }

  /** Whether no helper works on the round any more. */
  get isDone(): boolean {
    const round = Atomics.load(this.#round, 0);
    return this.#helpers.every(({ finished, isLost }) => isLost || Atomics.load(finished, 0) === round);
  }

  end(): void {
    Atomics.store(this.#round, 0, LAST_ROUND);
    Atomics.notify(this.#round, 0);
    for (const { thread } of this.#helpers) thread.end();
  }
}

/** What a helper needs of the kernel's memory. */
export function helperBytes(
  kernel: KernelExports,
  { dimension, m, efConstruction }: Required<GraphOptions>,
): number {
  return REGION_HEAD_BYTES + kernel.regionBytes(dimension, m, efConstruction);
}

/** Starts all helpers, once the kernel has slots, and with them what helpers need of its memory. */
export function startTeam(
  threads: LinkThreads,
  kernel: KernelExports,
  options: Required<GraphOptions>,
  boardAddress: number,
): Team {
  const { memory } = kernel;
  const { dimension, metric, m, efConstruction, quantization } = options;
  const regionBytes = helperBytes(kernel, options);
  const jobs = Array.from({ length: threads.count }, (_, index): LinkJob => {
    const regionAddress = kernel.helperRegion(index) >>> 0;
    return {
      ...{ module: threads.module, memory, boardAddress, index, regionAddress, regionBytes },
      ...{ dimension, cosine: metric === "cosine", m, efConstruction, quantized: quantization === "int8" },
    };
  });
  return new Team(threads, memory, boardAddress, jobs);
}
