/**
 * Which blocks a peer has asked for of late. One that asks again may have found that what it was given is not what the block's
 * name says. Kept by serving for each conversation.
 */
import { forgetOldest } from "../../sharing/forget-oldest.ts";
import { MAX_REMEMBERED_WANTS } from "../limits.ts";

export class AskedLately {
  /** The one asked for longest ago first. */
  readonly #names = new Set<string>();

  /** The peer asks for the block; had it before? */
  ask(name: string): boolean {
    const isAgain = this.#names.delete(name);
    this.#names.add(name);
    forgetOldest(this.#names, MAX_REMEMBERED_WANTS);
    return isAgain;
  }
}
