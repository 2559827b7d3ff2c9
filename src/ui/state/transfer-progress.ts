/**
 * What events tell of running transfers, in the list of all transfers. Each change of a list costs the page its whole
 * length, and a folder of small files brings hundreds of events a second: the first is told of at once, and those that
 * come meanwhile a moment later, together. Called by list-news.
 */
import type { ShoalEvent } from "../../client/events.ts";
import { LISTS_REST_MS } from "../limits.ts";
import { isRunning } from "../transfers/transfer-words.ts";
import type { Transfer } from "./entries.ts";

export type Progress = Extract<ShoalEvent, { event: "transfer_progress" }>["data"];

/** By the ids of transfers, of each the last. */
export type Gathered = ReadonlyMap<string, Progress>;

export interface Gathering {
  add(progress: Progress): void;
  /** What was not told of yet is known from elsewhere. */
  forget(): void;
}

export function gatherProgress(tell: (gathered: Gathered) => void): Gathering {
  let gathered = new Map<string, Progress>();
  let isResting = false;

  function tellAll(): void {
    isResting = gathered.size > 0;
    if (!isResting) return;
    const all = gathered;
    gathered = new Map();
    setTimeout(tellAll, LISTS_REST_MS);
    tell(all);
  }

  return {
    add(progress) {
      gathered.set(progress.transfer_id, progress);
      if (!isResting) tellAll();
    },
    forget: () => gathered.clear(),
  };
}

/**
 * Of those that run: an event may come after the answer that knew more than it, and what was paused would run again for a
 * moment.
 */
export function withProgress(list: readonly Transfer[], gathered: Gathered): readonly Transfer[] {
  return list.map((transfer) => {
    const told = gathered.get(transfer.id);
    if (told === undefined || !isRunning(transfer)) return transfer;
    const { transfer_id, status, ...figures } = told;
    return { ...transfer, ...figures, status: status as Transfer["status"] };
  });
}

/** Whether there is more of it than progress tells: it may run again, or its size be known now. */
export function isMoreKnown(transfer: Transfer, gathered: Gathered): boolean {
  return gathered.has(transfer.id) && (!isRunning(transfer) || transfer.size === null);
}
