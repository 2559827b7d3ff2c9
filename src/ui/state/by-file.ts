/** Transfers by their files, and files by their ids: of thousands of rows none looks through all of them. Called by app-state. */
import { computed, type ReadonlySignal } from "@preact/signals";
import { isUnfinished } from "../transfers/transfer-words.ts";
import type { LocalFile, Transfer } from "./entries.ts";

type Known<E> = ReadonlySignal<readonly E[] | undefined>;

/** Those of one file stay in the order of the list. */
export function transfersByFile<T extends Pick<Transfer, "file_id">>(
  transfers: Known<T>,
): ReadonlySignal<ReadonlyMap<string, readonly T[]>> {
  return computed(() => {
    const byFile = new Map<string, T[]>();
    for (const transfer of transfers.value ?? []) {
      const others = byFile.get(transfer.file_id);
      if (others === undefined) byFile.set(transfer.file_id, [transfer]);
      else others.push(transfer);
    }
    return byFile;
  });
}

/** Ids of those of which all is here. */
export function wholeFiles(files: Known<LocalFile>): ReadonlySignal<ReadonlySet<string>> {
  return computed(() => new Set(files.value?.flatMap(({ id, complete }) => (complete ? [id] : []))));
}

/** The first answer after a transfer's end may have been asked for before it. */
const TELLINGS = 2;

/**
 * Ids of those that were asked for and have not come. That a transfer is done may be heard before its file is known to be
 * whole: until files are told of anew it is on its way as before, or it would be neither here nor asked for.
 */
export function awaitedFiles(
  transfers: Known<Pick<Transfer, "id" | "file_id" | "status">>,
  whole: ReadonlySignal<ReadonlySet<string>>,
): ReadonlySignal<ReadonlySet<string>> {
  let told = whole.peek();
  /** By the ids of transfers: how often files are told of until one that is done no longer counts. */
  let tellings: ReadonlyMap<string, number> = new Map();
  return computed(() => {
    const toldAnew = whole.value === told ? 0 : 1;
    const tellingsOf = (transfer: Pick<Transfer, "id" | "file_id" | "status">) => {
      if (isUnfinished(transfer)) return TELLINGS;
      if (transfer.status !== "completed" || whole.value.has(transfer.file_id)) return 0;
      return (tellings.get(transfer.id) ?? 0) - toldAnew;
    };
    const awaited = (transfers.value ?? []).filter((transfer) => tellingsOf(transfer) > 0);
    tellings = new Map(awaited.map((transfer) => [transfer.id, tellingsOf(transfer)]));
    told = whole.value;
    return new Set(awaited.map(({ file_id }) => file_id));
  });
}

export function filesById(files: Known<LocalFile>): ReadonlySignal<ReadonlyMap<string, LocalFile>> {
  return computed(() => new Map(files.value?.map((file) => [file.id, file])));
}
