/**
 * Paths of files, each given once: the second of one gets a number, as browsers and desktops have it. Pure; called by
 * whoever puts files together that came from several places.
 */
export class TakenPaths {
  readonly #comparable: (path: string) => string;
  /**
   * By what is compared, the number that the next file of that path is tried with: of a thousand alike none tries all
   * others'.
   */
  readonly #nextOf = new Map<string, number>();

  /** `comparable`: the same for paths that may not stand beside each other; `taken`: such as are given already. */
  constructor(comparable = (path: string) => path, taken: Iterable<string> = []) {
    this.#comparable = comparable;
    for (const key of taken) this.#nextOf.set(key, FIRST_NUMBER);
  }

  /** Whether it was left: it is taken now. */
  take(path: string): boolean {
    const key = this.#comparable(path);
    if (this.#nextOf.has(key)) return false;
    this.#nextOf.set(key, FIRST_NUMBER);
    return true;
  }

  /** `sea.jpg`, and where that is taken `sea (2).jpg`. */
  takeOrNumber(path: string): string {
    const [, stem = "", ending = ""] = /^(.*?[^/])(\.[^./]*)?$/s.exec(path) ?? [];
    const key = this.#comparable(path);
    let number = this.#nextOf.get(key) ?? FIRST_NUMBER;
    let candidate = path;
    for (; !this.take(candidate); number++) candidate = `${stem} (${number})${ending}`;
    this.#nextOf.set(key, number);
    return candidate;
  }
}

const FIRST_NUMBER = 2;
