/**
 * One file of an index in IndexedDB, as the pieces it was written in. Used by idb-index-storage, whose header tells how the
 * stores are laid out.
 */
import type { DBSchema, IDBPDatabase } from "idb";
import { VxError } from "../../vx/errors.ts";
import { joinedBytes } from "../../vx/joined-bytes.ts";
import { MAX_PIECE_BYTES } from "../limits.ts";

export interface StoredFacts {
  folder: string;
  /** Folder and name; left out until the file is committed. */
  place?: [folder: string, name: string];
  sizeBytes: number;
  writtenAt: Date;
}

export interface IndexSchema extends DBSchema {
  files: {
    key: number;
    value: StoredFacts;
    indexes: { byPlace: [string, string]; byFolder: string };
  };
  pieces: { key: [file: number, offset: number]; value: Uint8Array };
}

export type IndexDb = IDBPDatabase<IndexSchema>;

export function piecesOf(key: number, fromOffset = 0): IDBKeyRange {
  return IDBKeyRange.bound([key, fromOffset], [key, Number.POSITIVE_INFINITY]);
}

export class PieceFile {
  readonly #db: IndexDb;
  readonly #key: number;
  #sizeBytes: number;

  constructor(db: IndexDb, key: number, sizeBytes: number) {
    this.#db = db;
    this.#key = key;
    this.#sizeBytes = sizeBytes;
  }

  get sizeBytes(): number {
    return this.#sizeBytes;
  }

  /** Durable when it settles: Chromium keeps a large value in a file of its own, which no later transaction makes durable. */
  async append(bytes: Uint8Array): Promise<void> {
    const sizeBytes = this.#sizeBytes + bytes.byteLength;
    const transaction = this.#db.transaction(["files", "pieces"], "readwrite", { durability: "strict" });
    const pieces = transaction.objectStore("pieces");
    const puts: Promise<unknown>[] = [];
    for (let start = 0; start < bytes.byteLength; start += MAX_PIECE_BYTES) {
      // A copy, for a view would take its whole buffer along.
      const piece = bytes.slice(start, start + MAX_PIECE_BYTES);
      puts.push(pieces.put(piece, [this.#key, this.#sizeBytes + start]));
    }
    await Promise.all([
      ...puts,
      this.#noteSize(transaction.objectStore("files"), sizeBytes),
      transaction.done,
    ]);
    this.#sizeBytes = sizeBytes;
  }

  async truncate(sizeBytes: number): Promise<void> {
    const transaction = this.#db.transaction(["files", "pieces"], "readwrite", { durability: "strict" });
    const pieces = transaction.objectStore("pieces");
    await pieces.delete(piecesOf(this.#key, sizeBytes));
    const last = await pieces.openCursor(piecesOf(this.#key), "prev");
    const start = last?.key[1] ?? 0;
    if (last && start + last.value.byteLength > sizeBytes) {
      await last.update(last.value.slice(0, sizeBytes - start));
    }
    await this.#noteSize(transaction.objectStore("files"), sizeBytes);
    await transaction.done;
    this.#sizeBytes = sizeBytes;
  }

  /** @throws VxError `internal` where the file ends before */
  async read(name: string, offset: number, into: Uint8Array): Promise<void> {
    if (into.byteLength === 0) return;
    const end = offset + into.byteLength;
    const { store } = this.#db.transaction("pieces");
    const before = await store.openKeyCursor(IDBKeyRange.bound([this.#key, 0], [this.#key, offset]), "prev");
    const start = before?.key[1] ?? 0;
    const pieces = await store.getAll(IDBKeyRange.bound([this.#key, start], [this.#key, end], false, true));
    let at = offset;
    let pieceStart = start;
    for (const piece of pieces) {
      const from = at - pieceStart;
      const part = piece.subarray(from, from + end - at);
      into.set(part, at - offset);
      at += part.byteLength;
      pieceStart += piece.byteLength;
    }
    if (at === end) return;
    throw new VxError("internal", `${name} ends at byte ${at}, before it was expected to`);
  }

  async #noteSize(files: FilesStore, sizeBytes: number): Promise<void> {
    const facts = await files.get(this.#key);
    if (facts !== undefined) await files.put({ ...facts, sizeBytes }, this.#key);
  }
}

/** A file to come: small writes go together, for each transaction waits for those of all other files. */
export class NewPieceFile {
  readonly #file: PieceFile;
  #waiting: Uint8Array[] = [];
  #waitingBytes = 0;

  constructor(db: IndexDb, key: number) {
    this.#file = new PieceFile(db, key, 0);
  }

  async write(bytes: Uint8Array): Promise<void> {
    this.#waiting.push(bytes.slice());
    this.#waitingBytes += bytes.byteLength;
    if (this.#waitingBytes >= MAX_PIECE_BYTES) await this.#flush();
  }

  /** Writes what is left, and gives the size of the file. */
  async end(): Promise<number> {
    if (this.#waitingBytes > 0) await this.#flush();
    return this.#file.sizeBytes;
  }

  async #flush(): Promise<void> {
    const bytes = joinedBytes(this.#waiting);
    this.#waiting = [];
    this.#waitingBytes = 0;
    await this.#file.append(bytes);
  }
}

interface FilesStore {
  get(key: number): Promise<StoredFacts | undefined>;
  put(facts: StoredFacts, key: number): Promise<unknown>;
}
