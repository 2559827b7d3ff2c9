/**
 * One run of a process. Once it is killed, nothing that it waits for ever comes, and so it does nothing more; of what it had
 * begun, what its machine did before stays done.
 */
import type { Clock } from "../../src/sharing/ports.ts";

export class Life {
  #isOver = false;

  get isOver(): boolean {
    return this.#isOver;
  }

  kill(): void {
    this.#isOver = true;
  }

  /** As the promise, while the process lives. */
  while<T>(promise: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      promise.then(
        (value) => this.isOver || resolve(value),
        (error: unknown) => this.isOver || reject(error),
      );
    });
  }

  /** The clock as the process knows it. */
  clock(clock: Clock): Clock {
    return {
      now: () => clock.now(),
      monotonic: () => clock.monotonic(),
      sleep: (ms, signal) => this.while(clock.sleep(ms, signal)),
    };
  }
}
