/**
 * What other nodes tell of their files, by author. Pure state; kept by excerpts. Who tells too much is not listened to.
 * When all room is taken, authors that are gone make room for others, those that were not met for who was, and of equals who has
 * the most for who has less.
 */
import type { Offer } from "../../sharing/ports.ts";
import type { Standing } from "../announcing/catalogues.ts";
import { mostSaid } from "../most-said.ts";
import type { Excerpt } from "./excerpt-messages.ts";
import { MAX_EXCERPTS_IN_ALL, MAX_EXCERPTS_PER_AUTHOR, MAX_EXCERPTS_PER_MESSAGE } from "./limits.ts";

export class HeardExcerpts {
  /** Texts by author and file id; the author heard last stands last. */
  readonly #authors = new Map<string, Map<string, string>>();
  readonly #standing: (authorId: string) => Standing;
  #count = 0;

  /** `standing`: of authors that were heard before. */
  constructor(standing: (authorId: string) => Standing) {
    this.#standing = standing;
  }

  /** True when this is news. `standing`: of the author, `met` also where it was asked itself. */
  hear(authorId: string, excerpts: readonly Excerpt[], standing: Standing): boolean {
    const texts = this.#authors.get(authorId) ?? new Map<string, string>();
    this.#authors.delete(authorId);
    let isNews = false;
    // Looked for in vain once a message: that takes a look at each author.
    let isFull = false;
    for (const { fileId, text } of excerpts) {
      const known = texts.get(fileId);
      if ((known ?? "") === text) continue;
      if (known === undefined) {
        isFull ||= !this.#hasRoom(texts, standing);
        if (isFull) continue;
      }
      isNews = true;
      if (text === "") {
        texts.delete(fileId);
        isFull = false;
      } else texts.set(fileId, text);
      this.#count += text === "" ? -1 : known === undefined ? 1 : 0;
    }
    if (texts.size > 0) this.#authors.set(authorId, texts);
    return isNews;
  }

  /** Ids of those of which the author told something. */
  filesOf(authorId: string): Iterable<string> {
    return this.#authors.get(authorId)?.keys() ?? [];
  }

  /** What most of the file's holders say. */
  of({ fileId, completeHolders, partialHolders }: Offer): string | undefined {
    const texts = [...completeHolders, ...partialHolders].flatMap((holder): [string, string][] => {
      const text = this.#authors.get(holder)?.get(fileId);
      return text === undefined ? [] : [[holder, text]];
    });
    return mostSaid(
      texts,
      (holder) => this.#standing(holder) === "met",
      (text) => text,
    );
  }

  #hasRoom({ size }: ReadonlyMap<string, string>, standing: Standing): boolean {
    if (size >= MAX_EXCERPTS_PER_AUTHOR) return false;
    if (this.#count < MAX_EXCERPTS_IN_ALL || this.#forgetOne()) return true;
    if (standing === "met" && this.#cut("told of", 0)) return true;
    return this.#cut(standing, size);
  }

  /** The author that was not heard of for longest among those that are gone. */
  #forgetOne(): boolean {
    for (const [authorId, texts] of this.#authors) {
      if (this.#standing(authorId) !== "gone") continue;
      this.#authors.delete(authorId);
      this.#count -= texts.size;
      return true;
    }
    return false;
  }

  /** The author with the most of that standing loses some of what exceeds `size`, the oldest first, until both have as many. */
  #cut(standing: Standing, size: number): boolean {
    let most: [string, Map<string, string>] | undefined;
    for (const one of this.#authors)
      if (one[1].size > (most?.[1].size ?? size) && this.#standing(one[0]) === standing) most = one;
    if (most === undefined) return false;
    const [mostId, texts] = most;
    const surplus = Math.min(Math.ceil((texts.size - size) / 2), MAX_EXCERPTS_PER_MESSAGE);
    for (const fileId of [...texts.keys()].slice(0, surplus)) texts.delete(fileId);
    if (texts.size === 0) this.#authors.delete(mostId);
    this.#count -= surplus;
    return true;
  }
}
