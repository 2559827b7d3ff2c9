/**
 * Files by the words of their names and of their excerpts: whole words, beginnings of words as one types them, and words
 * with a typing mistake. Kept by the directory, asked by file-search; calls MiniSearch, whose ranking is BM25+.
 */
import MiniSearch, { type SearchResult } from "minisearch";
import { fold, spoken } from "../../spelling/fold.ts";
import { hasPhrase, quotedPhrases } from "../../spelling/phrases.ts";
import {
  BEGINNING_WEIGHT,
  MIN_NAME_COVERAGE,
  MIN_PREFIX_CHARS,
  MIN_TYPO_CHARS,
  MIN_WORD_COVERAGE,
  SECOND_TYPO_CHARS,
  TYPO_WEIGHT,
} from "../limits.ts";
import { nameWords, queryWords, tellingWords } from "./words.ts";

export interface WordHit {
  fileId: string;
  /** Share of the query's telling words that were found. */
  coverage: number;
}

/** How a name equals the query: all of it, without its extension, or in its words whatever stands between them. */
export type Exactness = "name" | "stem" | "words";

interface Named {
  fileId: string;
  name: string;
  excerpt: string;
}

export class NameIndex {
  readonly #files = new Map<string, Named>();
  /** Folded names, names without their extension, and both as they are spoken, to file ids. */
  readonly #byName = new Map<string, Set<string>>();
  readonly #words = new MiniSearch<Named>({
    idField: "fileId",
    fields: ["name", "excerpt"],
    tokenize: (text) => nameWords(text),
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

  /** Files whose name is the query, whatever the case and diacritics, in quotes or not. */
  exact(query: string): Map<string, Exactness> {
    const folded = fold(query.replace(/^\s*["“„](.*)["“”]\s*$/u, "$1")).trim();
    const found = new Map<string, Exactness>();
    for (const key of new Set([folded, spoken(folded)])) {
      for (const fileId of this.#byName.get(key) ?? []) {
        const [name, stem] = literalKeys(this.#files.get(fileId)?.name ?? "");
        found.set(fileId, name === folded ? "name" : stem === folded ? "stem" : "words");
      }
    }
    return found;
  }

  /** Files with all that stands in quotes in the query as it stands there, each with whether its name has it. */
  quoted(query: string, isWanted: (fileId: string) => boolean): Map<string, boolean> {
    const phrases = quotedPhrases(query);
    const words = phrases.join(" ");
    const quoted = new Map<string, boolean>();
    for (const { fileId } of [...this.byExcerpt(words, isWanted), ...this.byName(words, isWanted)]) {
      const { name = "", excerpt = "" } = this.#files.get(fileId) ?? {};
      const isNamed = phrases.every((phrase) => hasPhrase(name, phrase));
      if (isNamed || phrases.every((phrase) => hasPhrase(`${name} ${excerpt}`, phrase)))
        quoted.set(fileId, isNamed);
    }
    return quoted;
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
      prefix: (word) =>
        field === "name" ? word === last || word.length > 2 : word.length >= MIN_PREFIX_CHARS,
      fuzzy: (word) => (field === "name" ? typosOf(word) : 0),
      weights: { prefix: 0.7, fuzzy: TYPO_WEIGHT },
      filter: (result) => isWanted(result.id),
    });
    return found
      .map((result) => ({
        fileId: result.id as string,
        result,
        coverage: coverageOf(result, telling, field),
      }))
      .filter(({ coverage }) => coverage >= minCoverage)
      .sort((a, b) => b.result.score * b.coverage ** 2 - a.result.score * a.coverage ** 2)
      .map(({ fileId, coverage }) => ({ fileId, coverage }));
  }
}

/** A word that an excerpt has only as the beginning of another counts for less: it may be another word. */
function coverageOf(result: SearchResult, words: readonly string[], field: "name" | "excerpt"): number {
  const asked = new Set(result.queryTerms);
  const whole = new Set(result.terms);
  const least = field === "name" ? 1 : BEGINNING_WEIGHT;
  const shares = words.map((word) => (asked.has(word) ? (whole.has(word) ? 1 : least) : 0));
  return shares.reduce<number>((sum, share) => sum + share, 0) / words.length;
}

/** Mistakes that a word may have: none where it is so short that it would become any other. */
function typosOf(word: string): number {
  const { length } = word.normalize("NFC");
  if (/\p{N}/u.test(word) || length < MIN_TYPO_CHARS) return 0;
  return length < SECOND_TYPO_CHARS ? 1 : 2;
}

/** Its name, and that without its extension. */
function literalKeys(name: string): [name: string, stem: string] {
  const folded = fold(name).trim();
  return [folded, folded.replace(/\.[^.]*$/, "").trim()];
}

/** No empty stem nor words, as `.bashrc` and `….txt` have: any query without letters is as empty when it is spoken. */
function exactKeys(name: string): Set<string> {
  const [whole, stem] = literalKeys(name);
  return new Set([whole, ...[stem, spoken(whole), spoken(stem)].filter((key) => key !== "")]);
}
