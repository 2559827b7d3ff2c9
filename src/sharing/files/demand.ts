/**
 * What readers of a file that is still downloading wait for. Readers say where they are; the transfer fetches
 * that first.
 */
import type { WantedSpan } from "../download/picker.ts";
import { READ_AHEAD_CHUNKS } from "../limits.ts";

export class Demand {
  readonly #readers = new Map<object, WantedSpan>();
  readonly #listeners = new Set<() => void>();

  /** Does anybody read? */
  get isThere(): boolean {
    return this.#readers.size > 0;
  }

  /** Spans wanted now, each from where its reader is to a little ahead. */
  spans(): WantedSpan[] {
    return [...this.#readers.values()];
  }

  /** A reader is at chunk `next` and wants up to but not including `end`; `reader` is any object of its own. */
  move(reader: object, next: number, end: number): void {
    this.#readers.set(reader, { first: next, end: Math.min(end, next + READ_AHEAD_CHUNKS) });
    this.#changed();
  }

  leave(reader: object): void {
    if (this.#readers.delete(reader)) this.#changed();
  }

  watch(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #changed(): void {
    for (const listener of this.#listeners) listener();
  }
}
