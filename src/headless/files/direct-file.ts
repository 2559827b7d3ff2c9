/**
 * A file whose whole pages go straight between the disk and our memory (O_DIRECT), where system and file system can.
 * Called for segments of blocks and for outputs. A chunk is written once and seldom read soon, so the copy through
 * the system's page cache costs more than all else of a download (measured: four times the processor time a write,
 * a third of the speed) and pushes out what others need.
 */
import { constants, type FileHandle, open } from "node:fs/promises";
import { hasCode } from "./disk-errors.ts";
import { readFully, writeFully } from "./durable.ts";
import { areWholePages, IO_PAGE_BYTES } from "./page-memory.ts";

export class DirectFile {
  readonly #handle: FileHandle;
  /** The same file without the page cache, once it is used; undefined where that can't be had. */
  #direct: Promise<FileHandle | undefined> | undefined;

  private constructor(handle: FileHandle) {
    this.#handle = handle;
  }

  /** As `open` of node:fs. */
  static async open(path: string, flags: string | number, mode?: number): Promise<DirectFile> {
    return new DirectFile(await open(path, flags, mode));
  }

  /** Writes all bytes at the offset. */
  async write(bytes: Uint8Array, offset: number): Promise<void> {
    const writtenBytes = await this.#tryDirect(bytes, offset, "write");
    await writeFully(this.#handle, bytes.subarray(writtenBytes), offset + writtenBytes);
  }

  /** Fills the buffer from the offset as far as the file goes, and tells how far that was. */
  async read(into: Uint8Array, offset: number): Promise<number> {
    const readBytes = await this.#tryDirect(into, offset, "read");
    return readBytes + (await readFully(this.#handle, into.subarray(readBytes), offset + readBytes));
  }

  async truncate(sizeBytes: number): Promise<void> {
    await this.#handle.truncate(sizeBytes);
  }

  /** When its bytes were last changed, in nanoseconds since the epoch. */
  async changedAtNs(): Promise<bigint> {
    return (await this.#handle.stat({ bigint: true })).mtimeNs;
  }

  async datasync(): Promise<void> {
    await this.#handle.datasync();
  }

  async close(): Promise<void> {
    await (await this.#direct)?.close();
    await this.#handle.close();
  }

  /** Bytes that went the direct way; what is left goes the usual one. */
  async #tryDirect(bytes: Uint8Array, offset: number, way: "read" | "write"): Promise<number> {
    if (offset % IO_PAGE_BYTES !== 0 || !areWholePages(bytes)) return 0;
    this.#direct ??= openDirect(this.#handle);
    const direct = await this.#direct;
    if (direct === undefined) return 0;
    try {
      if (way === "read") return (await direct.read(bytes, 0, bytes.byteLength, offset)).bytesRead;
      return (await direct.write(bytes, 0, bytes.byteLength, offset)).bytesWritten;
    } catch (error) {
      // A device with larger sectors: nothing was moved.
      if (hasCode(error, "EINVAL")) return 0;
      throw error;
    }
  }
}

/** The handle's own file again, by the name that Linux gives open files, so that nobody can slip in another. */
async function openDirect(handle: FileHandle): Promise<FileHandle | undefined> {
  if (process.platform !== "linux") return undefined;
  try {
    return await open(`/proc/self/fd/${handle.fd}`, constants.O_RDWR | constants.O_DIRECT);
  } catch {
    // The file system can't, or there is no /proc, the file is read-only, or the process has as many open as it may.
    return undefined;
  }
}
