/**
 * The index's medium in a browser: the origin private file system, or IndexedDB where that has no sync handles. Opened by the
 * index's worker, as the host of its engine. Paths are relative, of parts between slashes.
 */
import type { EngineHost } from "../../vx/engine/open-engine.ts";
import { VxError } from "../../vx/errors.ts";
import type { ArchivePlace, DatedFolder, IndexStorage } from "../../vx/storage/index-storage.ts";
import { openIdbArchiveFolder, openIdbIndexStorage } from "./idb-index-storage.ts";
import { openOpfsArchiveFolder, openOpfsIndexStorage } from "./opfs-index-storage.ts";

export interface IndexDisk extends EngineHost {
  openArchiveFolder(path: string): Promise<DatedFolder>;
}

export type IndexMedium = "opfs" | "idb";

/** To be called in a worker. */
export async function openIndexDisk(medium?: IndexMedium): Promise<IndexDisk> {
  const chosen = medium ?? ((await hasSyncHandles()) ? "opfs" : "idb");
  const [openStorage, openFolder] =
    chosen === "opfs"
      ? [openOpfsIndexStorage, openOpfsArchiveFolder]
      : [openIdbIndexStorage, openIdbArchiveFolder];
  const openArchiveFolder = async (path: string) => openFolder(checkedPath(path));
  return {
    openStorage: async (path: string): Promise<IndexStorage> => openStorage(checkedPath(path)),
    openArchiveFolder,
    async locateArchive(path: string): Promise<ArchivePlace> {
      const whole = checkedPath(path);
      const cut = whole.lastIndexOf("/");
      if (cut < 0) throw new VxError("invalid_request", "A backup stands in a folder");
      return {
        folder: await openArchiveFolder(whole.slice(0, cut)),
        name: whole.slice(cut + 1),
        path: whole,
      };
    },
  };
}

/** Some engines have them but refuse them to a page: in a private window, or where the user forbids storage. */
async function hasSyncHandles(): Promise<boolean> {
  const { createSyncAccessHandle } = globalThis.FileSystemFileHandle?.prototype ?? {};
  if (createSyncAccessHandle === undefined || !("move" in FileSystemFileHandle.prototype)) return false;
  try {
    await navigator.storage.getDirectory();
    return true;
  } catch (error) {
    if (error instanceof DOMException) return false;
    throw error;
  }
}

/** @throws VxError `invalid_request` */
function checkedPath(path: string): string {
  const parts = path.split("/");
  const isSound = parts.every((part) => part !== "" && part !== "." && part !== ".." && !/[\\\0]/.test(part));
  if (isSound) return path;
  throw new VxError("invalid_request", "A path in the browser's storage is of names between slashes");
}
