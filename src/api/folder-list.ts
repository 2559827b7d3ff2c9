/**
 * A folder by the id of its list, which is here, on its way, or held by others. Called by files, folders and folder-archive.
 */
import { collectBytes } from "../sharing/collect-bytes.ts";
import { isSharingError } from "../sharing/errors.ts";
import { decodeFolder, type FolderFile, folderFileName } from "../sharing/folders/folder.ts";
import { MAX_FOLDER_BYTES } from "../sharing/limits.ts";
import type { SharingNode } from "../sharing/sharing-node.ts";
import { folderNameOf } from "../spelling/folder-name.ts";
import { ApiError } from "./errors.ts";

interface ReadFolder {
  name: string;
  files: FolderFile[];
}

/** @throws ApiError 400 for a file that is no folder: what is too long for a list of files is not read */
export async function readFolder(
  node: SharingNode,
  fileId: string,
  signal: AbortSignal,
): Promise<ReadFolder> {
  const { name, bytes } = await readList(node, fileId, signal);
  return { name: folderNameOf(name) ?? name, files: decodeFolder(bytes) };
}

/**
 * As `readFolder`, and the list is here or comes from now on: the files that are downloaded stand in their folder, here too.
 * `name`: what it is called where nobody says.
 */
export async function keepFolder(
  node: SharingNode,
  fileId: string,
  { name, isUnlisted = false }: { name?: string | undefined; isUnlisted?: boolean | undefined },
  signal: AbortSignal,
): Promise<ReadFolder> {
  const folder = await readFolder(node, fileId, signal);
  // It may have come while others' was read.
  const isHere = node.files().some(({ id }) => id === fileId);
  const called = folder.name === fileId ? (name ?? fileId) : folder.name;
  if (!isHere) await node.download({ fileId, name: folderFileName(called), isUnlisted });
  return folder;
}

/** Ids of the files of which all is here. */
export function wholeFiles(node: SharingNode): ReadonlySet<string> {
  return new Set(node.files().flatMap(({ id, complete }) => (complete ? [id] : [])));
}

async function readList(
  node: SharingNode,
  fileId: string,
  signal: AbortSignal,
): Promise<{ name: string; bytes: Uint8Array }> {
  try {
    const { id, name, sizeBytes } = node.file(fileId);
    if (sizeBytes > MAX_FOLDER_BYTES) throw new ApiError(400, "The file is no folder");
    return { name, bytes: await collectBytes(node.read(id, { start: 0, end: sizeBytes }, signal)) };
  } catch (error) {
    if (!isSharingError(error, "file_not_found")) throw error;
    return await node.readOffered(fileId, MAX_FOLDER_BYTES, signal);
  }
}
