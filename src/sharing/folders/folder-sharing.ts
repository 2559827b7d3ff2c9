/**
 * Shares a folder: each of its files, and then the list of them, whose id is the folder's. Where one is refused, none
 * stays shared that was not before, but those that others have shared meanwhile, and those that were are as they were. Called
 * by node.
 */
import type { LocalFile } from "../catalog/catalog-entry.ts";
import type { Shared, ShareOptions } from "../files/importer.ts";
import type { Sharer, UnsureFiles } from "../files/unsure-files.ts";
import { FOLDER_FILES_AT_ONCE } from "../limits.ts";
import type { Files } from "../ports.ts";
import { someAtATime } from "../some-at-a-time.ts";
import { checkFolder, encodeFolder, type FolderFile, folderFileName, ofFile } from "./folder.ts";

interface FolderSharingPorts {
  files: Pick<Files, "listFolder">;
  share: (bytes: AsyncIterable<Uint8Array>, options: ShareOptions) => Promise<Shared>;
  sharePath: (path: string, options: FolderOptions & { folder: Sharer }) => Promise<Shared>;
  deleteFile: (fileId: string) => Promise<void>;
  /** A file is again as it was `before`, unless it is no longer as it is `now`. */
  putBack: (now: LocalFile, before: LocalFile) => Promise<void>;
  unsure: UnsureFiles;
}

/** A file that was here before the folder was shared. */
interface KnownFile {
  /** As it is by the folder. */
  now: LocalFile;
  before: LocalFile;
}

type FolderOptions = Pick<ShareOptions, "isUnlisted"> & { signal: AbortSignal };

/** @throws SharingError as `Files.listFolder` and `sharePath` do, with the path of the file that failed */
export async function shareFolderAt(
  path: string,
  { files, share, sharePath, deleteFile, putBack, unsure }: FolderSharingPorts,
  options: FolderOptions,
): Promise<Shared> {
  const listing = await files.listFolder(path);
  // Refused once all are shared, they would stay so.
  checkFolder(listing.files.map((file) => file.path));
  const folder: Sharer = {};
  /** By id. */
  const known = new Map<string, KnownFile>();
  try {
    const shared = await someAtATime(
      listing.files,
      FOLDER_FILES_AT_ONCE,
      async ({ path: inside, source }) => {
        const { file, before } = await ofFile(inside, () => sharePath(source, { ...options, folder }));
        // At the second of its places in the folder it was here by the first.
        const first = known.get(file.id)?.before ?? before;
        if (first !== undefined) known.set(file.id, { now: file, before: first });
        return { path: inside, fileId: file.id, sizeBytes: file.sizeBytes };
      },
    );
    const list = await shareList(listing.name, shared, share, options);
    unsure.keep(folder);
    return list;
  } catch (error) {
    await takeBack(folder, [...known.values()], { deleteFile, putBack, unsure });
    throw error;
  }
}

/**
 * Deletes what is here by the folder alone, and puts back those that were here before. Why the folder is not shared says more
 * than why a file of it stays.
 */
async function takeBack(
  folder: Sharer,
  known: readonly KnownFile[],
  { deleteFile, putBack, unsure }: Pick<FolderSharingPorts, "deleteFile" | "putBack" | "unsure">,
): Promise<void> {
  await someAtATime(unsure.of(folder), FOLDER_FILES_AT_ONCE, async (fileId) => {
    if (unsure.giveUp(fileId, folder)) await deleteFile(fileId).catch(() => undefined);
  });
  await someAtATime(known, FOLDER_FILES_AT_ONCE, async ({ now, before }) => {
    await putBack(now, before).catch(() => undefined);
  });
}

/** Shares the list of files that are here. @throws SharingError `bad_request` as `encodeFolder`, `storage_full` */
export async function shareList(
  name: string,
  files: readonly FolderFile[],
  share: FolderSharingPorts["share"],
  options: FolderOptions,
): Promise<Shared> {
  return await share(once(encodeFolder(files)), { ...options, name: folderFileName(name) });
}

async function* once(bytes: Uint8Array): AsyncIterable<Uint8Array> {
  yield bytes;
}
