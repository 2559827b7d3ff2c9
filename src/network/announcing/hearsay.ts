/**
 * Authors of whom others pass word on, and nobody else: keys are made up for nothing, and one peer could tell of as many as there
 * is room for. So each peer may tell of some authors, with some files, and the author that takes the most room is the first to
 * give way to who was met. Counted here by who passed their word on; kept by catalogues.
 */
import { MAX_AUTHORS_TOLD_OF, MAX_FILES_TOLD_OF } from "./limits.ts";

interface Teller {
  authorCount: number;
  fileCount: number;
}

interface Told {
  teller: Teller;
  tellerId: string;
  fileCount: number;
}

export class Hearsay {
  readonly #tellers = new Map<string, Teller>();
  readonly #authors = new Map<string, Told>();
  /** Of all of them. */
  #fileCount = 0;

  has(authorId: string): boolean {
    return this.#authors.has(authorId);
  }

  /** False where the teller has told of too many. */
  begin(authorId: string, tellerId: string): boolean {
    const teller = this.#tellers.get(tellerId) ?? { authorCount: 0, fileCount: 0 };
    if (teller.authorCount >= MAX_AUTHORS_TOLD_OF) return false;
    teller.authorCount += 1;
    this.#tellers.set(tellerId, teller);
    this.#authors.set(authorId, { teller, tellerId, fileCount: 0 });
    return true;
  }

  /** The author is gone, or was met. */
  end(authorId: string): void {
    const told = this.#authors.get(authorId);
    if (told === undefined) return;
    this.#authors.delete(authorId);
    told.teller.authorCount -= 1;
    told.teller.fileCount -= told.fileCount;
    this.#fileCount -= told.fileCount;
    if (told.teller.authorCount === 0) this.#tellers.delete(told.tellerId);
  }

  /** False where the teller has told of too many. Of others all are right. */
  addFile(authorId: string): boolean {
    const told = this.#authors.get(authorId);
    if (told === undefined) return true;
    if (told.teller.fileCount >= MAX_FILES_TOLD_OF) return false;
    told.teller.fileCount += 1;
    told.fileCount += 1;
    this.#fileCount += 1;
    return true;
  }

  removeFile(authorId: string): void {
    const told = this.#authors.get(authorId);
    if (told === undefined) return;
    told.teller.fileCount -= 1;
    told.fileCount -= 1;
    this.#fileCount -= 1;
  }

  /** Who gives way to an author that was met: the one told of last by who told of the most. */
  get leastSure(): string | undefined {
    let least: [string, Told] | undefined;
    for (const one of this.#authors) {
      if (least === undefined || one[1].teller.authorCount >= least[1].teller.authorCount) least = one;
    }
    return least?.[0];
  }

  /** Who gives way to files of authors that were met. Undefined where nobody has any, which is found without a look at all. */
  get withMostFiles(): string | undefined {
    if (this.#fileCount === 0) return undefined;
    let most: [string, Told] | undefined;
    for (const one of this.#authors) if (one[1].fileCount > (most?.[1].fileCount ?? 0)) most = one;
    return most?.[0];
  }
}
