/**
 * The page's main part, loaded in the leader tab alone: opens every port that a browser has, joins them as one plain
 * object, and starts the node with the index behind the same API as headless. Called by main; what was opened is closed
 * in reverse, also when a later part fails to open.
 */
import "./no-eval.ts";
import { createApp } from "../api/app.ts";
import type { DocsAssetName, HostSettings } from "../api/ports.ts";
import { openWebhooks } from "../api/webhooks/webhooks.ts";
import { LossLog } from "../sharing/catalog/loss-log.ts";
import { loadStored } from "../sharing/catalog/stored.ts";
import { Closers } from "../sharing/closers.ts";
import { SharingError } from "../sharing/errors.ts";
import { createSharingNode } from "../sharing/node.ts";
import type { Swarm } from "../sharing/ports.ts";
import { systemClock as clock } from "../sharing/system-clock.ts";
import { openIdbBlockStore } from "./blocks/idb-block-store.ts";
import { chunksMove } from "./chunks-move.ts";
import { deliverWebhook } from "./deliver-webhook.ts";
import { openOpfsFiles } from "./files/opfs-files.ts";
import type { HostedNode } from "./hosting/leader.ts";
import { openPageIndex } from "./index/open-page-index.ts";
import { MAX_BODY_BYTES, REQUESTS_PER_MINUTE } from "./limits.ts";
import { askHostLater, NO_HOST_NETWORK, readHostNetwork } from "./network/host-network.ts";
import { openIdbDatastore } from "./network/idb-datastore.ts";
import { startNoiseCipher } from "./network/noise-cipher.ts";
import { openPageExchange, ratesOf } from "./network/open-exchange.ts";
import { openPageNetwork } from "./network/open-network.ts";
import { watchWakes } from "./network/wakes.ts";
import { openPageLog } from "./page-log.ts";
import { openIdbRecords } from "./records/idb-records.ts";
import { openNodeIdentity } from "./records/node-identity.ts";
import { openPageKeys } from "./records/page-keys.ts";
import type { PageSecrets } from "./records/page-secrets.ts";
import { openPageSettings } from "./records/page-settings.ts";
import { askForPersistence } from "./storage/storage-persistence.ts";
import { startStorageWorker } from "./storage/storage-worker.ts";
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
  const started = new AbortController();
  /** What was opened is let go of once another tab may lead, at once: a page that is frozen goes on with its start after that. */
  function ifCutShort<T>(letGo: (opened: T) => void): (opened: T) => T {
    return (opened) => {
      const end = () => letGo(opened);
      if (signal.aborted) end();
      else signal.addEventListener("abort", end, { signal: started.signal });
      return opened;
    };
  }
  function begin(step: string): void {
    signal.throwIfAborted();
    onStep(step);
  }
  try {
    begin("Opening the store");
    const noiseCrypto = startNoiseCipher((error) => log.warn("libsodium was not loaded", { error }));
    const origin = new URL(location.origin);
    // Together, as far as one needs none of the others, and first what the network needs, whose dials take the longest.
    const recordsOpening = closers.keep(openIdbRecords().then(ifCutShort((it) => void it.close())), (it) =>
      it.close(),
    );
    const hostTold = readHostNetwork(origin, { records: recordsOpening, log });
    const datastoreOpening = closers.keep(
      openIdbDatastore((error) => log.warn("known peers were not written", { error })),
      (it) => it.close(),
    );
    const lossLog = new LossLog(log, clock);
    const storageOpening = closers.keep(
      startStorageWorker().then(ifCutShort((it) => it.stop())),
      async (it) => it.stop(),
    );
    const blocksOpening = closers.keep(
      storageOpening.then(({ work }) =>
        openIdbBlockStore({ work: work.blocks, onLost: (block) => lossLog.lost(block) }),
      ),
      (it) => it.close(),
    );
    const filesOpening = storageOpening.then(({ work }) => openOpfsFiles({ work: work.outputs }));
    const storedLoading = Promise.all([blocksOpening, recordsOpening]).then(([blocks, records]) =>
      loadStored({ blocks, records, clock, log }),
    );
    const searchLoading = import("./search/open-search.ts");
    // They are waited for below; until then a failure must not count as unhandled.
    for (const opening of [hostTold, filesOpening, storedLoading, searchLoading] as Promise<unknown>[])
      opening.catch(() => undefined);

    const [identity, records, told, datastore] = await Promise.all([
      openNodeIdentity(secrets),
      recordsOpening,
      hostTold,
      datastoreOpening,
    ]);
    const host = told ?? NO_HOST_NETWORK;
    const settings = await openPageSettings(records, {
      swarm: host.swarm ?? "main",
      hasSearch: host.hasSearch,
    });
    const chosen = settings.read();

    begin("Joining the swarm");
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
      storageOpening,
      blocksOpening,
      filesOpening,
    ]);
    blocks.maxBytes = chosen.max_storage;
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
    tellPeers(swarm, chosen);
    settings.onChange((changed) => {
      tellPeers(swarm, changed);
      exchange.setRates(ratesOf(changed));
      blocks.maxBytes = changed.max_storage;
    });
    const system = startSystemMeter({ heldBytes: () => blocks.buffers.heldBytes, clock, log });
    closers.add(async () => system.stop());

    begin("Looking through the files");
    const node = await closers.keep(
      createSharingNode(
        { blocks, records, swarm, exchange, files, clock, system, log },
        { autoResume: chosen.auto_resume, stored: storedLoading },
      ),
      (it) => it.stop(),
    );
    signal.throwIfAborted();
    // After what people wait for: a stored index keeps a core busy until it is read.
    const vx = await closers.keep(openPageIndex().then(ifCutShort((it) => it.end())), (it) => it.close());
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
    signal.throwIfAborted();
    const search = openPageSearch({
      settings: chosen,
      node,
      swarm,
      exchange,
      buffers: blocks.buffers,
      log: openPageLog("search"),
    });
    closers.add(() => search.close());
    const app = createApp({
      node,
      search,
      vx,
      webhooks,
      settings,
      identity: identity.port,
      evictable: { isPersisted: () => navigator.storage.persisted(), persist: askForPersistence },
      clock,
      version: __SHOAL_VERSION__,
      keys: openPageKeys(secrets),
      access: { hostNames: [location.hostname], corsOrigins: [] },
      limits: { requestsPerMinute: REQUESTS_PER_MINUTE, maxBodyBytes: MAX_BODY_BYTES },
      log: openPageLog("api"),
      docsAssets: readDocsAsset,
    });
    const moves = chunksMove(blocks.buffers, clock);
    const stopping = new AbortController();
    const hostToldLater =
      told === undefined
        ? askHostLater(origin, { records: recordsOpening, log, clock, signal: stopping.signal })
        : new Promise<void>(() => {});
    hostToldLater.catch(() => undefined);
    started.abort();
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

function tellPeers(swarm: Swarm, { name, invitations }: HostSettings): void {
  swarm.rename(name ?? "");
  swarm.takeInvitations(invitations);
}

/** The host of the page has these files beside it; they are loaded when somebody reads the documentation. */
async function readDocsAsset(name: DocsAssetName): Promise<Uint8Array<ArrayBuffer>> {
  const response = await fetch(`/docs/${name}`);
  if (!response.ok)
    throw new SharingError("stopped", "The host of this page can't be reached for the documentation");
  return new Uint8Array(await response.arrayBuffer());
}
