/**
 * The folder of backups as the index's worker serves it to the window, for its files can be read in the worker alone. Served by
 * workers/vx.ts; called by PageBackupFolder. Answers are data, errors too, as those of serveEngine are.
 */
import * as Comlink from "comlink";
import type { Answer } from "../../vx/engine/serve-engine.ts";
import { toErrorData, VxError } from "../../vx/errors.ts";
import { deleteArchive } from "../../vx/storage/archive-removal.ts";
import { checkArchive } from "../../vx/storage/archives.ts";
import { removeOldMarks } from "../../vx/storage/deletion-marks.ts";
import type { DatedFolder, FileFacts, NewFile, StoredFile } from "../../vx/storage/index-storage.ts";
import { type ListedArchive, listedArchives } from "../../vx/storage/listed-archives.ts";
import { MAX_OPEN_ARCHIVES } from "../limits.ts";

export type ArchiveEntry = ListedArchive & FileFacts;

export interface ArchiveService {
  list(): Promise<Answer<ArchiveEntry[]>>;
  describe(name: string): Promise<Answer<FileFacts | undefined>>;
  /** Gives a number for `read` and `close`. */
  open(name: string): Promise<Answer<number>>;
  read(archive: number, offset: number, sizeBytes: number): Promise<Answer<Uint8Array>>;
  /** Begins an upload; gives a number for `write`, `commit` and `close`. */
  create(name: string): Promise<Answer<number>>;
  write(archive: number, bytes: Uint8Array): Promise<Answer<void>>;
  /** Gives when the backup was made. VxError `backup_corrupt` where it is none; it is gone then. */
  commit(archive: number): Promise<Answer<Date>>;
  delete(name: string): Promise<Answer<void>>;
  /** What was not committed is gone. */
  close(archive: number): Promise<Answer<void>>;
}

/** Calls the service in the worker, and throws the errors that it answers. */
export type CallArchives = <M extends keyof ArchiveService>(
  method: M,
  ...args: Parameters<ArchiveService[M]>
) => Promise<Extract<Awaited<ReturnType<ArchiveService[M]>>, { value: unknown }>["value"]>;

interface Upload {
  name: string;
  file: NewFile;
}

/** Serves the folder that `openFolder` gives; it is opened at the first call, and where that fails at the next. */
export function serveArchives(port: Comlink.Endpoint, openFolder: () => Promise<DatedFolder>): void {
  let opening: Promise<Archives> | undefined;
  const open = async () => {
    const folder = await openFolder();
    await removeOldMarks(folder);
    return new Archives(folder);
  };
  const archives = () => {
    opening ??= open().catch((error) => {
      opening = undefined;
      throw error;
    });
    return opening;
  };
  const service: ArchiveService = {
    list: () => answer(async () => (await archives()).list()),
    describe: (name) => answer(async () => (await archives()).describe(name)),
    open: (name) => answer(async () => (await archives()).open(name)),
    read: (archive, offset, sizeBytes) =>
      answer(async () => (await archives()).read(archive, offset, sizeBytes)),
    create: (name) => answer(async () => (await archives()).create(name)),
    write: (archive, bytes) => answer(async () => (await archives()).write(archive, bytes)),
    commit: (archive) => answer(async () => (await archives()).commit(archive)),
    delete: (name) => answer(async () => (await archives()).delete(name)),
    close: (archive) => answer(async () => (await archives()).close(archive)),
  };
  Comlink.expose(service, port);
}

async function answer<T>(work: () => Promise<T>): Promise<Answer<T>> {
  try {
    const value = await work();
    return Comlink.transfer({ value }, value instanceof Uint8Array ? [value.buffer as ArrayBuffer] : []);
  } catch (error) {
    return { error: toErrorData(error) };
  }
}

class Archives {
  readonly #folder: DatedFolder;
  readonly #open = new Map<number, StoredFile>();
  readonly #uploads = new Map<number, Upload>();
  #lastNumber = 0;

  constructor(folder: DatedFolder) {
    this.#folder = folder;
  }

  async list(): Promise<ArchiveEntry[]> {
    const entries: ArchiveEntry[] = [];
    for (const archive of await listedArchives(this.#folder)) {
      const facts = await this.describe(archive.name);
      if (facts !== undefined) entries.push({ ...archive, ...facts });
    }
    return entries;
  }

  async describe(name: string): Promise<FileFacts | undefined> {
    const facts = await this.#folder.describe(name);
    return facts && { sizeBytes: facts.sizeBytes, writtenAt: facts.writtenAt };
  }

  async open(name: string): Promise<number> {
    this.#checkRoom();
    const file = await this.#folder.open(name);
    if (file === undefined) throw new VxError("backup_not_found", "There is no such backup");
    this.#open.set(++this.#lastNumber, file);
    return this.#lastNumber;
  }

  async read(archive: number, offset: number, sizeBytes: number): Promise<Uint8Array> {
    const file = this.#open.get(archive);
    if (file === undefined) throw notOpen();
    const bytes = new Uint8Array(sizeBytes);
    await file.read(offset, bytes);
    return bytes;
  }

  async create(name: string): Promise<number> {
    this.#checkRoom();
    await this.#checkNew(name);
    if ([...this.#uploads.values()].some((upload) => upload.name === name)) throw isThere(name);
    const archive = ++this.#lastNumber;
    this.#uploads.set(archive, { name, file: await this.#folder.create(name) });
    return archive;
  }

  async write(archive: number, bytes: Uint8Array): Promise<void> {
    await this.#upload(archive).file.write(bytes);
  }

  async commit(archive: number): Promise<Date> {
    const { name, file } = this.#upload(archive);
    await this.#checkNew(name);
    await file.commit();
    this.#uploads.delete(archive);
    // What is being written can't be read yet.
    try {
      return await checkArchive(this.#folder, name);
    } catch (error) {
      await this.#folder.delete(name);
      throw error;
    }
  }

  /**
   * @throws VxError `backup_not_found`, `conflict` (another archive goes on from it), `unavailable` (that cannot be
   * read just now)
   */
  async delete(name: string): Promise<void> {
    if ((await this.#folder.describe(name)) === undefined) {
      throw new VxError("backup_not_found", "There is no such backup");
    }
    await deleteArchive({ folder: this.#folder, name });
  }

  async close(archive: number): Promise<void> {
    await this.#open.get(archive)?.close();
    this.#open.delete(archive);
    await this.#uploads.get(archive)?.file.discard();
    this.#uploads.delete(archive);
  }

  #upload(archive: number): Upload {
    const upload = this.#uploads.get(archive);
    if (upload === undefined) throw notOpen();
    return upload;
  }

  async #checkNew(name: string): Promise<void> {
    if ((await this.#folder.describe(name)) !== undefined) throw isThere(name);
  }

  #checkRoom(): void {
    if (this.#open.size + this.#uploads.size < MAX_OPEN_ARCHIVES) return;
    throw new VxError("unavailable", "Too many backups are being moved: try again");
  }
}

function isThere(name: string): VxError {
  return new VxError("conflict", `There is a backup ${name} already`);
}

function notOpen(): VxError {
  return new VxError("internal", "The backup is not open");
}
