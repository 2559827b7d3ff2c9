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

/**
 * Ids of those that were asked for and have not come. That a transfer is done may be heard before its file is known to be
 * whole: until files are told of anew it is on its way as before, or it would be neither here nor asked for.
 */
export function awaitedFiles(
  transfers: Known<Pick<Transfer, "file_id" | "status">>,
  files: Known<LocalFile>,
): ReadonlySignal<ReadonlySet<string>> {
  let told = files.peek();
  let before: ReadonlySet<string> = new Set();
  return computed(() => {
    const isToldAnew = files.value !== told;
    const isAwaited = (transfer: Pick<Transfer, "file_id" | "status">) =>
      isUnfinished(transfer) ||
      (transfer.status === "completed" && !isToldAnew && before.has(transfer.file_id));
    told = files.value;
    before = new Set(transfers.value?.filter(isAwaited).map(({ file_id }) => file_id));
    return before;
  });
}

export function filesById(files: Known<LocalFile>): ReadonlySignal<ReadonlyMap<string, LocalFile>> {
  return computed(() => new Map(files.value?.map((file) => [file.id, file])));
}
