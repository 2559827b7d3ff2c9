/**
 * Wakes one waiting loop. A ring while nobody waits is kept, several count as one. Used by loops of sharing, network,
 * search and the API.
 */
import type { Clock } from "./ports.ts";

export class Bell {
  #rung = false;
  #waiting: (() => void) | undefined;

  ring(): void {
    this.#rung = true;
    this.#waiting?.();
  }

  /** Forgets a ring that was kept. */
  hush(): void {
    this.#rung = false;
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

  /**
   * Settles at the next ring, or at the time given by the clock's `monotonic`, where infinity is never; true if it rang.
   * @throws the signal's reason
   */
  async waitUntil(dueMs: number, clock: Clock, signal: AbortSignal): Promise<boolean> {
    if (this.#rung || !Number.isFinite(dueMs)) {
      await this.wait(signal);
      return true;
    }
    const over = new AbortController();
    const either = AbortSignal.any([signal, over.signal]);
    const rung = this.wait(either);
    const due = clock.sleep(Math.max(0, dueMs - clock.monotonic()), either);
    await Promise.race([rung, due]).finally(() => over.abort());
    const [ring] = await Promise.allSettled([rung, due]);
    return ring.status === "fulfilled";
  }
}
