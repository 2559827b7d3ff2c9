/**
 * An index's folder in IndexedDB, and the folders of its archives: where the origin private file system has no sync handles.
 * Opened by the index's disk in a worker; calls idb-index-storage-pieces. One database holds all folders:
 *
 * | store | key | content |
 * |---|---|---|
 * | files | number | folder, name, sizeBytes, writtenAt; a file not yet committed has no place |
 * | pieces | file's key, offset | bytes as they were written, one after another |
 *
 * A file has its place, [folder, name], in an index: to be committed is to be given one, in the transaction that takes
 * it from the former file.
 */
import type { IDBPObjectStore } from "idb";
import { VxError } from "../../vx/errors.ts";
import type {
  AppendFile,
  DatedFolder,
  FileFacts,
  IndexStorage,
  NewFile,
  StoredFile,
} from "../../vx/storage/index-storage.ts";
import { writing } from "./full-medium.ts";
import {
  type IndexDb,
  type IndexSchema,
  NewPieceFile,
  PieceFile,
  piecesOf,
  type StoredFacts,
} from "./idb-index-storage-pieces.ts";
import { openIndexDatabase } from "./index-database.ts";
import { openLocked } from "./index-lock.ts";

type StoredFiles = IDBPObjectStore<IndexSchema, ("files" | "pieces")[], "files", "readwrite">;

let database: Promise<IndexDb> | undefined;

/** Keys of files that this thread is writing. */
const beingWritten = new Set<number>();

/**
 * One connection a thread; where it could not be opened, the next call tries again. With the connection that is open
 * the thread is lost: what its engine holds may be stored no more, and whoever started it opens the index anew.
 */
function openDatabase(): Promise<IndexDb> {
  const forget = () => {
    database = undefined;
  };
  database ??= openIndexDatabase(() => {
    forget();
    reportError(new Error("The browser has closed the index's database"));
  }).catch((error: unknown) => {
    forget();
    throw error;
  });
  return database;
}

/** @throws VxError `conflict`, `storage_full` */
export function openIdbIndexStorage(path: string): Promise<IndexStorage> {
  return openLocked(path, async (release) => new IdbFolder(await openDatabase(), path, release));
}

/** A folder without a lock. */
export async function openIdbArchiveFolder(path: string): Promise<DatedFolder> {
  return new IdbFolder(await openDatabase(), path);
}

/** `release` gives the lock of an index back; a folder of archives has none. */
class IdbFolder implements IndexStorage, DatedFolder {
  readonly #db: IndexDb;
  readonly #path: string;
  readonly #release: () => void;

  constructor(db: IndexDb, path: string, release: () => void = () => undefined) {
    this.#db = db;
    this.#path = path;
    this.#release = release;
  }

  async list(): Promise<string[]> {
    const files = await this.#db.getAllFromIndex("files", "byFolder", this.#path);
    return files.flatMap(({ place }) => place?.[1] ?? []);
  }

  async describe(name: string): Promise<FileFacts | undefined> {
    return this.#db.getFromIndex("files", "byPlace", [this.#path, name]);
  }

  async open(name: string): Promise<StoredFile | undefined> {
    const transaction = this.#db.transaction("files");
    const byPlace = transaction.store.index("byPlace");
    const place: [string, string] = [this.#path, name];
    const [key, facts] = await Promise.all([byPlace.getKey(place), byPlace.get(place)]);
    if (key === undefined || facts === undefined) return undefined;
    const file = new PieceFile(this.#db, key, facts.sizeBytes);
    return {
      sizeBytes: facts.sizeBytes,
      read: (offset, into) => file.read(name, offset, into),
      async close() {},
    };
  }

  async create(name: string): Promise<NewFile> {
    const key = await writing(() => this.#db.add("files", newFile(this.#path)));
    beingWritten.add(key);
    const file = new NewPieceFile(this.#db, key);
    let isOver = false;
    const discard = async () => {
      beingWritten.delete(key);
      if (isOver) return;
      isOver = true;
      await this.#remove(async () => [key]);
    };
    return {
      write: (bytes) => writing(() => file.write(bytes)),
      commit: async () => {
        await writing(async () => this.#commit(key, name, await file.end()));
        isOver = true;
        beingWritten.delete(key);
      },
      discard,
    };
  }

  /** All or none, by one transaction: each would wait for what is being appended. */
  async delete(...names: string[]): Promise<void> {
    await this.#remove((files) => {
      const byPlace = files.index("byPlace");
      return Promise.all(names.map((name) => byPlace.getKey([this.#path, name])));
    });
  }

  async removePartials(): Promise<void> {
    await this.#remove(async (store) => {
      const byFolder = store.index("byFolder");
      const [keys, files] = await Promise.all([byFolder.getAllKeys(this.#path), byFolder.getAll(this.#path)]);
      return keys.filter((key, i) => files[i]?.place === undefined && !beingWritten.has(key));
    });
  }

  async startAppending(name: string): Promise<AppendFile> {
    const place: [string, string] = [this.#path, name];
    const facts = { ...newFile(this.#path), place };
    const key = await writing(async () => {
      const transaction = this.#db.transaction("files", "readwrite", { durability: "strict" });
      const former = await transaction.store.index("byPlace").getKey(place);
      const made = former === undefined ? await transaction.store.add(facts) : undefined;
      await transaction.done;
      return made;
    });
    if (key === undefined) throw new VxError("conflict", `${name} exists already`);
    const file = new PieceFile(this.#db, key, 0);
    return {
      // Durable at once: one transaction for the bytes and for what sync promises.
      append: (bytes) => writing(() => file.append(bytes)),
      async sync() {},
      truncate: (sizeBytes) => file.truncate(sizeBytes),
      async close() {},
    };
  }

  /** What is there was durable at once. */
  async sync(): Promise<void> {}

  async close(): Promise<void> {
    this.#release();
  }

  /** Gives the file its place, and deletes the one that had it. */
  async #commit(key: number, name: string, sizeBytes: number): Promise<void> {
    const transaction = this.#db.transaction(["files", "pieces"], "readwrite", { durability: "strict" });
    const files = transaction.objectStore("files");
    const place: [string, string] = [this.#path, name];
    const former = await files.index("byPlace").getKey(place);
    if (former !== undefined) {
      await files.delete(former);
      await transaction.objectStore("pieces").delete(piecesOf(former));
    }
    await files.put({ ...newFile(this.#path), place, sizeBytes }, key);
    await transaction.done;
  }

  /** Removes the files whose keys it finds, all or none. */
  async #remove(find: (files: StoredFiles) => Promise<(number | undefined)[]>): Promise<void> {
    const transaction = this.#db.transaction(["files", "pieces"], "readwrite", { durability: "relaxed" });
    const files = transaction.objectStore("files");
    const pieces = transaction.objectStore("pieces");
    for (const key of await find(files)) {
      if (key === undefined) continue;
      await files.delete(key);
      await pieces.delete(piecesOf(key));
    }
    await transaction.done;
  }
}

function newFile(folder: string): StoredFacts {
  return { folder, sizeBytes: 0, writtenAt: new Date() };
}
