/**
 * Files by their vectors: those nearest to a query or to another file, and those that a filter is true for. Made by meaning
 * beside file-vectors, which keeps the records; calls Vx.
 */
import { MAX_K } from "../vx/limits.ts";
import type { SearchResult } from "../vx/results.ts";
import type { Vx } from "../vx/vx.ts";
import { recordIds, type StoredRow } from "./file-records.ts";
import type { FileVectors } from "./file-vectors.ts";
import { checkFields } from "./filter-fields.ts";
import type { Scope } from "./known-file.ts";
import { MAX_NAMED, MIN_PASSAGES_ASKED, PASSAGES_A_HIT } from "./limits.ts";
import { floorOf, type Noise } from "./noise.ts";
import { withVectors } from "./read-vectors.ts";

/** A file by its nearest passage. */
export interface NearFile {
  fileId: string;
  /** Cosine, -1..1. */
  similarity: number;
  /** The passage's beginning; empty where it is the first. */
  snippet: string;
}

export class NearestFiles {
  readonly #vx: Vx;
  readonly #vectors: FileVectors;

  constructor(vx: Vx, vectors: FileVectors) {
    this.#vx = vx;
    this.#vectors = vectors;
  }

  /** Files nearest first, those that are no nearer than noise left out. @throws VxError `invalid_query` (the filter) */
  async to(
    vector: Float32Array,
    scope: Scope,
    wanted: number,
    { noise, filter }: { noise: Noise; filter?: string | undefined },
  ): Promise<NearFile[]> {
    const narrowing = [scopeFilter(scope), filter && termOf(filter)].filter(Boolean).join(" AND ");
    const k = passagesAsked(wanted);
    const results =
      narrowing === ""
        ? await this.#vx.search(vector, k)
        : await this.#vx.searchWithFilter(vector, k, narrowing);
    const floor = floorOf(vector, noise);
    return byFile(await this.#telling(results.filter(nearerThan(floor)), noise));
  }

  /** Files with passages like those of the file, nearest first; undefined where it is not in the index. */
  async like(
    fileId: string,
    scope: Scope,
    wanted: number,
    { noise }: { noise: Noise },
  ): Promise<NearFile[] | undefined> {
    const known = this.#vectors.get(fileId);
    if (known === undefined) return undefined;
    const records = await Promise.all(recordIds(known).map((id) => this.#vx.get(id)));
    const centre = centreOf(records.flatMap((record) => record?.vector ?? []));
    if (centre === undefined) return undefined;
    const near = await this.to(centre, scope, wanted + 1, { noise });
    return near.filter((other) => other.fileId !== fileId);
  }

  /** Which of the files the filter is true for. @throws VxError `invalid_query` */
  async matching(filter: string, fileIds: readonly string[]): Promise<Set<string>> {
    if (fileIds.length === 0) return new Set();
    if (fileIds.length > MAX_NAMED) {
      const all = await this.allMatching(filter, "all");
      return new Set(fileIds.filter((fileId) => all.has(fileId)));
    }
    const wanted = fileIds.map((fileId) => `'${fileId.replaceAll("'", "''")}'`);
    return this.#select(`file_id IN (${wanted}) AND ${termOf(filter)}`);
  }

  /** All files in the scope that the filter is true for. @throws VxError `invalid_query` */
  async allMatching(filter: string, scope: Scope): Promise<Set<string>> {
    return this.#select([scopeFilter(scope), termOf(filter)].filter(Boolean).join(" AND "));
  }

  /** @throws VxError `invalid_query` unless the filter is one expression over the fields of files */
  async checkFilter(filter: string, dimension: number): Promise<void> {
    checkFields(filter);
    await this.#vx.searchWithFilter(new Float32Array(dimension).fill(1), 1, filter);
  }

  /** Without passages that are as near to gibberish. */
  async #telling(results: readonly SearchResult[], noise: Noise): Promise<SearchResult[]> {
    const telling: SearchResult[] = [];
    for await (const [result, vector] of withVectors(this.#vx, results))
      if (nearerThan(floorOf(vector, noise))(result)) telling.push(result);
    return telling;
  }

  /** A query gives so many rows, and the next one those after them. */
  async #select(condition: string): Promise<Set<string>> {
    const found = new Set<string>();
    // Fields go with the last record that has them, and queries, unlike filters, refuse names that no record has.
    if ((await this.#vx.list(0, 1)).total === 0) return found;
    for (let last = -1; ; ) {
      const rows = await this.#vx.queryMetadata(
        `SELECT id, file_id FROM metadata WHERE passage = 0 AND id > ${last} AND ${condition} ORDER BY id`,
      );
      for (const row of rows) found.add(String(row.file_id));
      if (!rows.truncated) return found;
      last = Number(rows.at(-1)?.id);
    }
  }
}

function scopeFilter(scope: Scope): string {
  return { local: "local", network: "network", all: "" }[scope];
}

/** A filter that was checked, as one term of a longer one, where the WHERE that may lead it has no place. */
function termOf(filter: string): string {
  return `(${filter.replace(/^\s*where(?![\w$\u0080-\uffff])/i, "")})`;
}

function nearerThan(floor: number): (result: SearchResult) => boolean {
  return ({ distance }) => 1 - distance > floor;
}

function passagesAsked(files: number): number {
  return Math.min(MAX_K, Math.max(MIN_PASSAGES_ASKED, files * PASSAGES_A_HIT));
}

/** Each file by its nearest passage; results come nearest first. */
function byFile(results: readonly SearchResult[]): NearFile[] {
  const files = new Map<string, NearFile>();
  for (const { distance, metadata } of results) {
    const { file_id: fileId, passage, text } = metadata as unknown as StoredRow;
    if (files.has(fileId)) continue;
    files.set(fileId, { fileId, similarity: 1 - distance, snippet: passage === 0 ? "" : text });
  }
  return [...files.values()];
}

/** The direction of all together, at unit length as each of them is: a longer one would be nearer to noise. */
function centreOf(vectors: readonly Float32Array[]): Float32Array | undefined {
  const [first] = vectors;
  if (first === undefined) return undefined;
  const sum = new Float32Array(first.length);
  for (const vector of vectors) for (const [i, value] of vector.entries()) sum[i] = (sum[i] ?? 0) + value;
  const length = Math.hypot(...sum);
  return length > 0 ? sum.map((value) => value / length) : first;
}
