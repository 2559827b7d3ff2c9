/** Keeps what a start has opened, so that it can be closed in reverse. Called by main. */
import type { Logger } from "./log.ts";

export class Closers {
  readonly #closers: (() => Promise<void>)[] = [];
  readonly #log: Logger;

  constructor(log: Logger) {
    this.#log = log;
  }

  add(close: () => Promise<void>): void {
    this.#closers.push(close);
  }

  async keep<T>(opening: Promise<T>, close: (opened: T) => Promise<void>): Promise<T> {
    const opened = await opening;
    this.add(() => close(opened));
    return opened;
  }

  /** One that fails is logged and keeps none of the others from closing. */
  async closeAll(): Promise<void> {
    for (let close = this.#closers.pop(); close !== undefined; close = this.#closers.pop()) {
      await close().catch((error: unknown) => this.#log.error({ error }, "a part did not stop cleanly"));
    }
  }
}
