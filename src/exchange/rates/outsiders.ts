/**
 * Those who are given bytes beside the protocol, as by the gateway: all of them together have one peer's share of the upload rate, and
 * wait for it in a row. Made by exchange; calls fair-share.
 */
import type { FairShare, Lane } from "./fair-share.ts";

interface Waiting {
  leftBytes: number;
  mayGo(): void;
}

export class Outsiders implements Lane {
  readonly #share: FairShare;
  readonly #waiting = new Set<Waiting>();

  constructor(share: FairShare) {
    this.#share = share;
  }

  /** Settles when so many bytes may go. @throws the signal's reason */
  async wait(sizeBytes: number, signal: AbortSignal): Promise<void> {
    if (!this.#share.isLimited || sizeBytes === 0) return;
    signal.throwIfAborted();
    await new Promise<void>((resolve, reject) => {
      const one: Waiting = {
        leftBytes: sizeBytes,
        mayGo: () => {
          signal.removeEventListener("abort", leave);
          resolve();
        },
      };
      const leave = () => {
        this.#waiting.delete(one);
        reject(signal.reason);
        this.#share.refund(sizeBytes - one.leftBytes);
      };
      signal.addEventListener("abort", leave, { once: true });
      this.#waiting.add(one);
      this.#share.wake(this);
    });
  }

  takeTurn(turnBytes: number): number {
    const [first] = this.#waiting;
    if (first === undefined) return 0;
    const bytes = Math.min(turnBytes, first.leftBytes);
    first.leftBytes -= bytes;
    if (first.leftBytes === 0) {
      this.#waiting.delete(first);
      first.mayGo();
    }
    return bytes;
  }
}
