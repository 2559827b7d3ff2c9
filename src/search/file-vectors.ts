/**
 * Vectors of files in an index of their own. Kept by the indexer, asked by file-search; calls Vx. A stored format:
 *
 * A file has a number from 1, and its passages have the records number * 16 + passage. Metadata:
 *
 * | key        | value                                                                                             |
 * |------------|---------------------------------------------------------------------------------------------------|
 * | file_id    | CID                                                                                               |
 * | passage    | 0..15                                                                                             |
 * | passages   | how many records the file has; one at or above it is left over and goes                           |
 * | source     | `content`, `excerpt` (as its holders tell) or `name`: what was embedded beside the name            |
 * | text       | the beginning of the passage, of passage 0 that of the whole text, to be shown                    |
 * | offered    | the holders' excerpt that was embedded; only where source is `excerpt`                            |
 * | name, type, kind, size, complete, created_at, local, network, holders | for filters                            |
 */
import { MAX_K } from "../vx/limits.ts";
import type { SearchResult } from "../vx/results.ts";
import type { Vx } from "../vx/vx.ts";
import { fileTypeOf } from "./file-kind.ts";
import type { KnownFile, Scope } from "./known-file.ts";
import { MAX_RANKED, MIN_PASSAGES_ASKED, PASSAGES_A_HIT, RECORDS_A_FILE, SNIPPET_CHARS } from "./limits.ts";

/** What was embedded of a file beside its name. */
export type Source = "content" | "excerpt" | "name";

interface StoredFacts {
  source: Source;
  /** The beginning of the text. */
  excerpt: string;
  offeredExcerpt: string;
  name: string;
  isLocal: boolean;
  isComplete: boolean;
  isOffered: boolean;
  holderCount: number;
}

/** What the index holds of a file. */
export interface IndexedFile extends StoredFacts {
  number: number;
  passageCount: number;
}

/** A file to be put into the index, with the vectors of its passages, row-major [passages.length, dimension]. */
export interface EmbeddedFile {
  file: KnownFile;
  source: Source;
  excerpt: string;
  passages: readonly string[];
  vectors: Float32Array;
}

/** A file by its nearest passage. */
export interface NearFile {
  fileId: string;
  /** Cosine, -1..1. */
  similarity: number;
  /** The passage's beginning; empty where it is the first. */
  snippet: string;
}

interface Row {
  file_id: string;
  passage: number;
  passages: number;
  source: Source;
  text: string;
  offered?: string;
  name: string;
  local: boolean;
  network: boolean;
  complete: boolean;
  holders: number;
}

const LIST_PAGE = 1000;

export class FileVectors {
  readonly #vx: Vx;
  readonly #files = new Map<string, IndexedFile>();
  #lastNumber = 0;

  private constructor(vx: Vx) {
    this.#vx = vx;
  }

  /** Reads what the index holds. @throws VxError as Vx.ready */
  static async load(vx: Vx, signal: AbortSignal): Promise<FileVectors> {
    const vectors = new FileVectors(vx);
    const rows = new Map<number, Row>();
    for (let offset = 0, total = 1; offset < total; offset += LIST_PAGE) {
      signal.throwIfAborted();
      const page = await vx.list(offset, LIST_PAGE);
      total = page.total;
      for (const { id, metadata } of page.records) rows.set(Number(id), metadata as unknown as Row);
    }
    await vectors.#takeOver(rows);
    return vectors;
  }

  get(fileId: string): IndexedFile | undefined {
    return this.#files.get(fileId);
  }

  entries(): [fileId: string, file: IndexedFile][] {
    return [...this.#files];
  }

  get fileCount(): number {
    return this.#files.size;
  }

  /** All files or none. @throws VxError `storage_full`, `unavailable` */
  async put(files: readonly EmbeddedFile[]): Promise<void> {
    const ids: number[] = [];
    const vectors: Float32Array[] = [];
    const metadata: object[] = [];
    const stored: [string, IndexedFile][] = [];
    for (const embedded of files) {
      const { file, passages } = embedded;
      const number = this.#files.get(file.fileId)?.number ?? ++this.#lastNumber;
      const dimension = embedded.vectors.length / passages.length;
      for (const [passage, text] of passages.entries()) {
        ids.push(number * RECORDS_A_FILE + passage);
        vectors.push(embedded.vectors.subarray(passage * dimension, (passage + 1) * dimension));
        metadata.push({
          ...factsOf(file, embedded),
          passage,
          passages: passages.length,
          text: passage === 0 ? embedded.excerpt : text.slice(0, SNIPPET_CHARS),
        });
      }
      stored.push([file.fileId, { ...storedFacts(embedded), number, passageCount: passages.length }]);
    }
    await this.#vx.batchAdd(ids, vectors, metadata as Record<string, unknown>[]);
    for (const [fileId, file] of stored) {
      const former = this.#files.get(fileId)?.passageCount ?? 0;
      this.#files.set(fileId, file);
      await this.#deleteRecords(file.number, file.passageCount, former);
    }
  }

  /** Facts of a file changed, its texts did not. @throws as put */
  async restate(file: KnownFile): Promise<void> {
    const known = this.#files.get(file.fileId);
    if (known === undefined) return;
    const ids = Array.from({ length: known.passageCount }, (_, i) => known.number * RECORDS_A_FILE + i);
    const records = await Promise.all(ids.map((id) => this.#vx.get(id)));
    const present = records.flatMap((record) => record ?? []);
    const embedded = { file, source: known.source, excerpt: known.excerpt };
    await this.#vx.batchAdd(
      present.map(({ id }) => id),
      present.map(({ vector }) => vector),
      present.map(({ metadata }) => ({ ...metadata, ...factsOf(file, embedded) })),
    );
    const { number, passageCount, offeredExcerpt } = known;
    this.#files.set(file.fileId, { ...storedFacts(embedded), offeredExcerpt, number, passageCount });
  }

  /** @throws as put */
  async delete(fileId: string): Promise<void> {
    const known = this.#files.get(fileId);
    if (known === undefined) return;
    // From the last, so that what a crash leaves is still a file with its name.
    await this.#deleteRecords(known.number, 0, known.passageCount);
    this.#files.delete(fileId);
  }

  /** Files nearest first. @throws VxError `invalid_query` (the filter) */
  async nearest(vector: Float32Array, scope: Scope, wanted: number, filter?: string): Promise<NearFile[]> {
    const narrowing = [scopeFilter(scope), filter && `(${filter})`].filter(Boolean).join(" AND ");
    const k = passagesAsked(wanted);
    const results =
      narrowing === ""
        ? await this.#vx.search(vector, k)
        : await this.#vx.searchWithFilter(vector, k, narrowing);
    return byFile(results);
  }

  /** Files with passages like those of the file, nearest first; undefined where it is not in the index. */
  async similar(fileId: string, scope: Scope, wanted: number): Promise<NearFile[] | undefined> {
    const known = this.#files.get(fileId);
    if (known === undefined) return undefined;
    const ids = Array.from({ length: known.passageCount }, (_, i) => known.number * RECORDS_A_FILE + i);
    const records = await Promise.all(ids.map((id) => this.#vx.get(id)));
    const centre = mean(records.flatMap((record) => record?.vector ?? []));
    if (centre === undefined) return undefined;
    const near = await this.nearest(centre, scope, wanted + 1);
    return near.filter((other) => other.fileId !== fileId);
  }

  /** Which of the files the filter is true for. @throws VxError `invalid_query` */
  async matching(filter: string, fileIds: readonly string[]): Promise<Set<string>> {
    const wanted = fileIds.slice(0, MAX_RANKED).map((fileId) => `'${fileId.replaceAll("'", "''")}'`);
    if (wanted.length === 0) return new Set();
    const rows = await this.#vx.queryMetadata(
      `SELECT file_id FROM metadata WHERE passage = 0 AND file_id IN (${wanted}) AND (${filter})`,
    );
    return new Set(rows.map((row) => String(row.file_id)));
  }

  /** All files in the scope that the filter is true for, the first 10,000. @throws VxError `invalid_query` */
  async allMatching(filter: string, scope: Scope): Promise<Set<string>> {
    const narrowing = ["passage = 0", scopeFilter(scope), `(${filter})`].filter(Boolean).join(" AND ");
    const rows = await this.#vx.queryMetadata(`SELECT file_id FROM metadata WHERE ${narrowing}`);
    return new Set(rows.map((row) => String(row.file_id)));
  }

  /** @throws VxError `invalid_query` unless the filter is one expression */
  async checkFilter(filter: string, dimension: number): Promise<void> {
    await this.#vx.searchWithFilter(new Float32Array(dimension).fill(1), 1, filter);
  }

  close(): Promise<void> {
    return this.#vx.close();
  }

  async #takeOver(rows: Map<number, Row>): Promise<void> {
    for (const [id, row] of rows) {
      const number = Math.floor(id / RECORDS_A_FILE);
      this.#lastNumber = Math.max(this.#lastNumber, number);
      if (id % RECORDS_A_FILE !== 0 || this.#files.has(row.file_id)) continue;
      this.#files.set(row.file_id, {
        number,
        passageCount: row.passages,
        source: row.source,
        excerpt: row.text,
        offeredExcerpt: row.offered ?? "",
        name: row.name,
        isLocal: row.local,
        isComplete: row.complete,
        isOffered: row.network,
        holderCount: row.holders,
      });
    }
    for (const [id, row] of rows) {
      const file = this.#files.get(row.file_id);
      const passage = id % RECORDS_A_FILE;
      const isLeftOver = file?.number !== Math.floor(id / RECORDS_A_FILE) || passage >= file.passageCount;
      if (isLeftOver) await this.#vx.delete(id);
    }
  }

  async #deleteRecords(number: number, from: number, to: number): Promise<void> {
    for (let passage = to - 1; passage >= from; passage--) {
      await this.#vx.delete(number * RECORDS_A_FILE + passage);
    }
  }
}

type Embedded = Pick<EmbeddedFile, "file" | "source" | "excerpt">;

function factsOf(file: KnownFile, { source }: Omit<Embedded, "file">) {
  const { kind, mediaType } = fileTypeOf(file.name);
  return {
    file_id: file.fileId,
    source,
    ...(source === "excerpt" && { offered: file.offeredExcerpt }),
    name: file.name,
    type: mediaType,
    kind,
    size: file.sizeBytes,
    complete: file.isComplete,
    created_at: file.createdAt?.toISOString() ?? null,
    local: file.isLocal,
    network: file.holders.length > 0,
    holders: file.holders.length,
  };
}

function storedFacts({ file, source, excerpt }: Embedded): StoredFacts {
  return {
    source,
    excerpt,
    offeredExcerpt: source === "excerpt" ? file.offeredExcerpt : "",
    name: file.name,
    isLocal: file.isLocal,
    isComplete: file.isComplete,
    isOffered: file.holders.length > 0,
    holderCount: file.holders.length,
  };
}

function scopeFilter(scope: Scope): string {
  return { local: "local", network: "network", all: "" }[scope];
}

function passagesAsked(files: number): number {
  return Math.min(MAX_K, Math.max(MIN_PASSAGES_ASKED, files * PASSAGES_A_HIT));
}

/** Each file by its nearest passage; results come nearest first. */
function byFile(results: readonly SearchResult[]): NearFile[] {
  const files = new Map<string, NearFile>();
  for (const { distance, metadata } of results) {
    const { file_id: fileId, passage, text } = metadata as unknown as Row;
    if (files.has(fileId)) continue;
    files.set(fileId, { fileId, similarity: 1 - distance, snippet: passage === 0 ? "" : text });
  }
  return [...files.values()];
}

function mean(vectors: readonly Float32Array[]): Float32Array | undefined {
  const [first] = vectors;
  if (first === undefined) return undefined;
  const sum = new Float32Array(first.length);
  for (const vector of vectors) for (const [i, value] of vector.entries()) sum[i] = (sum[i] ?? 0) + value;
  return sum.some((value) => value !== 0) ? sum : first;
}
