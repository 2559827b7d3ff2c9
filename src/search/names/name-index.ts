/**
 * Files by the words of their names and of their excerpts: whole words, beginnings of words as one types them, and words
 * with a typing mistake. Kept by the directory, asked by file-search; calls MiniSearch, whose ranking is BM25+.
 */
import MiniSearch, { type SearchResult } from "minisearch";
import {
  MIN_NAME_COVERAGE,
  MIN_TYPO_CHARS,
  MIN_WORD_COVERAGE,
  SECOND_TYPO_CHARS,
  TYPO_WEIGHT,
} from "../limits.ts";
import { fold, nameWords, queryWords, tellingWords } from "./words.ts";

export interface WordHit {
  fileId: string;
  /** Share of the query's telling words that were found. */
  coverage: number;
}

/** How a name equals the query: all of it, or without its extension. */
export type Exactness = "name" | "stem";

interface Named {
  fileId: string;
  name: string;
  excerpt: string;
}

export class NameIndex {
  readonly #files = new Map<string, Named>();
  /** Folded names, and names without their extension, to file ids. */
  readonly #byName = new Map<string, Set<string>>();
  readonly #words = new MiniSearch<Named>({
    idField: "fileId",
    fields: ["name", "excerpt"],
    tokenize: (text, field) => (field === "name" ? nameWords(text) : queryWordsOfText(text)),
    processTerm: (term) => term,
  });

  set(fileId: string, name: string, excerpt: string): void {
    const known = this.#files.get(fileId);
    if (known?.name === name && known.excerpt === excerpt) return;
    this.delete(fileId);
    const named = { fileId, name, excerpt };
    this.#files.set(fileId, named);
    this.#words.add(named);
    for (const key of exactKeys(name)) {
      this.#byName.set(key, (this.#byName.get(key) ?? new Set()).add(fileId));
    }
  }

  delete(fileId: string): void {
    const known = this.#files.get(fileId);
    if (known === undefined) return;
    this.#files.delete(fileId);
    this.#words.remove(known);
    for (const key of exactKeys(known.name)) {
      const ids = this.#byName.get(key);
      ids?.delete(fileId);
      if (ids?.size === 0) this.#byName.delete(key);
    }
  }

  /** Files whose name is the query, whatever the case and diacritics. */
  exact(query: string): Map<string, Exactness> {
    const folded = fold(query).trim();
    const found = new Map<string, Exactness>();
    for (const fileId of this.#byName.get(folded) ?? []) {
      const name = this.#files.get(fileId)?.name ?? "";
      found.set(fileId, fold(name).trim() === folded ? "name" : "stem");
    }
    return found;
  }

  /** Files with most of the query's words in their names, best first. */
  byName(query: string, isWanted: (fileId: string) => boolean): WordHit[] {
    return this.#find(query, "name", MIN_NAME_COVERAGE, isWanted);
  }

  /** Files with most of the query's words in their excerpts, best first. */
  byExcerpt(query: string, isWanted: (fileId: string) => boolean): WordHit[] {
    return this.#find(query, "excerpt", MIN_WORD_COVERAGE, isWanted);
  }

  #find(
    query: string,
    field: "name" | "excerpt",
    minCoverage: number,
    isWanted: (fileId: string) => boolean,
  ): WordHit[] {
    const words = queryWords(query);
    const telling = tellingWords(words);
    if (telling.length === 0) return [];
    const last = words.at(-1);
    const found = this.#words.search(telling.join(" "), {
      fields: [field],
      tokenize: () => [...telling],
      // The last word may not be typed to its end; a beginning of one letter says too little of any other.
      prefix: (word) => field === "name" && (word === last || word.length > 2),
      fuzzy: (word) => (field === "name" ? typosOf(word) : 0),
      weights: { prefix: 0.7, fuzzy: TYPO_WEIGHT },
      filter: (result) => isWanted(result.id),
    });
    return found
      .map((result) => ({ fileId: result.id as string, result, coverage: coverageOf(result, telling) }))
      .filter(({ coverage }) => coverage >= minCoverage)
      .sort((a, b) => b.result.score * b.coverage ** 2 - a.result.score * a.coverage ** 2)
      .map(({ fileId, coverage }) => ({ fileId, coverage }));
  }
}

function coverageOf(result: SearchResult, words: readonly string[]): number {
  return new Set(result.queryTerms).size / words.length;
}

/** Mistakes that a word may have: none where it is so short that it would become any other. */
function typosOf(word: string): number {
  if (/\p{N}/u.test(word) || word.length < MIN_TYPO_CHARS) return 0;
  return word.length < SECOND_TYPO_CHARS ? 1 : 2;
}

function queryWordsOfText(text: string): string[] {
  return nameWords(text);
}

function exactKeys(name: string): Set<string> {
  const folded = fold(name).trim();
  return new Set([folded, folded.replace(/\.[^.]*$/, "").trim()]);
}
