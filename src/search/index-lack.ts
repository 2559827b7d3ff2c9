/**
 * What the index of files lacks: where it differs from the directory, files to be embedded, restated and deleted. Made and
 * asked by the indexer, each time anew, so that there is no queue to lose.
 */
import type { Clock } from "../sharing/ports.ts";
import type { Directory } from "./directory.ts";
import type { FileVectors } from "./file-vectors.ts";
import type { KnownFile } from "./known-file.ts";
import { GONE_AFTER_MS, HOLDERS_EVERY_MS, MAX_INDEXED_FILES, MAX_RESTATED } from "./limits.ts";

export interface Lack {
  /** Files to be read and embedded. */
  embed: KnownFile[];
  /** Files of which only facts changed. */
  restate: KnownFile[];
  /** Ids of files that can't be found any more. */
  delete: string[];
}

interface IndexLackParts {
  directory: Pick<Directory, "version" | "all" | "get">;
  vectors: Pick<FileVectors, "fileCount" | "entries" | "get">;
  clock: Clock;
  /** Whether its content could still be read. */
  isUnread(file: KnownFile): boolean;
}

export class IndexLack {
  readonly #parts: IndexLackParts;
  /** Since when files of the index have been gone, by id; kept in the order of going. */
  readonly #gone = new Map<string, number>();
  #nextHoldersMs: number;
  /** Of the directory, at the last look. */
  #seenVersion: number | undefined;

  /** Files that were gone when the node stopped have their time from now on. */
  constructor(parts: IndexLackParts) {
    this.#parts = parts;
    this.#nextHoldersMs = parts.clock.monotonic() + HOLDERS_EVERY_MS;
  }

  /** When there may be something although nothing has changed. */
  get nextLookMs(): number {
    const [firstGoneMs] = this.#gone.values();
    return firstGoneMs === undefined
      ? this.#nextHoldersMs
      : Math.min(this.#nextHoldersMs, firstGoneMs + GONE_AFTER_MS);
  }

  /** Whether files came, changed or went since the last look. */
  get isOutdated(): boolean {
    return this.#parts.directory.version !== this.#seenVersion;
  }

  /** Undefined where nothing can have changed since the last look. */
  look(): Lack | undefined {
    const { directory, vectors, clock } = this.#parts;
    const nowMs = clock.monotonic();
    if (!this.isOutdated && nowMs < this.nextLookMs) return undefined;
    this.#seenVersion = directory.version;
    const lack: Lack = { embed: [], restate: [], delete: [] };
    const staleCounts: KnownFile[] = [];
    const hasRoom = this.#room();
    for (const file of directory.all()) {
      this.#gone.delete(file.fileId);
      const need = this.#needOf(file);
      if (need === "embed" && hasRoom(file)) lack.embed.push(file);
      else if (need === "restate") lack.restate.push(file);
      else if (need === "count") staleCounts.push(file);
    }
    for (const [fileId] of vectors.entries()) {
      if (directory.get(fileId) !== undefined) continue;
      const sinceMs = this.#gone.get(fileId) ?? nowMs;
      this.#gone.set(fileId, sinceMs);
      if (nowMs - sinceMs >= GONE_AFTER_MS) lack.delete.push(fileId);
    }
    if (nowMs >= this.#nextHoldersMs) {
      this.#nextHoldersMs = nowMs + HOLDERS_EVERY_MS;
      lack.restate.push(...staleCounts.slice(0, MAX_RESTATED));
    }
    return lack;
  }

  /** Files that are to be read and embedded at this moment. Looks at all that are known. */
  embedCount(): number {
    const hasRoom = this.#room();
    return this.#parts.directory.all().filter((file) => this.#needOf(file) === "embed" && hasRoom(file))
      .length;
  }

  /** The file is no longer in the index. */
  deleted(fileId: string): void {
    this.#gone.delete(fileId);
  }

  /** Gives what is asked of one file after the other: whether the index can take it beside those before. */
  #room(): (file: KnownFile) => boolean {
    const { vectors } = this.#parts;
    let room = MAX_INDEXED_FILES - vectors.fileCount;
    return ({ fileId }) => vectors.get(fileId) !== undefined || room-- > 0;
  }

  /** `count`: nothing but the number of its holders is another. */
  #needOf(file: KnownFile): "embed" | "restate" | "count" | "nothing" {
    const known = this.#parts.vectors.get(file.fileId);
    if (known === undefined || known.name !== file.name) return "embed";
    if (known.source !== "content" && this.#parts.isUnread(file)) return "embed";
    const isToldAnew = !file.isComplete && known.offeredExcerpt !== file.offeredExcerpt;
    if (known.source !== "content" && isToldAnew) return "embed";
    const isSame =
      known.isLocal === file.isLocal &&
      known.isComplete === file.isComplete &&
      known.isOffered === file.holders.length > 0;
    if (!isSame) return "restate";
    return known.holderCount === file.holders.length ? "nothing" : "count";
  }
}
