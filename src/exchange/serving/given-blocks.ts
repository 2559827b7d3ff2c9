/**
 * Which blocks were given to anybody, the longest ago first. Of what a peer asks for alike, it is given first what nobody was
 * given lately: those that download one file from here then soon have different chunks for each other. One for all of serving.
 */
import { forgetOldest } from "../../sharing/forget-oldest.ts";
import { MAX_REMEMBERED_BLOCKS } from "../limits.ts";

export class GivenBlocks {
  /** When each was last given, as a count of all that were given. */
  readonly #givenAt = new Map<string, number>();
  #count = 0;

  give(name: string): void {
    this.#givenAt.delete(name);
    this.#count += 1;
    this.#givenAt.set(name, this.#count);
    forgetOldest(this.#givenAt, MAX_REMEMBERED_BLOCKS);
  }

  /** The greater, the later it was given; 0 if never, or too long ago. */
  givenAt(name: string): number {
    return this.#givenAt.get(name) ?? 0;
  }
}
