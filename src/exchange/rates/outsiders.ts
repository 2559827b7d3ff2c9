/**
 * Those who are given bytes beside the protocol, as by the gateway: all of them together have one peer's share of the
 * upload rate, and wait for it by turns, since one reader's many requests would keep all others waiting. Made by
 * exchange; calls fair-share.
 */
import type { FairShare, Lane } from "./fair-share.ts";

interface Waiting {
  reader: string;
  leftBytes: number;
  mayGo(): void;
}

export class Outsiders implements Lane {
  readonly #share: FairShare;
  /** By reader; whose turn it is stands first. */
  readonly #rows = new Map<string, Set<Waiting>>();

  constructor(share: FairShare) {
    this.#share = share;
  }

  /** Settles when so many bytes may go to the reader. @throws the signal's reason */
  async wait(reader: string, sizeBytes: number, signal: AbortSignal): Promise<void> {
    if (!this.#share.isLimited || sizeBytes === 0) return;
    signal.throwIfAborted();
    await new Promise<void>((resolve, reject) => {
      const one: Waiting = {
        reader,
        leftBytes: sizeBytes,
        mayGo: () => {
          signal.removeEventListener("abort", leave);
          resolve();
        },
      };
      const leave = () => {
        this.#leave(one);
        reject(signal.reason);
        this.#share.refund(sizeBytes - one.leftBytes);
      };
      signal.addEventListener("abort", leave, { once: true });
      this.#rows.set(reader, (this.#rows.get(reader) ?? new Set()).add(one));
      this.#share.wake(this);
    });
  }

  takeTurn(turnBytes: number): number {
    const [row] = this.#rows.values();
    const [first] = row ?? [];
    if (first === undefined) return 0;
    const bytes = Math.min(turnBytes, first.leftBytes);
    first.leftBytes -= bytes;
    if (first.leftBytes === 0) {
      this.#goLast(first.reader);
      this.#leave(first);
      first.mayGo();
    }
    return bytes;
  }

  #goLast(reader: string): void {
    const row = this.#rows.get(reader) ?? new Set();
    this.#rows.delete(reader);
    this.#rows.set(reader, row);
  }

  #leave(one: Waiting): void {
    const row = this.#rows.get(one.reader);
    row?.delete(one);
    if (row?.size === 0) this.#rows.delete(one.reader);
  }
}
