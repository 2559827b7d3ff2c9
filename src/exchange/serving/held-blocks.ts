/**
 * The blocks of one served peer that are at hand or being read, also for nobody any more: not every medium stops at once, and a
 * peer could have more and more read by taking back its requests, or by opening one conversation after another. For the same
 * reason it waits once much was read for it that it did not take. Made by read-ahead; answers of the peer's conversation take and
 * give back.
 */
import { MAX_BLOCK_BYTES, MAX_READ_IN_VAIN, READ_AHEAD_BLOCKS } from "../limits.ts";
import type { ReadAhead } from "./read-ahead.ts";

export class HeldBlocks {
  readonly #stock: ReadAhead;
  #count = 0;
  /** Read of late, and not taken, less what was. */
  #vainCount = 0;
  /** Still runs without being counted, since a more urgent one was begun in its place. */
  #ousted: AbortController | undefined;
  /** A reading has ended for nothing, maybe one of an earlier conversation. Set by the latest. */
  onReadInVain = () => {};

  constructor(stock: ReadAhead) {
    this.#stock = stock;
  }

  get isEmpty(): boolean {
    return !this.isReading(0);
  }

  /** Whether anything is being read, where so many are at hand. */
  isReading(atHandCount: number): boolean {
    return this.#count > atHandCount || this.#ousted !== undefined;
  }

  /** May anything be read for the peer? */
  get mayRead(): boolean {
    return this.#vainCount < MAX_READ_IN_VAIN;
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
    return true;
  }

  /** A block that was at hand is not any more: the peer has all of it, or else does not want it. */
  giveBack(block: Uint8Array, isTaken: boolean): void {
    // A short one makes up for little: else who takes some of them had a long one read in vain for each.
    if (isTaken) this.#forgive(block.length / MAX_BLOCK_BYTES);
    else this.#vainCount += 1;
    this.#leave();
  }

  /** A block that was at hand gives its place to another. */
  putBack(): void {
    this.#vainCount += 1;
  }

  /** The reading gives its place to another. */
  oust(reading: AbortController): void {
    this.#ousted = reading;
  }

  /** The reading has ended, and nobody holds what it brought, if it brought anything. */
  readInVain(reading: AbortController, hasBrought: boolean): void {
    if (hasBrought) this.#vainCount += 1;
    if (this.#ousted === reading) this.#ousted = undefined;
    else this.#leave();
    this.onReadInVain();
  }

  /** A second has passed. */
  onTick(): void {
    this.#forgive(1);
  }

  #forgive(count: number): void {
    this.#vainCount = Math.max(0, this.#vainCount - count);
  }

  #leave(): void {
    this.#count -= 1;
    if (this.#count > 0) this.#stock.giveBack();
  }
}
