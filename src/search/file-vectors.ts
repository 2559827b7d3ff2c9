/**
 * Vectors of files in an index of their own, as they are kept: put, brought up to date, deleted. Opened by meaning, kept by the
 * indexer; calls Vx. What a record holds stands in file-records; nearest-files asks.
 */
import type { Vx } from "../vx/vx.ts";
import {
  type EmbeddedFile,
  factsOf,
  fileOfRow,
  type IndexedFile,
  indexedFile,
  metadataOf,
  placeOf,
  recordId,
  recordIds,
  type StoredRow,
} from "./file-records.ts";
import type { KnownFile } from "./known-file.ts";

const LIST_PAGE = 1000;

export class FileVectors {
  readonly #vx: Vx;
  readonly #files = new Map<string, IndexedFile>();
  #lastNumber = 0;
  #version = 0;

  private constructor(vx: Vx) {
    this.#vx = vx;
  }

  /** Reads what the index holds. @throws VxError as Vx.ready */
  static async load(vx: Vx, signal: AbortSignal): Promise<FileVectors> {
    const vectors = new FileVectors(vx);
    const rows = new Map<number, StoredRow>();
    for (let offset = 0, total = 1; offset < total; offset += LIST_PAGE) {
      signal.throwIfAborted();
      const page = await vx.list(offset, LIST_PAGE);
      total = page.total;
      for (const { id, metadata } of page.records) rows.set(Number(id), metadata as unknown as StoredRow);
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

  /** Grows with every vector that came, changed or went. */
  get version(): number {
    return this.#version;
  }

  /** All files or none. @throws VxError `storage_full`, `unavailable` */
  async put(files: readonly EmbeddedFile[]): Promise<void> {
    const ids: number[] = [];
    const vectors: Float32Array[] = [];
    const metadata: Record<string, unknown>[] = [];
    const stored: [string, IndexedFile][] = [];
    for (const embedded of files) {
      const { file, passages, source, excerpt, words } = embedded;
      const number = this.#files.get(file.fileId)?.number ?? ++this.#lastNumber;
      const dimension = embedded.vectors.length / passages.length;
      for (const passage of passages.keys()) {
        ids.push(recordId(number, passage));
        vectors.push(embedded.vectors.subarray(passage * dimension, (passage + 1) * dimension));
        metadata.push(metadataOf(embedded, passage));
      }
      const offeredExcerpt = source === "excerpt" ? file.offeredExcerpt : "";
      const passageCount = passages.length;
      stored.push([
        file.fileId,
        indexedFile(file, { number, passageCount, source, excerpt, words, offeredExcerpt }),
      ]);
    }
    await this.#vx.batchAdd(ids, vectors, metadata);
    this.#version += 1;
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
    const records = await Promise.all(recordIds(known).map((id) => this.#vx.get(id)));
    const present = records.flatMap((record) => record ?? []);
    await this.#vx.batchAdd(
      present.map(({ id }) => id),
      present.map(({ vector }) => vector),
      present.map(({ metadata }) => ({ ...metadata, ...factsOf(file) })),
    );
    this.#files.set(file.fileId, indexedFile(file, known));
  }

  /** @throws as put */
  async delete(fileId: string): Promise<void> {
    const known = this.#files.get(fileId);
    if (known === undefined) return;
    // From the last, so that what a crash leaves is still a file with its name.
    await this.#deleteRecords(known.number, 0, known.passageCount);
    this.#files.delete(fileId);
    this.#version += 1;
  }

  async #takeOver(rows: Map<number, StoredRow>): Promise<void> {
    for (const [id, row] of rows) {
      const { number, passage } = placeOf(id);
      this.#lastNumber = Math.max(this.#lastNumber, number);
      if (passage === 0 && !this.#files.has(row.file_id)) {
        this.#files.set(row.file_id, fileOfRow(row, number));
      }
    }
    for (const [id, row] of rows) {
      const file = this.#files.get(row.file_id);
      const { number, passage } = placeOf(id);
      const isLeftOver = file?.number !== number || passage >= file.passageCount;
      if (isLeftOver) await this.#vx.delete(id);
    }
  }

  async #deleteRecords(number: number, from: number, to: number): Promise<void> {
    for (let passage = to - 1; passage >= from; passage--) {
      await this.#vx.delete(recordId(number, passage));
    }
  }
}
