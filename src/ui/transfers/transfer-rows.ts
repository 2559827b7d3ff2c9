/** Transfers as rows: those of one folder stand in it. Called by transfers-screen and shell/tell-of-ends. */
import type { Folder } from "../../api/folders.ts";
import type { Transfer } from "../state/entries.ts";
import { inTurn, isUnfinished, lastEndedFirst } from "./transfer-words.ts";

export interface TransferGroup {
  /** Of the folder's list. */
  id: string;
  folder: Folder;
  /**
   * Of two files or more; of each the newest, and all that are unfinished. These come first, in the order in which they
   * were asked for, then what failed.
   */
  transfers: readonly Transfer[];
}

export type TransferRow = Transfer | TransferGroup;

export interface TransferRows {
  /** A folder stands here as long as one of its files does. */
  unfinished: readonly TransferRow[];
  ended: readonly TransferRow[];
}

type Holders = ReadonlyMap<string, readonly string[]>;

/**
 * `transfers`: newest first. `holders`: the lists that name a file, by its id. A file of several folders stands in that of which
 * most was asked for; the transfer of a folder's list tells nothing beside those of its files.
 */
export function transferRows(
  transfers: readonly Transfer[],
  folders: ReadonlyMap<string, Folder>,
  holders: Holders,
): TransferRows {
  const groups = groupsOf(transfers, folders, holders);
  const lists = new Set([...groups.values()].map(({ id }) => id));
  const rowsOf = (all: readonly Transfer[]) =>
    new Set(all.map((transfer): TransferRow => groups.get(transfer.file_id) ?? transfer));
  const unfinished = rowsOf(inTurn(transfers.filter(isUnfinished)));
  const over = transfers.filter((transfer) => !isUnfinished(transfer) && !lists.has(transfer.file_id));
  const ended = [...rowsOf(over.sort(lastEndedFirst))].filter((row) => !unfinished.has(row));
  return { unfinished: [...unfinished], ended };
}

/** Folders by the ids of the files that are in them; arguments as of `transferRows`. */
export function groupsOf(
  transfers: readonly Transfer[],
  folders: ReadonlyMap<string, Folder>,
  holders: Holders,
): ReadonlyMap<string, TransferGroup> {
  const seen = new Set<string>();
  const listsOf = new Map<Transfer, readonly string[]>();
  const counts = new Map<string, number>();
  for (const transfer of transfers) {
    const { file_id: fileId } = transfer;
    const lists = holders.get(fileId);
    if (lists === undefined || (seen.has(fileId) && !isUnfinished(transfer))) continue;
    if (!seen.has(fileId)) for (const list of lists) counts.set(list, (counts.get(list) ?? 0) + 1);
    seen.add(fileId);
    listsOf.set(transfer, lists);
  }
  const members = new Map<string, Transfer[]>();
  for (const [transfer, lists] of listsOf) {
    const fullest = lists.reduce((most, list) =>
      (counts.get(list) ?? 0) > (counts.get(most) ?? 0) ? list : most,
    );
    const all = members.get(fullest) ?? [];
    all.push(transfer);
    members.set(fullest, all);
  }
  const groups = new Map<string, TransferGroup>();
  for (const [id, all] of members) {
    const folder = folders.get(id);
    const fileIds = new Set(all.map(({ file_id }) => file_id));
    if (folder === undefined || fileIds.size < 2) continue;
    const group = { id, folder, transfers: inOrder(all) };
    for (const fileId of fileIds) groups.set(fileId, group);
  }
  return groups;
}

function inOrder(all: readonly Transfer[]): Transfer[] {
  const over = all.filter((transfer) => !isUnfinished(transfer)).sort(lastEndedFirst);
  const hasFailed = ({ status }: Transfer) => status === "failed";
  const unfinished = all.filter(isUnfinished).reverse();
  return [
    ...unfinished.filter(({ waiting }) => !waiting),
    ...unfinished.filter(({ waiting }) => waiting),
    ...over.filter(hasFailed),
    ...over.filter((transfer) => !hasFailed(transfer)),
  ];
}
