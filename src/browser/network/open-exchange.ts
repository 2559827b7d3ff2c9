/**
 * The exchange of chunks with peers as this page takes part in it, by its settings: how fast, and by which ways to its host
 * beside the network's own streams. Called by start-node; calls createExchange.
 */
import type { HostSettings } from "../../api/ports.ts";
import { createExchange, type Rates, type RunningExchange } from "../../exchange/exchange.ts";
import type { Network } from "../../network/network.ts";
import type { Closers } from "../../sharing/closers.ts";
import type { Log } from "../../sharing/ports.ts";
import { systemClock as clock } from "../../sharing/system-clock.ts";
import type { IdbBlockStore } from "../blocks/idb-block-store.ts";
import { createHostPostPath } from "./host-post-path.ts";
import { createHostSidePath } from "./host-side-path.ts";

type RateSettings = Pick<HostSettings, "max_upload" | "max_download">;

interface OpenExchangeParts {
  network: Network;
  blocks: Pick<IdbBlockStore, "blob">;
  origin: URL;
  /** Of the node that serves the page; undefined where the host does not say. */
  hostNodeId: string | undefined;
  log: Log;
  closers: Closers;
}

export async function openPageExchange(
  settings: RateSettings,
  { network, blocks, origin, hostNodeId, log, closers }: OpenExchangeParts,
): Promise<RunningExchange> {
  const exchange = createExchange({
    streams: network,
    clock,
    ...ratesOf(settings),
    sidePath: createHostSidePath(origin, hostNodeId),
    onSideLost: (peerId, reason) => log.info("a side stream is not used", { peerId, reason }),
    postPath: createHostPostPath(origin, hostNodeId, blocks),
    onPostLost: (peerId, reason) => log.info("a posted chunk was lost", { peerId, reason }),
    onViolation: (peerId, error) => log.warn("a peer broke the protocol", { peerId, error }),
    onSourceError: (error) => log.warn("a chunk could not be read for a peer", { error }),
  });
  closers.add(async () => exchange.stop());
  await exchange.ready;
  return exchange;
}

export function ratesOf({ max_upload, max_download }: RateSettings): Rates {
  return {
    maxUploadBytesPerSecond: max_upload ?? undefined,
    maxDownloadBytesPerSecond: max_download ?? undefined,
  };
}
