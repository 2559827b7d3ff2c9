/**
 * The folder of the index's backups, as clients of the page's API may use it. Made by open-page-index; calls the archive
 * service of the index's worker. All archives stand in the one folder itself: a path is a name, or a name behind the folder's path.
 */
import { MAX_BACKUP_NAME_CHARS } from "../../api/vx/limits.ts";
import type { BackupFile, BackupFolder, KeptBackup, ListedBackup } from "../../api/vx/ports.ts";
import { SharingError } from "../../sharing/errors.ts";
import { VxError } from "../../vx/errors.ts";
import { ARCHIVE_READ_BYTES } from "../limits.ts";
import type { CallArchives } from "./archive-service.ts";

export class PageBackupFolder implements BackupFolder {
  readonly #path: string;
  readonly #call: CallArchives;

  constructor(path: string, call: CallArchives) {
    this.#path = path;
    this.#call = call;
  }

  async placeFor(path: string): Promise<string> {
    return `${this.#path}/${this.#nameOf(path)}`;
  }

  async find(path: string): Promise<string> {
    const { path: found } = await this.#describe(this.#nameOf(path));
    return found;
  }

  async list(): Promise<ListedBackup[]> {
    const entries = await this.#call("list");
    return entries.map((entry) => ({ ...entry, path: `${this.#path}/${entry.name}` }));
  }

  async open(path: string) {
    const file = await this.#describe(this.#nameOf(path));
    return { ...file, read: (signal: AbortSignal) => this.#read(file.name, file.sizeBytes, signal) };
  }

  async store(path: string, bytes: AsyncIterable<Uint8Array>): Promise<KeptBackup> {
    const name = this.#nameOf(path);
    const upload = await this.#call("create", name);
    let madeAt: Date;
    try {
      for await (const piece of bytes) await this.#call("write", upload, piece);
      madeAt = await this.#call("commit", upload);
    } finally {
      await this.#call("close", upload);
    }
    return { ...(await this.#describe(name)), madeAt };
  }

  async delete(path: string): Promise<void> {
    await this.#call("delete", this.#nameOf(path));
  }

  async *#read(name: string, sizeBytes: number, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    const archive = await this.#call("open", name);
    try {
      for (let offset = 0; offset < sizeBytes; offset += ARCHIVE_READ_BYTES) {
        signal.throwIfAborted();
        yield await this.#call("read", archive, offset, Math.min(ARCHIVE_READ_BYTES, sizeBytes - offset));
      }
    } finally {
      await this.#call("close", archive);
    }
  }

  async #describe(name: string): Promise<BackupFile> {
    const facts = await this.#call("describe", name);
    if (facts === undefined) throw new VxError("backup_not_found", "There is no such backup");
    return { name, path: `${this.#path}/${name}`, ...facts };
  }

  /** @throws SharingError `path_forbidden`, `bad_request` */
  #nameOf(path: string): string {
    const name = path.startsWith(`${this.#path}/`) ? path.slice(this.#path.length + 1) : path;
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
    if (name === "" || name.length > MAX_BACKUP_NAME_CHARS || /[\0-\x1f\x7f]/.test(name)) {
      throw new SharingError(
        "bad_request",
        `a backup's name has 1 to ${MAX_BACKUP_NAME_CHARS} characters, none of them control characters`,
      );
    }
    if (/^\.|[/\\:]|[. ]$|\.partial$/.test(name)) {
      throw new SharingError("path_forbidden", "the path is not in the folder of backups");
    }
    return name;
  }
}
