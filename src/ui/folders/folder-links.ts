/** The files of a folder as what can be got. Called by folder-dialog and the screen of the network. */
import type { Folder } from "../../api/folders.ts";
import { byName } from "../elements/by-name.ts";
import type { FileLink } from "../links.ts";

/** By their paths, in the order in which they come. `addresses`: multiaddrs that they may be had from; `unlisted`: as the list is. */
export function folderLinks(
  { files }: Folder,
  { addresses = [], unlisted = false }: Partial<Pick<FileLink, "addresses" | "unlisted">> = {},
): FileLink[] {
  return files
    .map(({ file_id, path, size }) => ({
      ...{ fileId: file_id, name: path, sizeBytes: size, addresses },
      ...(unlisted && { unlisted }),
    }))
    .sort(byName);
}
