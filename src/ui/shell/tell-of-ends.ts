/**
 * Tells of downloads that end: the files of a folder together, once nothing of it is on its way, and others at once. Called by
 * presence; calls tell-end.
 */
import { computed, type ReadonlySignal } from "@preact/signals";
import type { Folder } from "../../api/folders.ts";
import type { ShoalClient } from "../../client/client.ts";
import type { ShoalEvent } from "../../client/events.ts";
import { folderListName, folderNameOf } from "../../spelling/folder-name.ts";
import { countText } from "../elements/quantities.ts";
import { holdersOf } from "../folders/grouped.ts";
import { FOLDER_ENDS_AFTER_MS } from "../limits.ts";
import type { Transfer } from "../state/entries.ts";
import type { Listing } from "../state/listing.ts";
import type { Live } from "../state/live.ts";
import { sentence } from "../state/sentence.ts";
import type { Toasts } from "../state/toasts.ts";
import { groupEndText } from "../transfers/joint-words.ts";
import { groupsOf } from "../transfers/transfer-rows.ts";
import { isUnfinished } from "../transfers/transfer-words.ts";
import { createEndTeller, type TellEndParts } from "./tell-end.ts";

type TransferEnd = Extract<ShoalEvent, { event: "transfer_complete" | "transfer_failed" }>;

/** Of the app. */
export interface TellOfEndsParts extends TellEndParts {
  onEvent(listener: (event: ShoalEvent) => void): () => void;
  client: Pick<ShoalClient, "transfer">;
  transfers: Pick<Live<readonly Transfer[]>, "value" | "refresh">;
  listing: ReadonlySignal<Pick<Listing<unknown>, "known"> | undefined>;
  offers: ReadonlySignal<Pick<Listing<unknown>, "known"> | undefined>;
  toasts: Pick<Toasts, "over" | "say" | "show">;
}

/** Runs until the function returned is called. */
export function tellOfEnds({
  onEvent,
  client,
  transfers,
  listing,
  offers,
  toasts,
  router,
}: TellOfEndsParts): () => void {
  const { tell, stop: stopTelling } = createEndTeller({ toasts, router });
  const clocks = new Map<string, ReturnType<typeof setTimeout>>();
  /** By the ids of folders of which it was not told yet: the last of their files that came or failed. */
  const untold = new Map<string, TransferEnd>();
  // What is got from the screen of the network may end before the list that came with it is read here. Lists that
  // nobody asked for don't count: anybody may offer one that names these files.
  const folders = computed((): ReadonlyMap<string, Folder> => {
    const asked = new Set(transfers.value.value?.map(({ file_id }) => file_id));
    const got = [...(offers.value?.known ?? [])].filter(([listId]) => asked.has(listId));
    return new Map([...got, ...(listing.value?.known ?? [])]);
  });
  const holders = computed(() => holdersOf(folders.value));
  const groups = computed(() => groupsOf(transfers.value.value ?? [], folders.value, holders.value));
  // What ends at once may not be in the list yet, and what was removed meanwhile is nowhere.
  const nameOf = async (transferId: string) =>
    transfers.value.value?.find(({ id }) => id === transferId)?.name ??
    (await client.transfer(transferId).catch(() => undefined))?.name ??
    "A file";

  async function tellOfOne({ event, data }: TransferEnd): Promise<void> {
    const isHere = event === "transfer_complete";
    const after = isHere ? " is here, all of it checked." : ` did not come. ${sentence(data.error)}`;
    const file = await nameOf(data.transfer_id);
    if (isHere && folderNameOf(file) !== undefined) tellOfList(file, data);
    else {
      const together = isHere ? filesHere : filesFailed;
      tell({ text: { file, after }, isHere, ids: [data.file_id], together });
    }
  }

  /** Unless its files were asked for right after it, which tell of the folder. */
  function tellOfList(file: string, { transfer_id: id, file_id: listId }: TransferEnd["data"]): void {
    const after = " can be opened: what is in it is known here.";
    const clock = setTimeout(() => {
      clocks.delete(id);
      const inIt = new Set(folders.value.get(listId)?.files.map(({ file_id }) => file_id));
      if (!transfers.value.value?.some(({ file_id }) => inIt.has(file_id)))
        tell({ text: { file, after }, isHere: true, ids: [listId] });
    }, FOLDER_ENDS_AFTER_MS);
    clocks.set(id, clock);
  }

  /** Once none of its files is on its way, nor asked for right after others. */
  function tellOfFolder(folderId: string, end: TransferEnd): void {
    untold.set(folderId, end);
    clearTimeout(clocks.get(folderId));
    const clock = setTimeout(async () => {
      // Read after all that has ended, or else as it is known.
      await transfers.refresh().catch(() => undefined);
      if (clocks.get(folderId) !== clock) return;
      clocks.delete(folderId);
      const group = groups.value.get(end.data.file_id);
      if (group?.transfers.some(isUnfinished)) return;
      untold.delete(folderId);
      if (group === undefined) return void tellOfOne(end);
      const { after, isHere } = groupEndText(group);
      tell({ text: { file: folderListName(group.folder.name), after }, isHere, ids: [group.id] });
    }, FOLDER_ENDS_AFTER_MS);
    clocks.set(folderId, clock);
  }

  const folderOf = (fileId: string) => groups.value.get(fileId)?.id ?? holders.value.get(fileId)?.[0];
  const stop = onEvent((event) => {
    if (event.event === "transfer_complete" || event.event === "transfer_failed") {
      toasts.over(event.data.transfer_id);
      const folderId = folderOf(event.data.file_id);
      if (folderId === undefined) void tellOfOne(event);
      else tellOfFolder(folderId, event);
    } else if (event.event === "transfer_cancelled") {
      toasts.over(event.data.transfer_id);
      // Of it nothing is told, but others of its folder may have waited for its end.
      const folderId = folderOf(event.data.file_id) ?? "";
      const end = untold.get(folderId);
      if (end !== undefined) tellOfFolder(folderId, end);
    }
  });
  return () => {
    stop();
    for (const clock of clocks.values()) clearTimeout(clock);
    clocks.clear();
    stopTelling();
  };
}

function filesHere(count: number): string {
  return `${countText(count, "file")} are here, all of them checked.`;
}

/** Of each the transfers tell why. */
function filesFailed(count: number): string {
  return `${countText(count, "file")} did not come.`;
}
