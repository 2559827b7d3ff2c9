/**
 * The blocks of one served peer that are at hand or being read, also for nobody any more: not every medium stops at once, and a
 * peer could have more and more read by taking back its requests, or by opening one conversation after another. Made by
 * read-ahead; answers of the peer's conversation take and give back.
 */
import { READ_AHEAD_BLOCKS } from "./limits.ts";
import type { ReadAhead } from "./read-ahead.ts";

export class HeldBlocks {
  readonly #stock: ReadAhead;
  readonly #onHeld: (isAny: boolean) => void;
  #count = 0;
  /** Still runs without being counted, since a more urgent one was begun in its place. */
  #ousted: AbortController | undefined;
  /** A reading has ended for nothing, maybe one of an earlier conversation. Set by the latest. */
  onReadInVain = () => {};

  /** `onHeld`: whether there are any now. */
  constructor(stock: ReadAhead, onHeld: (isAny: boolean) => void) {
    this.#stock = stock;
    this.#onHeld = onHeld;
  }

  /** May another reading give its place? */
  get mayOust(): boolean {
    return this.#ousted === undefined;
  }

  /** Another block is about to be read, if it may be. */
  tryTake(): boolean {
    if (this.#count >= READ_AHEAD_BLOCKS) return false;
    if (this.#count > 0 && !this.#stock.tryTake()) return false;
    this.#count += 1;
    this.#onHeld(true);
    return true;
  }

  /** A block that was at hand is not any more. */
  giveBack(): void {
    this.#count -= 1;
    if (this.#count > 0) this.#stock.giveBack();
    this.#tell();
  }

  /** The reading gives its place to another. */
  oust(reading: AbortController): void {
    this.#ousted = reading;
  }

  /** The reading has ended, and nobody holds what it brought. */
  readInVain(reading: AbortController): void {
    if (this.#ousted === reading) {
      this.#ousted = undefined;
      this.#tell();
    } else {
      this.giveBack();
    }
    this.onReadInVain();
  }

  #tell(): void {
    this.#onHeld(this.#count > 0 || this.#ousted !== undefined);
  }
}
