/**
 * Sync handles of files in the origin private file system. Used by opfs-index-storage, in a worker. A handle
 * keeps all others off its file, so all who have one file open share one handle; a file that is deleted meanwhile goes when
 * the last of them has closed it, as on a file system. Source: WHATWG File System Standard, "Locks" and
 * FileSystemSyncAccessHandle.
 */
import { whenFree } from "../storage/when-free.ts";

/** A file that is open; `close` by each who opened it. */
export interface SyncFile {
  readonly handle: FileSystemSyncAccessHandle;
  close(): Promise<void>;
}

interface Shared {
  handle: Promise<FileSystemSyncAccessHandle>;
  users: number;
  /** What deletes the file, once it is asked for. */
  remove?: () => Promise<void>;
}

export class SyncHandles {
  readonly #shared = new Map<string, Shared>();

  isOpen(path: string): boolean {
    return this.#shared.has(path);
  }

  /** Whether the file is to go as soon as it is closed. */
  isRemoved(path: string): boolean {
    return this.#shared.get(path)?.remove !== undefined;
  }

  /** `find` gives the file. Throws what it throws. */
  async open(path: string, find: () => Promise<FileSystemFileHandle>): Promise<SyncFile> {
    const shared = this.#shared.get(path) ?? { handle: openHandle(find), users: 0 };
    this.#shared.set(path, shared);
    shared.users++;
    let isOpen = true;
    const close = async () => {
      if (!isOpen) return;
      isOpen = false;
      await this.#leave(path, shared);
    };
    try {
      return { handle: await shared.handle, close };
    } catch (error) {
      await close();
      throw error;
    }
  }

  /** Runs `remove` now, or when the file is closed. */
  async remove(path: string, remove: () => Promise<void>): Promise<void> {
    const shared = this.#shared.get(path);
    if (shared === undefined) await whenFree(remove);
    else shared.remove = remove;
  }

  async #leave(path: string, shared: Shared): Promise<void> {
    shared.users--;
    if (shared.users > 0) return;
    const { remove } = shared;
    if (remove === undefined) this.#shared.delete(path);
    // What kept it from being opened was told to all who asked for it.
    await shared.handle.then(
      (handle) => handle.close(),
      () => undefined,
    );
    if (remove === undefined) return;
    try {
      await whenFree(remove);
    } finally {
      // Not before, or what is written under that name meanwhile would be removed.
      this.#shared.delete(path);
    }
  }
}

async function openHandle(find: () => Promise<FileSystemFileHandle>): Promise<FileSystemSyncAccessHandle> {
  const file = await find();
  return whenFree(() => file.createSyncAccessHandle());
}
