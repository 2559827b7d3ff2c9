/**
 * Files found by name and by what they are about. Made by the two mains, called by the API: joins the index of names with
 * search by meaning, which may be switched off, loading or out of order; names are always there.
 */
import { SharingError } from "../sharing/errors.ts";
import { Directory } from "./directory.ts";
import type { FileMap } from "./file-map.ts";
import { type FusedHit, fuse, type HitReason } from "./fusion.ts";
import { isIn, type KnownFile, type Scope } from "./known-file.ts";
import { DEFAULT_HITS, MAX_RANKED } from "./limits.ts";
import { Meaning, type MeaningState } from "./meaning.ts";
import type { NearFile } from "./nearest-files.ts";
import type { SearchPorts } from "./ports.ts";
import { joinWords } from "./word-ranking.ts";

export interface SearchQuery {
  text: string;
  scope: Scope;
  /** Most hits. */
  limit?: number | undefined;
  /** SQL over the fields of the files, see filter-fields. */
  filter?: string | undefined;
}

export interface SearchHit {
  file: KnownFile;
  /** 0 to 1, only for comparing hits of one search. */
  score: number;
  why: HitReason[];
  /** What it holds that is nearest, or its beginning; empty where nothing is known of its content. */
  excerpt: string;
}

export interface SearchAnswer {
  hits: SearchHit[];
  /** Hits there are, whatever the limit, as far as rankings were looked at. */
  total: number;
  /** `name`: meaning was not to be had. */
  rankedBy: "meaning" | "name";
}

export interface SearchStatus {
  /** `off`: switched off, or a host without a model. */
  state: MeaningState | "off";
  model: string | undefined;
  /** Files found by meaning, and those that still have to be read. */
  indexed: number;
  pending: number;
  problem: string | undefined;
}

export interface FileSearch {
  /** @throws VxError `invalid_query` (the filter), SharingError `wrong_state` (a filter while there is no index) */
  search(query: SearchQuery, signal: AbortSignal): Promise<SearchAnswer>;
  /** Files like one that is here or offered. @throws SharingError `file_not_found` */
  similar(fileId: string, scope: Scope, limit?: number): Promise<SearchAnswer>;
  /** Where files lie by what they are about. @throws SharingError `wrong_state` (while there is no index) */
  map(scope: Scope): Promise<FileMap>;
  /** Ids of the files that the filter is true for. @throws as search */
  matching(filter: string, scope: Scope): Promise<Set<string>>;
  status(): SearchStatus;
  close(): Promise<void>;
}

export function openFileSearch(ports: SearchPorts): FileSearch {
  const directory: Directory = new Directory(ports, () => meaning?.changed());
  const meaning = ports.meaning && new Meaning(ports, ports.meaning, directory);

  /** Hits as they are shown, those of files that went meanwhile left out. */
  function answerOf(
    fused: readonly FusedHit[],
    near: readonly NearFile[] | undefined,
    limit: number,
  ): SearchAnswer {
    const snippets = new Map(near?.map(({ fileId, snippet }) => [fileId, snippet]));
    const hits = fused.slice(0, limit).flatMap(({ fileId, score, why }) => {
      const file = directory.get(fileId);
      const excerpt = snippets.get(fileId) || directory.excerpt(fileId);
      return file === undefined ? [] : [{ file, score, why, excerpt }];
    });
    return { hits, total: fused.length, rankedBy: near === undefined ? "name" : "meaning" };
  }

  function isWanted(scope: Scope): (fileId: string) => boolean {
    return (fileId) => {
      const file = directory.get(fileId);
      return file !== undefined && isIn(scope, file);
    };
  }

  function noIndexFor(what: string): SharingError {
    const why = meaning === undefined ? "is switched off" : "is not ready";
    return new SharingError("wrong_state", `${what} the index of files, which ${why}`);
  }

  return {
    async search({ text, scope, limit = DEFAULT_HITS, filter }, signal) {
      directory.refresh();
      const wanted = isWanted(scope);
      if (filter !== undefined) await meaning?.checkFilter(filter);
      const near = await meaning?.nearest(text, scope, limit, { filter, signal });
      const exact = directory.names.exact(text);
      const name = directory.names.byName(text, wanted);
      const fullyNamed = new Set(name.filter(({ coverage }) => coverage === 1).map(({ fileId }) => fileId));
      const texts = directory.texts.find(text, (fileId) => wanted(fileId) && !fullyNamed.has(fileId));
      const words = joinWords(directory.names.byExcerpt(text, wanted), texts, near);
      const quoted = directory.names.quoted(text, wanted);
      const named = new Set([
        ...exact.keys(),
        ...quoted.keys(),
        ...[...name, ...words].map(({ fileId }) => fileId),
      ]);
      const matching = filter === undefined ? undefined : await meaning?.matching(filter, [...named]);
      if (filter !== undefined && matching === undefined) throw noIndexFor("Filters need");
      const isMatch = (fileId: string) => matching?.has(fileId) ?? true;
      const fused = fuse({
        exact: new Map([...exact].filter(([fileId]) => wanted(fileId) && isMatch(fileId))),
        quoted: new Map([...quoted].filter(([fileId]) => isMatch(fileId))),
        name: name.filter(({ fileId }) => isMatch(fileId)).slice(0, MAX_RANKED),
        words: words.filter(({ fileId }) => isMatch(fileId)).slice(0, MAX_RANKED),
        meaning: (near ?? [])
          .filter(({ fileId }) => wanted(fileId))
          .map(({ fileId }) => ({ fileId, coverage: 1 })),
      });
      return answerOf(fused, near, limit);
    },

    async similar(fileId, scope, limit = DEFAULT_HITS) {
      directory.refresh();
      const file = directory.get(fileId);
      if (file === undefined) throw new SharingError("file_not_found", "File not found");
      const wanted = isWanted(scope);
      const near = await meaning?.similar(fileId, scope, limit);
      if (near !== undefined) {
        const fused = near
          .filter((other) => wanted(other.fileId))
          .map(({ fileId: id, similarity }) => ({
            fileId: id,
            score: similarity,
            why: ["content" as const],
          }));
        return answerOf(fused, near, limit);
      }
      const others = (id: string) => id !== fileId && wanted(id);
      const name = directory.names.byName(file.name, others).slice(0, MAX_RANKED);
      const fused = fuse({ exact: new Map(), quoted: new Map(), name, words: [], meaning: [] });
      return answerOf(fused, undefined, limit);
    },

    async map(scope) {
      directory.refresh();
      const map = await meaning?.map(scope);
      if (map === undefined) throw noIndexFor("A map needs");
      return map;
    },

    async matching(filter, scope) {
      directory.refresh();
      await meaning?.checkFilter(filter);
      const found = await meaning?.allMatching(filter, scope);
      if (found === undefined) throw noIndexFor("Filters need");
      return found;
    },

    status() {
      directory.refresh();
      const counts = meaning?.counts() ?? { indexed: 0, pending: 0 };
      return {
        state: meaning?.state ?? "off",
        model: meaning?.modelId,
        problem: meaning?.problem,
        ...counts,
      };
    },

    async close() {
      directory.close();
      await meaning?.close();
    },
  };
}
