/**
 * A folder held open, so that what is done in it cannot be led elsewhere by someone who swaps a folder on its
 * path for a symlink. Called by fs-source, folders-in-use and output-folders; calls node:fs. On Linux names are looked up
 * through /proc/self/fd, which acts as openat(2); elsewhere by path, after a second look.
 */
import { constants, type FileHandle, open, readlink, realpath } from "node:fs/promises";
import { join } from "node:path";

const hasProcFd = process.platform === "linux";

export class PinnedFolder {
  /** The folder's real path when it was pinned. */
  readonly realPath: string;
  readonly #handle: FileHandle;

  constructor(realPath: string, handle: FileHandle) {
    this.realPath = realPath;
    this.#handle = handle;
  }

  /** A path for system calls on the entry of that name. */
  entry(name: string): string {
    return hasProcFd ? join(`/proc/self/fd/${this.#handle.fd}`, name) : join(this.realPath, name);
  }

  /** Makes changes of names in the folder durable. */
  async sync(): Promise<void> {
    await this.#handle.sync();
  }

  async close(): Promise<void> {
    await this.#handle.close();
  }
}

export async function pinFolder(path: string): Promise<PinnedFolder> {
  const handle = await open(path, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  try {
    return new PinnedFolder(await openedPath(handle, path), handle);
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** The real path of what a handle has open, `path` being where it was opened. */
export async function openedPath(handle: FileHandle, path: string): Promise<string> {
  return hasProcFd ? readlink(`/proc/self/fd/${handle.fd}`) : realpath(path);
}
