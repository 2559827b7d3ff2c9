/**
 * A folder by the id of its list, which is here, on its way, or offered by others. Called by folders and folder-archive.
 */
import { collectBytes } from "../sharing/collect-bytes.ts";
import { isSharingError } from "../sharing/errors.ts";
import { decodeFolder, type FolderFile, folderName } from "../sharing/folder.ts";
import { MAX_FOLDER_BYTES } from "../sharing/limits.ts";
import type { SharingNode } from "../sharing/node.ts";
import { ApiError } from "./errors.ts";

/** @throws ApiError 400 for a file that is no folder: what is too long for a list of files is not read */
export async function readFolder(
  node: SharingNode,
  fileId: string,
  signal: AbortSignal,
): Promise<{ name: string; files: FolderFile[] }> {
  const { name, bytes } = await readList(node, fileId, signal);
  return { name: folderName(name) ?? name, files: decodeFolder(bytes) };
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
