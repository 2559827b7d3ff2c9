/**
 * Several files and folders asked for, some at a time. Called by get-many-dialog, not-yet and the rows of the network; calls
 * the client.
 */
import type { DownloadRequest } from "../../api/transfer-bodies.ts";
import type { ShoalClient } from "../../client/client.ts";
import { ShoalError } from "../../client/shoal-error.ts";
import { numberText } from "../elements/quantities.ts";
import type { FileLink } from "../links.ts";
import type { Router } from "../router.ts";
import type { Asked } from "../state/asked.ts";
import type { Transfer } from "../state/entries.ts";
import type { Live } from "../state/live.ts";
import { sentence } from "../state/sentence.ts";
import { someAtATime } from "../state/some-at-a-time.ts";
import { opening, type Toast, type Toasts } from "../state/toasts.ts";
import { isUnfinished } from "../transfers/transfer-words.ts";

export interface Wanted {
  /** By themselves. */
  files: readonly FileLink[];
  /** By their lists, with all in them that is not here. */
  folders: readonly FileLink[];
}

interface Getting {
  client: Pick<ShoalClient, "download" | "downloadFolder">;
  transfers: Pick<Live<unknown>, "refresh">;
  files: Pick<Live<unknown>, "refresh">;
  asked: Pick<Asked, "set">;
}

/**
 * The lists of folders first, so that files stand in these from the beginning. What was asked for is in the lists by the end.
 * @param here ids of files of which all is here
 * @param onAsked told how many files and folders have been asked for
 * @returns the ids of their transfers
 * @throws what the client throws; after some of them with their number
 */
export async function getEach(
  { client, transfers, files: ownFiles, asked }: Getting,
  { files, folders }: Wanted,
  here: ReadonlySet<string>,
  onAsked: (count: number) => void = () => {},
): Promise<string[]> {
  const started: string[] = [];
  const ask = async (link: FileLink) => {
    const { transfer_id } = await client.download(downloadOf(link));
    started.push(transfer_id);
  };
  const askFolder = async (list: FileLink) => {
    try {
      const options = { missing_only: true, ...(list.unlisted && { unlisted: true }) };
      const answer = await client.downloadFolder(list.fileId, options);
      for (const { transfer_id } of answer.transfers) started.push(transfer_id);
    } catch (error) {
      // Its list comes like any file, and it can be opened by hand then.
      if (here.has(list.fileId) || !isOutOfReach(error)) throw error;
    }
  };
  const lists = folders.filter(({ fileId }) => !here.has(fileId));
  let count = 0;
  const counted = (work: (link: FileLink) => Promise<void>) => async (link: FileLink) => {
    await work(link);
    count += 1;
    onAsked(count);
  };
  for (const { fileId } of folders) asked.set(fileId, "asking for all");
  try {
    await someAtATime(lists, ask);
    // The files, which may be here at once, are told of as those of a folder that is asked for.
    if (lists.length > 0) await transfers.refresh();
    await someAtATime(folders, counted(askFolder));
    await someAtATime(files, counted(ask));
    await Promise.all([transfers.refresh(), ownFiles.refresh()]);
  } catch (error) {
    const of = files.length + folders.length;
    const isPart = count > 0 && count < of && error instanceof ShoalError;
    throw isPart ? stoppedAfter(count, of, error) : error;
  } finally {
    for (const { fileId } of folders) asked.set(fileId, undefined);
  }
  return started;
}

/** What the node is asked of a link by itself. */
export function downloadOf({ fileId, name, unlisted }: FileLink): DownloadRequest {
  return { file_id: fileId, ...(name !== undefined && { name }), ...(unlisted && { unlisted }) };
}

/** Nobody who is connected gives it now. A node that leaves with its tab says when to try again: not all may be noted. */
function isOutOfReach(error: unknown): boolean {
  if (!(error instanceof ShoalError)) return false;
  return error.status === 404 || (error.status === 503 && error.retryAfterSeconds === undefined);
}

/** As where there are as many transfers as may be. What is asked for twice comes once. */
function stoppedAfter(count: number, of: number, refusal: ShoalError): Error {
  const asked = `${numberText(count)} of ${numberText(of)} are asked for: get the rest the same way once that has changed.`;
  return new Error(`${sentence(refusal.message)} ${asked}`, { cause: refusal });
}

interface Telling {
  transfers: Pick<Live<readonly Transfer[]>, "value">;
  toasts: Pick<Toasts, "show">;
  router: Pick<Router, "go">;
}

/**
 * Where nothing on the screen shows that these transfers, which are in the list, were started. Those of small files have ended
 * by now, and are told of.
 */
export function tellOfGetting(
  { transfers, toasts, router }: Telling,
  started: readonly string[],
  words: Pick<Toast, "text" | "together">,
): void {
  const ids = new Set(started);
  const last = transfers.value.value?.find((entry) => ids.has(entry.id) && isUnfinished(entry));
  if (last === undefined) return;
  toasts.show({ ...words, about: last.id, action: opening(router, "transfers", "Watch") });
}
