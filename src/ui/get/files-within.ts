/** What folders hold whose links were pasted, as what can be got. Called by get-many-dialog; calls the client. */
import type { ShoalClient } from "../../client/client.ts";
import { ShoalError } from "../../client/shoal-error.ts";
import { folderLinks } from "../folders/folder-links.ts";
import type { FileLink } from "../links.ts";

/** Of a folder whose list can't be had just now nothing: the list is asked for like a file, and opened by hand. */
export async function filesWithin(
  client: Pick<ShoalClient, "folder">,
  folders: readonly FileLink[],
): Promise<FileLink[]> {
  const files: FileLink[] = [];
  for (const list of folders) {
    try {
      files.push(...folderLinks(await client.folder(list.fileId), list));
    } catch (error) {
      if (!(error instanceof ShoalError)) throw error;
    }
  }
  return files;
}
