/**
 * What the node's events bring into its lists: the progress of transfers as it is told, and all else by asking for the lists that
 * it is about. Made by app-state; calls soon and transfer-progress.
 */
import type { ShoalEvent } from "../../client/events.ts";
import { OFFERS_AFTER_MS } from "../limits.ts";
import type { Lists } from "./lists.ts";
import { createSoon } from "./soon.ts";
import { gatherProgress, isMoreKnown, type Progress, withProgress } from "./transfer-progress.ts";

export interface ListNews {
  hear(event: ShoalEvent): void;
  /** Peers are there, of whose offers no event tells: these come a moment later. */
  hearOffers(): void;
  /** Progress that is not in the list yet is known from the node's answer. */
  forgetProgress(): void;
}

/** Lives until `stop` aborts. */
export function createListNews(lists: Lists, stop: AbortSignal): ListNews {
  const { info, files, transfers, peers, invitations, sent, network } = lists;
  const soon = createSoon();
  let offersTimer: ReturnType<typeof setTimeout> | undefined;
  stop.addEventListener("abort", () => clearTimeout(offersTimer));

  const progress = gatherProgress((gathered) => {
    transfers.patch((list) => withProgress(list, gathered));
    // A file is listed, and its size known, from the moment that its pieces are, of which the first progress tells.
    const listed = new Set(files.value.value?.map(({ id }) => id));
    const isUnlisted = ({ file_id }: Progress) => !listed.has(file_id);
    if (files.value.value !== undefined && [...gathered.values()].some(isUnlisted)) soon(files);
    if (transfers.value.value?.some((transfer) => isMoreKnown(transfer, gathered))) soon(transfers);
  });

  function hearOffers(): void {
    clearTimeout(offersTimer);
    offersTimer = setTimeout(() => soon(network), OFFERS_AFTER_MS);
  }

  return {
    hear(event) {
      if (event.event === "transfer_progress") progress.add(event.data);
      else if (event.event.startsWith("peer_")) {
        soon(peers, info, network);
        hearOffers();
      } else if (event.event === "invitation_received") soon(invitations);
      else if (event.event === "invitation_answered") soon(sent);
      // A file that gets its name names its transfers, too; what is asked for is no longer to be answered.
      else soon(transfers, files, info, invitations);
    },
    hearOffers,
    forgetProgress: progress.forget,
  };
}
