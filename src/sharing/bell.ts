/** Wakes one waiting loop. A ring while nobody waits is kept, several count as one. Used by loops of the network and of search. */
export class Bell {
  #rung = false;
  #waiting: (() => void) | undefined;

  ring(): void {
    this.#rung = true;
    this.#waiting?.();
  }

  /** Settles at the next ring, or at once if one was kept. @throws the signal's reason */
  async wait(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (!this.#rung) {
      await new Promise<void>((resolve, reject) => {
        const onAbort = () => reject(signal.reason);
        signal.addEventListener("abort", onAbort, { once: true });
        this.#waiting = () => {
          signal.removeEventListener("abort", onAbort);
          resolve();
        };
      }).finally(() => {
        this.#waiting = undefined;
      });
    }
    this.#rung = false;
  }
}
