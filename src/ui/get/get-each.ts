/** Several files asked for, one after the other. Called by get-many-dialog and network/get-folder; calls the client. */
import type { ShoalClient } from "../../client/client.ts";
import type { FileLink } from "../links.ts";
import type { Live } from "../state/live.ts";

interface Getting {
  client: Pick<ShoalClient, "download">;
  transfers: Pick<Live<unknown>, "refresh">;
}

/**
 * The lists of folders first, so that files stand in these from the beginning.
 * @param goesOn told how many files, lists aside, have been asked for; false: no more are wanted
 * @returns whether all were asked for
 */
export async function getEach(
  { client, transfers }: Getting,
  lists: readonly FileLink[],
  files: readonly FileLink[],
  goesOn: (count: number) => boolean,
): Promise<boolean> {
  for (const [at, { fileId, name, unlisted }] of [...lists, ...files].entries()) {
    // In a folder it is called by its path.
    const fileName = name?.slice(name.lastIndexOf("/") + 1);
    await client.download({
      file_id: fileId,
      ...(fileName !== undefined && { name: fileName }),
      ...(unlisted && { unlisted }),
    });
    // The files, which may be here at once, are told of as those of a folder that is asked for.
    if (at === lists.length - 1) await transfers.refresh();
    if (!goesOn(Math.max(0, at + 1 - lists.length))) return false;
  }
  return true;
}
