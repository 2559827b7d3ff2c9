/**
 * What is kept by a name that strangers choose, such as a filter's text: so many, and so many characters of names, the
 * least lately set given up first. Kept by the filter sets, and by those of the caller's thread.
 */
import { MAX_KEPT_NAME_CHARS } from "./limits.ts";

export class KeptByName<T> {
  readonly #most: number;
  readonly #kept = new Map<string, T>();
  #chars = 0;

  constructor(most: number) {
    this.#most = most;
  }

  get(name: string): T | undefined {
    return this.#kept.get(name);
  }

  /** The newest stays, however long its name is. */
  set(name: string, value: T): void {
    this.delete(name);
    this.#kept.set(name, value);
    this.#chars += name.length;
    for (const [oldest] of this.#kept) {
      if (this.#kept.size <= this.#most && this.#chars <= MAX_KEPT_NAME_CHARS) break;
      if (oldest !== name) this.delete(oldest);
    }
  }

  delete(name: string): void {
    if (this.#kept.delete(name)) this.#chars -= name.length;
  }
}
