/** Events for one loop: many push, the loop alone takes them, in order. */
export class Inbox<T> {
  readonly #items: T[] = [];
  #wake: (() => void) | undefined;

  push(item: T): void {
    this.#items.push(item);
    this.#wake?.();
  }

  /** The next item; rejects with the signal's reason when it aborts. */
  async next(signal: AbortSignal): Promise<T> {
    signal.throwIfAborted();
    if (this.#items.length === 0) await this.#arrival(signal);
    return this.#items.shift() as T;
  }

  /** What nobody has taken. */
  rest(): T[] {
    return this.#items.splice(0);
  }

  #arrival(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const onAbort = () => {
        this.#wake = undefined;
        reject(signal.reason);
      };
      signal.addEventListener("abort", onAbort, { once: true });
      this.#wake = () => {
        this.#wake = undefined;
        signal.removeEventListener("abort", onAbort);
        resolve();
      };
    });
  }
}
