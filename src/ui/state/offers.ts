/**
 * What others offer, together with what the folders among it hold, for the screen of the network: lists are read from those who
 * offer them, and so only while that screen is open. Called by app-state; calls listing.
 */
import { computed, type ReadonlySignal } from "@preact/signals";
import type { ShoalClient } from "../../client/client.ts";
import { byNameAndId } from "../elements/by-name.ts";
import { MAX_OFFERED_LISTS_BYTES } from "../limits.ts";
import type { Router } from "../router.ts";
import type { NetworkFile } from "./entries.ts";
import { createListing, type Listing } from "./listing.ts";

/** Those that most peers hold come first, of folders as of files. Lives until `stop` aborts. */
export function createOffers(
  client: Pick<ShoalClient, "folder">,
  network: ReadonlySignal<readonly NetworkFile[] | undefined>,
  { route }: Pick<Router, "route">,
  stop: AbortSignal,
): ReadonlySignal<Listing<NetworkFile> | undefined> {
  const isOpen = computed(() => route.value.screen === "network");
  const files = computed(() => (isOpen.value ? network.value?.toSorted(bestHeldFirst) : undefined));
  return createListing(client, files, withinBytes, stop);
}

/** The first that have room together, and later ones that are smaller. */
function withinBytes(lists: readonly NetworkFile[]): NetworkFile[] {
  let leftBytes = MAX_OFFERED_LISTS_BYTES;
  return lists.filter(({ size }) => {
    const hasRoom = size <= leftBytes;
    if (hasRoom) leftBytes -= size;
    return hasRoom;
  });
}

function bestHeldFirst(a: NetworkFile, b: NetworkFile): number {
  return b.peers.length - a.peers.length || byNameAndId(a, b);
}
