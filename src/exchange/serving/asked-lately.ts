/**
 * Which blocks a peer has asked for of late. One that asks again may have found that what it was given is not what the block's
 * name says. Kept by serving for each conversation.
 */
import { MAX_REMEMBERED_WANTS } from "../limits.ts";

export class AskedLately {
  /** The one asked for longest ago first. */
  readonly #names = new Set<string>();

  /** The peer asks for the block; had it before? */
  ask(name: string): boolean {
    const isAgain = this.#names.delete(name);
    this.#names.add(name);
    if (this.#names.size > MAX_REMEMBERED_WANTS) {
      const [oldest] = this.#names;
      if (oldest !== undefined) this.#names.delete(oldest);
    }
    return isAgain;
  }
}
