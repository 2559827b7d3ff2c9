/** One run of some work at a time; all who ask while it runs are served together by the next. Used for flushes. */

export class Coalesced {
  readonly #run: () => Promise<void>;
  #running: Promise<void> | undefined;
  #next: Promise<void> | undefined;

  constructor(run: () => Promise<void>) {
    this.#run = run;
  }

  get isRunning(): boolean {
    return this.#running !== undefined;
  }

  /** Settles when a run that began after this call has ended. */
  request(): Promise<void> {
    if (this.#running === undefined) {
      this.#running = this.#run().finally(() => {
        this.#running = undefined;
      });
      return this.#running;
    }
    this.#next ??= Promise.allSettled([this.#running]).then(() => {
      this.#next = undefined;
      return this.request();
    });
    return this.#next;
  }
}
