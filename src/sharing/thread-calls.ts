/**
 * Calls to a thread that are under way, so that they fail when it ends: Comlink leaves them open for ever. A race with
 * a promise of that end would keep each answer until then. Kept by whoever speaks to a thread, in search and in
 * browser.
 */
export class ThreadCalls {
  readonly #rejections = new Set<(reason: Error) => void>();
  #lost: Error | undefined;

  /** @throws what the call throws, or the reason that `end` was given */
  run<T>(call: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      if (this.#lost !== undefined) return reject(this.#lost);
      this.#rejections.add(reject);
      call()
        .finally(() => this.#rejections.delete(reject))
        .then(resolve, reject);
    });
  }

  /** Fails what is under way, and all that comes. */
  end(reason: Error): void {
    this.#lost ??= reason;
    for (const reject of this.#rejections) reject(this.#lost);
    this.#rejections.clear();
  }
}
