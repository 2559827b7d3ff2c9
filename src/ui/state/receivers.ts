/**
 * Who has what was shared last, or some of it, for whoever keeps the page open until others have it. Who had all of it
 * counts when they have gone, too. Called by app-state.
 */
import { computed, type ReadonlySignal } from "@preact/signals";
import type { NetworkFile } from "./entries.ts";
import type { Shared } from "./imports.ts";

/** Ids of peers. */
export interface Receivers {
  readonly whole: readonly string[];
  /** They offer some of it now. */
  readonly begun: readonly string[];
}

/** Follows what is announced while no screen shows it, too. Lives until `stop` aborts. */
export function receiversOf(
  shared: ReadonlySignal<readonly Pick<Shared, "fileId">[]>,
  network: ReadonlySignal<readonly Pick<NetworkFile, "id" | "peers" | "complete_peers">[] | undefined>,
  stop: AbortSignal,
): ReadonlySignal<Receivers> {
  /** By the ids of files. */
  let had: ReadonlyMap<string, ReadonlySet<string>> = new Map();
  const receivers = computed(() => {
    const offers = new Map(network.value?.map((offer) => [offer.id, offer]));
    had = new Map(
      shared.value.map(({ fileId }) => {
        const { peers = [], complete_peers: count = 0 } = offers.get(fileId) ?? {};
        return [fileId, new Set([...(had.get(fileId) ?? []), ...peers.slice(0, count)])];
      }),
    );
    const [first = [], ...others] = had.values();
    return {
      whole: [...first].filter((peer) => others.every((peers) => peers.has(peer))),
      begun: [...new Set(shared.value.flatMap(({ fileId }) => offers.get(fileId)?.peers ?? []))],
    };
  });
  stop.addEventListener(
    "abort",
    receivers.subscribe(() => {}),
  );
  return receivers;
}
