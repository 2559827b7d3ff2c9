/**
 * What other nodes tell of their files, by author. Pure state; kept by excerpts. Who tells too much is not listened to, and
 * authors that are gone make room for others.
 */
import type { Offer } from "../sharing/ports.ts";
import type { Excerpt } from "./excerpt-messages.ts";
import { MAX_EXCERPTS_IN_ALL, MAX_EXCERPTS_PER_AUTHOR } from "./limits.ts";

export class HeardExcerpts {
  /** Texts by author and file id; the author heard last stands last. */
  readonly #authors = new Map<string, Map<string, string>>();
  readonly #isHere: (authorId: string) => boolean;
  #count = 0;

  /** `isHere`: whether files of the author are offered now. */
  constructor(isHere: (authorId: string) => boolean) {
    this.#isHere = isHere;
  }

  /** True when this is news. */
  hear(authorId: string, excerpts: readonly Excerpt[]): boolean {
    const texts = this.#authors.get(authorId) ?? new Map<string, string>();
    this.#authors.delete(authorId);
    let isNews = false;
    for (const { fileId, text } of excerpts) {
      const known = texts.get(fileId);
      if (known === text || (known === undefined && (text === "" || !this.#hasRoom(texts)))) continue;
      isNews = true;
      if (text === "") texts.delete(fileId);
      else texts.set(fileId, text);
      this.#count += text === "" ? -1 : known === undefined ? 1 : 0;
    }
    if (texts.size > 0) this.#authors.set(authorId, texts);
    return isNews;
  }

  /** Ids of those of which the author told something. */
  filesOf(authorId: string): Iterable<string> {
    return this.#authors.get(authorId)?.keys() ?? [];
  }

  /** What most of the file's holders say; the first of them wins a tie. */
  of({ fileId, completeHolders, partialHolders }: Offer): string | undefined {
    const votes = new Map<string, number>();
    for (const holder of [...completeHolders, ...partialHolders]) {
      const text = this.#authors.get(holder)?.get(fileId);
      if (text !== undefined) votes.set(text, (votes.get(text) ?? 0) + 1);
    }
    let most: string | undefined;
    for (const [text, count] of votes) if (most === undefined || count > (votes.get(most) ?? 0)) most = text;
    return most;
  }

  #hasRoom(texts: ReadonlyMap<string, string>): boolean {
    if (texts.size >= MAX_EXCERPTS_PER_AUTHOR) return false;
    return this.#count < MAX_EXCERPTS_IN_ALL || this.#forgetOne();
  }

  /** The author that was not heard of for longest among those that are gone. */
  #forgetOne(): boolean {
    for (const [authorId, texts] of this.#authors) {
      if (this.#isHere(authorId)) continue;
      this.#authors.delete(authorId);
      this.#count -= texts.size;
      return true;
    }
    return false;
  }
}
