/**
 * The exchange of chunks with peers as this machine takes part in it, by the settings: how fast, and by which ways beside the
 * network's own streams. Called by main; calls createExchange.
 */
import type { ExpectedPosts } from "../../exchange/asking/expected-posts.ts";
import { createExchange, type RunningExchange } from "../../exchange/exchange.ts";
import type { OfferedSides } from "../../exchange/serving/offered-sides.ts";
import type { Network } from "../../network/network.ts";
import type { Closers } from "../../sharing/closers.ts";
import { systemClock as clock } from "../../sharing/system-clock.ts";
import type { Logger } from "../log.ts";
import type { Settings } from "../settings/settings.ts";
import { createTlsSidePath } from "./tls-side-path.ts";

interface OpenExchangeParts {
  network: Network;
  sides: OfferedSides;
  posts: ExpectedPosts;
  log: Logger;
  closers: Closers;
}

export async function openExchange(
  settings: Settings,
  { network, sides, posts, log, closers }: OpenExchangeParts,
): Promise<RunningExchange> {
  const exchange = createExchange({
    streams: network,
    clock,
    sides,
    sidePath: createTlsSidePath(network),
    ...(settings["web-port"] !== undefined && { posts }),
    maxUploadBytesPerSecond: settings["max-upload"],
    maxDownloadBytesPerSecond: settings["max-download"],
    onSideLost: (peerId, reason) => log.debug({ peerId, reason }, "a side stream was lost"),
    onViolation: (peerId, error) => log.warn({ peerId, error }, "a peer broke the protocol"),
    onSourceError: (error) => log.warn({ error }, "a chunk could not be read for a peer"),
  });
  closers.add(async () => exchange.stop());
  await exchange.ready;
  return exchange;
}
