/**
 * Room for long request bodies, which are held until they are read: so many at once, the others wait in the order in
 * which they came. Made once an app; called by json-route and for Arrow streams.
 */
import { SHORT_BODY_BYTES } from "./limits.ts";

export class LongBodies {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(atOnce: number) {
    this.#free = atOnce;
  }

  /** Runs a task once there is room for the body that the headers tell of; gives up when the signal aborts. */
  async run<T>({ headers, signal }: Request, task: () => Promise<T>): Promise<T> {
    const length = headers.get("content-length");
    if (length !== null && Number(length) <= SHORT_BODY_BYTES) return await task();
    await this.#enter(signal);
    try {
      return await task();
    } finally {
      this.#leave();
    }
  }

  async #enter(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.#free > 0) {
      this.#free -= 1;
      return;
    }
    await new Promise<void>((resolve, reject) => {
      const enter = () => {
        signal.removeEventListener("abort", leave);
        resolve();
      };
      const leave = () => {
        this.#waiting.splice(this.#waiting.indexOf(enter), 1);
        reject(signal.reason);
      };
      signal.addEventListener("abort", leave, { once: true });
      this.#waiting.push(enter);
    });
  }

  /** The place goes on to the next one who waits. */
  #leave(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free += 1;
    else next();
  }
}
