/** Keeps what a start has opened, so that it can be closed in reverse. Made by the mains, and handed to the parts they open. */

export class Closers {
  readonly #closers: (() => Promise<void>)[] = [];
  readonly #onError: (error: unknown) => void;

  /** `onError`: a part did not stop cleanly, for the log. */
  constructor(onError: (error: unknown) => void) {
    this.#onError = onError;
  }

  add(close: () => Promise<void>): void {
    this.#closers.push(close);
  }

  /** At once, so that of parts that open together those that still open are closed when one fails. */
  keep<T>(opening: Promise<T>, close: (opened: T) => Promise<void>): Promise<T> {
    const whenOpened = opening.then(
      (opened) => () => close(opened),
      // Whoever waits for the opening is told; there is nothing to close.
      () => async () => undefined,
    );
    this.add(async () => (await whenOpened)());
    return opening;
  }

  /** Two that are closed at the same time, each in reverse, when this one's turn comes to them. */
  pair(): [Closers, Closers] {
    const pair: [Closers, Closers] = [new Closers(this.#onError), new Closers(this.#onError)];
    this.add(async () => {
      await Promise.all(pair.map((closers) => closers.closeAll()));
    });
    return pair;
  }

  /** One that fails keeps none of the others from closing. */
  async closeAll(): Promise<void> {
    for (let close = this.#closers.pop(); close !== undefined; close = this.#closers.pop()) {
      await close().catch(this.#onError);
    }
  }
}
