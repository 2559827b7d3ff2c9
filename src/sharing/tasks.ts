/**
 * Work that runs beside its owner and is waited for at the owner's end. Owned by a transfer and by its peer pool. What
 * fails while the owner still runs is logged; what fails because it ended is not.
 */
import type { Log } from "./ports.ts";

export class Tasks {
  readonly #running = new Set<Promise<void>>();
  readonly #log: Log;
  readonly #signal: AbortSignal;

  constructor(log: Log, signal: AbortSignal) {
    this.#log = log;
    this.#signal = signal;
  }

  spawn(task: Promise<void>): void {
    const settled = task
      .catch((error: unknown) => {
        if (!this.#signal.aborted) this.#log.warn("a transfer's task failed", { error });
      })
      .finally(() => this.#running.delete(settled));
    this.#running.add(settled);
  }

  /** Settles when all that was spawned has ended. */
  async ended(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }
}
