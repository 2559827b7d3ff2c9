/** A folder by the id of its list, which is here or on its way. Called by folders and folder-archive. */
import { collectBytes } from "../sharing/collect-bytes.ts";
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
  const { id, name, sizeBytes } = node.file(fileId);
  if (sizeBytes > MAX_FOLDER_BYTES) throw new ApiError(400, "The file is no folder");
  const bytes = await collectBytes(node.read(id, { start: 0, end: sizeBytes }, signal));
  return { name: folderName(name) ?? name, files: decodeFolder(bytes) };
}
