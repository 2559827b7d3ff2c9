/** A process with one index in it, as vectors.ts orders it about. The other end is vectors-child. */
import { type ChildProcess, fork } from "node:child_process";
import { join } from "node:path";
import type { Orders } from "./vectors-child.ts";
import type { VectorSet } from "./vectors-data.ts";

/** Threads of what would take as many as there are. */
const ONE_THREAD = { LANCE_CPU_THREADS: "1", RAYON_NUM_THREADS: "1", OMP_NUM_THREADS: "1" };

export class IndexProcess {
  readonly name: string;
  readonly #child: ChildProcess;
  #answered: ((answer: Promise<unknown>) => void) | undefined;

  private constructor(name: string, child: ChildProcess) {
    this.name = name;
    this.#child = child;
    const settle = (answer: () => Promise<unknown>) => {
      const waiting = this.#answered;
      this.#answered = undefined;
      if (waiting !== undefined) waiting(answer());
    };
    const fail = (reason: string) => settle(() => Promise.reject(new Error(`${name}: ${reason}`)));
    child.on("message", ({ value, error }: { value?: unknown; error?: string }) => {
      if (error === undefined) settle(() => Promise.resolve(value));
      else fail(error);
    });
    child.once("exit", (code) => fail(`ended with ${code}`));
  }

  /** With the index made, unless there is no set. */
  static async start(name: string, set?: VectorSet): Promise<IndexProcess> {
    const child = fork(join(import.meta.dirname, "vectors-child.ts"), [], {
      // The heap as the product's own process has it (headless/launch.cjs): collections asked for here make it small.
      execArgv: ["--expose-gc", "--heap-growing-percent=300", "--import", "tsx"],
      env: { ...process.env, ...ONE_THREAD },
      serialization: "advanced",
      stdio: ["ignore", "ignore", "inherit", "ipc"],
    });
    const started = new IndexProcess(name, child);
    await started.#answer();
    if (set !== undefined) await started.order("create", name, set);
    return started;
  }

  async order<O extends keyof Orders>(
    order: O,
    ...args: Parameters<Orders[O]>
  ): Promise<ReturnType<Orders[O]>> {
    const answer = this.#answer();
    this.#child.send([order, args]);
    return (await answer) as ReturnType<Orders[O]>;
  }

  end(): void {
    this.#child.disconnect();
  }

  /** The next answer; there is one order at a time. */
  #answer(): Promise<unknown> {
    return new Promise((resolve) => {
      this.#answered = resolve;
    });
  }
}
