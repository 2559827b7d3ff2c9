/**
 * Brings the index of files into step with the directory, in the background: reads texts, embeds passages, stores vectors, a
 * batch after the other. Run by meaning; what it has done is in the index, so that a restart goes on where it stopped.
 */
import { isSharingError } from "../sharing/errors.ts";
import type { Directory } from "./directory.ts";
import type { Embedder } from "./embedding/embedder.ts";
import type { EmbeddedFile, FileVectors, Source } from "./file-vectors.ts";
import type { KnownFile } from "./known-file.ts";
import {
  BUSY_BYTES_PER_SECOND,
  BUSY_REST_FACTOR,
  GONE_AFTER_MS,
  HOLDERS_EVERY_MS,
  MAX_INDEXED_FILES,
  MAX_REST_MS,
  MAX_RESTATED,
  TEXTS_A_BATCH,
} from "./limits.ts";
import { excerptOf, passagesOf } from "./passages.ts";
import type { MeaningPorts, SearchPorts } from "./ports.ts";
import { bytesToRead } from "./texts/read-text.ts";
import type { TextReader } from "./texts/text-reader.ts";

export interface IndexerParts extends Pick<SearchPorts, "node" | "swarm" | "clock" | "log"> {
  directory: Directory;
  vectors: FileVectors;
  embedder: Embedder;
  texts: TextReader;
  traffic: MeaningPorts["traffic"];
  tellsExcerpts: boolean;
}

interface Work {
  /** Files to be read and embedded. */
  embed: KnownFile[];
  /** Files of which only facts changed. */
  restate: KnownFile[];
  /** Ids of files that can't be found any more. */
  delete: string[];
}

/** A file with the text that stands for it. */
interface ReadFile {
  file: KnownFile;
  source: Source;
  text: string;
}

export class Indexer {
  readonly #parts: IndexerParts;
  /** Since when files of the index have been gone, by id; kept in the order of going. */
  readonly #gone = new Map<string, number>();
  /** Files whose bytes could not be had; the next start tries again. */
  readonly #unread = new Set<string>();
  #nextHoldersMs = 0;
  /** Of the directory, at the last look. */
  #seenVersion: number | undefined;
  #pendingCount = 0;

  constructor(parts: IndexerParts) {
    this.#parts = parts;
    this.#nextHoldersMs = parts.clock.monotonic() + HOLDERS_EVERY_MS;
    // Those that were gone when the node stopped have their time from now on.
    for (const [fileId, { excerpt }] of parts.vectors.entries()) {
      parts.directory.setExcerpt(fileId, excerpt);
    }
  }

  /** Files that still have to be read and embedded. */
  get pendingCount(): number {
    return this.#pendingCount;
  }

  /** Does all there is to do now. @throws what embedding and the index throw; the signal's reason */
  async catchUp(signal: AbortSignal): Promise<void> {
    const { directory, vectors, clock } = this.#parts;
    directory.refresh();
    if (directory.version === this.#seenVersion && clock.monotonic() < this.nextLookMs) return;
    this.#seenVersion = directory.version;
    const work = this.#findWork();
    for (const fileId of work.delete) {
      signal.throwIfAborted();
      await vectors.delete(fileId);
      this.#gone.delete(fileId);
    }
    for (const file of work.restate) {
      signal.throwIfAborted();
      await vectors.restate(file);
    }
    await this.#embedAll(work.embed, signal);
  }

  /** When there may be something to do although nothing has changed. */
  get nextLookMs(): number {
    const [firstGoneMs] = this.#gone.values();
    return firstGoneMs === undefined
      ? this.#nextHoldersMs
      : Math.min(this.#nextHoldersMs, firstGoneMs + GONE_AFTER_MS);
  }

  #findWork(): Work {
    const { directory, vectors, clock } = this.#parts;
    const nowMs = clock.monotonic();
    const work: Work = { embed: [], restate: [], delete: [] };
    const files = directory.all();
    const staleCounts: KnownFile[] = [];
    let room = MAX_INDEXED_FILES - vectors.fileCount;
    for (const file of files) {
      this.#gone.delete(file.fileId);
      const need = this.#needOf(file);
      if (need === "embed" && (vectors.get(file.fileId) !== undefined || room-- > 0)) work.embed.push(file);
      else if (need === "restate") work.restate.push(file);
      else if (need === "count") staleCounts.push(file);
    }
    for (const [fileId] of vectors.entries()) {
      if (directory.get(fileId) !== undefined) continue;
      const sinceMs = this.#gone.get(fileId) ?? nowMs;
      this.#gone.set(fileId, sinceMs);
      if (nowMs - sinceMs >= GONE_AFTER_MS) work.delete.push(fileId);
    }
    if (nowMs >= this.#nextHoldersMs) {
      this.#nextHoldersMs = nowMs + HOLDERS_EVERY_MS;
      work.restate.push(...staleCounts.slice(0, MAX_RESTATED));
    }
    return work;
  }

  /** `count`: nothing but the number of its holders is another. */
  #needOf(file: KnownFile): "embed" | "restate" | "count" | "nothing" {
    const known = this.#parts.vectors.get(file.fileId);
    if (known === undefined || known.name !== file.name) return "embed";
    const isUnread = file.isComplete && hasText(file) && !this.#unread.has(file.fileId);
    if (isUnread && known.source !== "content") return "embed";
    if (known.source !== "content" && !file.isComplete && known.offeredExcerpt !== file.offeredExcerpt)
      return "embed";
    const isSame =
      known.isLocal === file.isLocal &&
      known.isComplete === file.isComplete &&
      known.isOffered === file.holders.length > 0;
    if (!isSame) return "restate";
    return known.holderCount === file.holders.length ? "nothing" : "count";
  }

  async #embedAll(files: readonly KnownFile[], signal: AbortSignal): Promise<void> {
    const { directory } = this.#parts;
    let batch: (ReadFile & { passages: string[] })[] = [];
    let textCount = 0;
    this.#pendingCount = files.length;
    try {
      for (const [i, { fileId }] of files.entries()) {
        signal.throwIfAborted();
        // Between the look and now it may have gone or become complete.
        const file = directory.get(fileId);
        if (file !== undefined) {
          const read = await this.#readFile(file, signal);
          const passages = passagesOf(file.name, read.text);
          batch.push({ ...read, passages });
          textCount += passages.length;
        }
        if (batch.length > 0 && (textCount >= TEXTS_A_BATCH || i === files.length - 1)) {
          await this.#store(batch, signal);
          this.#pendingCount -= batch.length;
          batch = [];
          textCount = 0;
        }
      }
    } finally {
      this.#pendingCount = 0;
    }
  }

  async #store(batch: readonly (ReadFile & { passages: string[] })[], signal: AbortSignal): Promise<void> {
    const { embedder, vectors, directory } = this.#parts;
    const texts = batch.flatMap(({ passages }) => passages);
    const all = await embedder.embed(texts, signal);
    let at = 0;
    const embedded = batch.map(({ file, source, text, passages }): EmbeddedFile => {
      const from = at;
      at += passages.length * embedder.dimension;
      return { file, source, passages, excerpt: excerptOf(text), vectors: all.subarray(from, at) };
    });
    await vectors.put(embedded);
    for (const { file, source, excerpt } of embedded) {
      directory.setExcerpt(file.fileId, excerpt);
      if (source === "content") this.#tell(file, excerpt);
    }
  }

  /** Others may find files here by what they are about; those that were read before are told of at the start. */
  tellAll(): void {
    const { directory, vectors } = this.#parts;
    for (const file of directory.all()) {
      const known = vectors.get(file.fileId);
      if (known?.source === "content") this.#tell(file, known.excerpt);
    }
  }

  #tell(file: KnownFile, excerpt: string): void {
    if (this.#parts.tellsExcerpts && file.isLocal) this.#parts.swarm.describe(file.fileId, excerpt);
  }

  async #readFile(file: KnownFile, signal: AbortSignal): Promise<ReadFile> {
    if (file.isComplete && hasText(file)) {
      const { clock } = this.#parts;
      const startMs = clock.monotonic();
      const text = await this.#readContent(file, signal);
      await this.#rest(clock.monotonic() - startMs, signal);
      if (text !== undefined) return { file, source: "content", text };
      this.#unread.add(file.fileId);
    }
    const text = file.offeredExcerpt;
    return { file, source: text === "" ? "name" : "excerpt", text };
  }

  /** Empty where the document can't be read, undefined where its bytes can't be had: the file is found by its name. */
  async #readContent(
    { fileId, name, sizeBytes }: KnownFile,
    signal: AbortSignal,
  ): Promise<string | undefined> {
    const { node, texts, log } = this.#parts;
    try {
      const bytes = new Uint8Array(bytesToRead(name, sizeBytes));
      let at = 0;
      for await (const piece of node.read(fileId, { start: 0, end: bytes.byteLength }, signal)) {
        bytes.set(piece, at);
        at += piece.byteLength;
      }
      const document = await texts.read(name, bytes, signal);
      if ("text" in document) return document.text;
      log.debug("a document can't be read", { fileId, name, reason: document.unreadable });
      return "";
    } catch (error) {
      signal.throwIfAborted();
      // Deleted or lost meanwhile, or the disk fails: other files must not wait for it.
      if (!isSharingError(error, "file_not_found", "stopped")) {
        log.warn("a file could not be read for search", { fileId, name, error });
      }
      return undefined;
    }
  }

  /** While files go to or come from peers, reading takes a small part of the time. */
  async #rest(workedMs: number, signal: AbortSignal): Promise<void> {
    const { uploadBytesPerSecond, downloadBytesPerSecond } = this.#parts.traffic();
    if (uploadBytesPerSecond + downloadBytesPerSecond < BUSY_BYTES_PER_SECOND) return;
    await this.#parts.clock.sleep(Math.min(workedMs * BUSY_REST_FACTOR, MAX_REST_MS), signal);
  }
}

function hasText({ name, sizeBytes }: KnownFile): boolean {
  return bytesToRead(name, sizeBytes) > 0;
}
