/**
 * The page's main part, loaded in the leader tab alone: opens every port that a browser has, joins them as one plain
 * object, and starts the node with the index behind the same API as headless. Called by main; what was opened is closed
 * in reverse, also when a later part fails to open.
 */
import "./no-eval.ts";
import type { HostSettings } from "../api/ports.ts";
import { openWebhooks } from "../api/webhooks/webhooks.ts";
import type { RunningExchange } from "../exchange/exchange.ts";
import { Closers } from "../sharing/closers.ts";
import { createSharingNode } from "../sharing/node.ts";
import type { Swarm } from "../sharing/ports.ts";
import { systemClock as clock } from "../sharing/system-clock.ts";
import type { IdbBlockStore } from "./blocks/idb-block-store.ts";
import { chunksMove } from "./chunks-move.ts";
import { deliverWebhook } from "./deliver-webhook.ts";
import type { HostedNode } from "./hosting/leader.ts";
import { openPageIndex } from "./index/open-page-index.ts";
import { askHostLater, NO_HOST_NETWORK } from "./network/host-network.ts";
import { startNoiseCipher } from "./network/noise-cipher.ts";
import { openPageExchange, ratesOf } from "./network/open-exchange.ts";
import { openPageNetwork } from "./network/open-network.ts";
import { watchWakes } from "./network/wakes.ts";
import { openMedia } from "./open-media.ts";
import { createPageApp } from "./page-app.ts";
import { openPageLog } from "./page-log.ts";
import { PageStart } from "./page-start.ts";
import { openNodeIdentity } from "./records/node-identity.ts";
import { openPageKeys } from "./records/page-keys.ts";
import type { PageSecrets } from "./records/page-secrets.ts";
import { openPageSettings, type PageSettings } from "./records/page-settings.ts";
import { startSystemMeter } from "./system-meter.ts";

/** Answers never reject. Transfers are left by its end so that the next leader goes on with them. */
export interface PageNode extends HostedNode {
  /** Settles once the host has told of the swarm what it did not at this start, as from the next on counts; mostly never. */
  readonly hostToldLater: Promise<void>;
}

/**
 * `onStep`: told what is being opened, in words for the person who waits. `signal`: another tab may lead.
 * @throws the signal's reason
 */
export async function startPageNode(
  secrets: PageSecrets,
  onStep: (step: string) => void,
  signal: AbortSignal,
): Promise<PageNode> {
  const log = openPageLog("node");
  const closers = new Closers((error) => log.warn("a part did not stop cleanly", { error }));
  const start = new PageStart(onStep, signal);
  try {
    start.begin("Opening the store");
    const noiseCrypto = startNoiseCipher((error) => log.warn("libsodium was not loaded", { error }));
    const origin = new URL(location.origin);
    const opening = openMedia({ origin, start, log, closers });
    const searchLoading = import("./search/open-search.ts");
    // It is waited for below; until then a failure must not count as unhandled.
    searchLoading.catch(() => undefined);

    const [identity, records, told, datastore] = await Promise.all([
      openNodeIdentity(secrets),
      opening.records,
      opening.hostTold,
      opening.datastore,
    ]);
    const host = told ?? NO_HOST_NETWORK;
    const settings = await openPageSettings(records, {
      swarm: host.swarm ?? "main",
      hasSearch: host.hasSearch,
    });
    const chosen = settings.read();

    start.begin("Joining the swarm");
    const networkOpening = openPageNetwork(chosen, {
      host,
      privateKey: identity.privateKey,
      noiseCrypto,
      datastore,
      log,
      closers,
    });
    const [network, storage, blocks, files] = await Promise.all([
      networkOpening,
      opening.storage,
      opening.blocks,
      opening.files,
    ]);
    const wakes = watchWakes(() => {
      network.checkConnections().catch((error) => log.warn("connections could not be checked", { error }));
    });
    closers.add(async () => wakes.stop());
    const exchange = await openPageExchange(chosen, {
      network,
      blocks,
      origin,
      hostNodeId: host.nodeId,
      log,
      closers,
    });
    const { swarm } = network;
    keepTo(settings, { swarm, exchange, blocks });
    const system = startSystemMeter({ heldBytes: () => blocks.buffers.heldBytes, clock, log });
    closers.add(async () => system.stop());

    start.begin("Looking through the files");
    const node = await closers.keep(
      createSharingNode(
        { blocks, records, swarm, exchange, files, clock, system, log },
        { autoResume: chosen.auto_resume, stored: opening.stored },
      ),
      (it) => it.stop(),
    );
    start.throwIfCutShort();
    // After what people wait for: a stored index keeps a core busy until it is read.
    const vx = await closers.keep(openPageIndex().then(start.ifCutShort((it) => it.end())), (it) =>
      it.close(),
    );
    const webhooks = await closers.keep(
      openWebhooks({
        records,
        events: node.events,
        clock,
        log: openPageLog("webhooks"),
        deliver: deliverWebhook,
        allowPrivate: false,
      }),
      (it) => it.stop(),
    );
    const { openPageSearch } = await searchLoading;
    start.throwIfCutShort();
    const search = openPageSearch({
      settings: chosen,
      node,
      swarm,
      exchange,
      buffers: blocks.buffers,
      log: openPageLog("search"),
    });
    closers.add(() => search.close());
    const keys = openPageKeys(secrets);
    const app = createPageApp({ node, search, vx, webhooks, settings, identity: identity.port, keys });
    const moves = chunksMove(blocks.buffers, clock);
    const stopping = new AbortController();
    const hostToldLater =
      told === undefined
        ? askHostLater(origin, { records: opening.records, log, clock, signal: stopping.signal })
        : new Promise<void>(() => {});
    hostToldLater.catch(() => undefined);
    start.end();
    return {
      answer: (request, client) => app.fetch(request, client),
      isBusy: () => moves() || node.isTransferring(),
      stop(isFollowed) {
        // Before the first await: transfers end, and what the next leader opens is let go of.
        stopping.abort();
        const stops = [node.stop(), search.end(), ...(isFollowed ? [records.close()] : [])];
        for (const stopped of stops) closers.add(() => stopped);
        exchange.stop();
        storage.stop();
        vx.end();
        return closers.closeAll();
      },
      hostToldLater,
    };
  } catch (error) {
    await closers.closeAll();
    throw error;
  }
}

/** To what counts at once, as it is now and after each change. */
function keepTo(
  settings: PageSettings,
  { swarm, exchange, blocks }: { swarm: Swarm; exchange: RunningExchange; blocks: IdbBlockStore },
): void {
  const keep = (chosen: HostSettings) => {
    swarm.rename(chosen.name ?? "");
    swarm.takeInvitations(chosen.invitations);
    exchange.setRates(ratesOf(chosen));
    blocks.maxBytes = chosen.max_storage;
  };
  keep(settings.read());
  settings.onChange(keep);
}
