/** The files of a folder as what can be got. Called by folder-dialog and the screen of the network. */
import type { Folder } from "../../api/folders.ts";
import { byName } from "../elements/by-name.ts";
import type { FileLink } from "../links.ts";

/**
 * By their paths, in the order in which they come. `list`: of the folder, with the multiaddrs that its files may be had
 * from; they are unlisted as it is.
 */
export function folderLinks(
  { files }: Folder,
  { fileId: folderId, addresses, unlisted }: Pick<FileLink, "fileId" | "addresses" | "unlisted">,
): FileLink[] {
  return files
    .map(({ file_id, path, size }) => ({
      ...{ fileId: file_id, name: path, sizeBytes: size, folderId, addresses },
      ...(unlisted && { unlisted }),
    }))
    .sort(byName);
}
