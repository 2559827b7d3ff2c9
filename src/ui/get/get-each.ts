/** Several files asked for, some at a time. Called by get-many-dialog and network/get-folder; calls the client. */
import type { ShoalClient } from "../../client/client.ts";
import { ShoalError } from "../../client/shoal-error.ts";
import { countText, numberText } from "../elements/quantities.ts";
import type { FileLink } from "../links.ts";
import type { Router } from "../router.ts";
import type { Transfer } from "../state/entries.ts";
import type { Live } from "../state/live.ts";
import { sentence } from "../state/sentence.ts";
import { someAtATime } from "../state/some-at-a-time.ts";
import { opening, type Toast, type Toasts } from "../state/toasts.ts";
import { isUnfinished } from "../transfers/transfer-words.ts";

interface Getting {
  client: Pick<ShoalClient, "download">;
  transfers: Pick<Live<unknown>, "refresh">;
}

/**
 * The lists of folders first, so that files stand in these from the beginning.
 * @param onAsked told how many files, lists aside, have been asked for
 * @throws what the client throws; after some files with their number
 */
export async function getEach(
  { client, transfers }: Getting,
  lists: readonly FileLink[],
  files: readonly FileLink[],
  onAsked: (count: number) => void,
): Promise<void> {
  const ask = ({ fileId, name, folderId, unlisted }: FileLink) =>
    client.download({
      file_id: fileId,
      // In a folder it is called by its path.
      ...(name !== undefined && { name: name.slice(name.lastIndexOf("/") + 1) }),
      ...(folderId !== undefined && { folder_id: folderId }),
      ...(unlisted && { unlisted }),
    });
  await someAtATime(lists, ask);
  // The files, which may be here at once, are told of as those of a folder that is asked for.
  if (lists.length > 0) await transfers.refresh();
  let count = 0;
  try {
    await someAtATime(files, async (file) => {
      await ask(file);
      count += 1;
      onAsked(count);
    });
  } catch (error) {
    throw count > 0 && error instanceof ShoalError ? stoppedAfter(count, files.length, error) : error;
  }
}

/** As where there are as many transfers as may be. What is asked for twice comes once. */
function stoppedAfter(count: number, of: number, refusal: ShoalError): Error {
  const asked = `${numberText(count)} of ${countText(of, "file")} are asked for: get the rest the same way once that has changed.`;
  return new Error(`${sentence(refusal.message)} ${asked}`, { cause: refusal });
}

interface Telling {
  transfers: Pick<Live<readonly Transfer[]>, "value" | "refresh">;
  toasts: Pick<Toasts, "show">;
  router: Pick<Router, "go">;
}

/** Where nothing on the screen shows that these files were asked for. Small ones are here by now, and told of. */
export async function tellOfGetting(
  { transfers, toasts, router }: Telling,
  files: readonly FileLink[],
  text: Toast["text"],
): Promise<void> {
  await transfers.refresh();
  const [last] = comingOf(transfers.value.value, files);
  if (last === undefined) return;
  toasts.show({ text, about: last.id, action: opening(router, "transfers", "Watch") });
}

/** Those of the files that are on their way, the last that was asked for first. */
export function comingOf(transfers: readonly Transfer[] | undefined, files: readonly FileLink[]): Transfer[] {
  const ids = new Set(files.map(({ fileId }) => fileId));
  return (transfers ?? []).filter((entry) => isUnfinished(entry) && ids.has(entry.file_id));
}
