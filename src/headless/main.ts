/**
 * The headless main: opens every port on this machine, joins them as one plain object, and starts the node.
 * Called by the start command. What was opened is closed in reverse, also when a later part fails to open.
 */

import { homedir } from "node:os";
import { resolve } from "node:path";
import { type ApiApp, createApp } from "../api/app.ts";
import { openWebhooks, type Webhooks } from "../api/webhooks/webhooks.ts";
import { createExchange } from "../exchange/exchange.ts";
import { type Network, openNetwork } from "../network/network.ts";
import { isSharingError } from "../sharing/errors.ts";
import { createSharingNode, type SharingNode } from "../sharing/node.ts";
import { makeApiKey, openApiKeys } from "./api-keys.ts";
import { systemClock as clock } from "./clock.ts";
import { Closers } from "./closers.ts";
import { CommandError } from "./command-error.ts";
import { type DataFolder, openDataFolder } from "./data-folder.ts";
import { deliverWebhook } from "./deliver-webhook.ts";
import { hasCode } from "./disk-errors.ts";
import { ensureApiKey, type FirstKey } from "./first-key.ts";
import { openFsBlockStore } from "./fs-block-store.ts";
import { openFsFiles } from "./fs-files.ts";
import { type HttpServer, openHttpServer } from "./http/server.ts";
import { openLevelDatastore } from "./level-datastore.ts";
import { openLevelRecords } from "./level-records.ts";
import { type Logger, toLogPort } from "./log.ts";
import { openNodeKey } from "./node-key.ts";
import { programVersion, readDocsAsset } from "./program.ts";
import { openRelayStun } from "./relay-stun.ts";
import { removeRunningNode, writeRunningNode } from "./running-node.ts";
import type { Settings } from "./settings/settings.ts";
import { startSystemMeter } from "./system-meter.ts";
import { headlessTransports, listenAddresses, mdnsDiscovery } from "./transports.ts";

export interface StartedNode {
  dataFolder: string;
  nodeId: string;
  /** Multiaddrs at which peers reach this node. */
  addresses: string[];
  /** Undefined without `--enable-api`. */
  apiUrl: string | undefined;
  /** A key made by this start. */
  firstKey: FirstKey | undefined;
  /** Where STUN is answered; undefined without `--relay`. */
  stunUrl: string | undefined;
  /** Transfers are left so that they can be resumed; settles when all is on disk. */
  stop(): Promise<void>;
}

/** `isTerminal`: whether what the start prints is seen by a person. @throws CommandError `start_failed`, `usage` */
export async function startNode(
  settings: Settings,
  { log, isTerminal }: { log: Logger; isTerminal: boolean },
): Promise<StartedNode> {
  const closers = new Closers(log);
  try {
    const folder = await openDataFolder(settings["data-dir"]);
    const records = await closers.keep(openLevelRecords(folder.recordsFolder), (it) => it.close());
    const firstKey = settings["enable-api"]
      ? await ensureApiKey(folder, settings["api-host"], { isTerminal, now: new Date(clock.now()) })
      : undefined;
    const storage = {
      root: folder.blocksFolder,
      maxBytes: settings["max-storage"],
      onError: (error: unknown) => log.warn({ error }, "the block store could not tidy up"),
    };
    const blocks = await closers.keep(openFsBlockStore(storage), (it) => it.close());
    const files = await openFiles(settings, folder);
    const network = await openHeadlessNetwork(settings, folder, { log, closers });
    const stun = settings.relay
      ? await closers.keep(openRelayStun(settings.listen, clock), (it) => it.close())
      : undefined;
    const exchange = createExchange({
      streams: network,
      clock,
      maxUploadBytesPerSecond: settings["max-upload"],
      maxDownloadBytesPerSecond: settings["max-download"],
      onViolation: (peerId, error) => log.warn({ peerId, error }, "a peer broke the protocol"),
      onSourceError: (error) => log.warn({ error }, "a chunk could not be read for a peer"),
    });
    closers.add(async () => exchange.stop());
    await exchange.ready;
    const system = startSystemMeter({ dataFolder: folder.path, blocks, blocksFolder: folder.blocksFolder });
    closers.add(async () => system.stop());

    const node = await closers.keep(
      createSharingNode(
        {
          blocks,
          records,
          swarm: network.swarm,
          exchange,
          files,
          clock,
          system,
          log: toLogPort(log, "node"),
        },
        { autoResume: settings["auto-resume"] },
      ),
      (it) => it.stop(),
    );
    const webhooks = await closers.keep(
      openWebhooks({
        records,
        events: node.events,
        clock,
        log: toLogPort(log, "webhooks"),
        deliver: deliverWebhook,
        ...configuredWebhook(settings),
        allowPrivate: settings["webhook-allow-private"],
      }),
      (it) => it.stop(),
    );
    const server = settings["enable-api"]
      ? await openApi(settings, { folder, node, webhooks, log, closers })
      : undefined;

    return {
      dataFolder: folder.path,
      nodeId: network.swarm.nodeId,
      addresses: network.swarm.addresses(),
      apiUrl: server?.url,
      firstKey,
      stunUrl: stun?.url,
      stop: () => closers.closeAll(),
    };
  } catch (error) {
    await closers.closeAll();
    throw startFailure(error);
  }
}

async function openFiles(settings: Settings, folder: DataFolder) {
  const roots = settings["share-root"];
  return openFsFiles({
    shareRoots: roots?.map((path) => ({ path, hidden: true })) ?? [
      { path: process.cwd(), hidden: false },
      { path: homedir(), hidden: false },
    ],
    downloadRoot: resolve(settings["download-root"]),
    closedFolders: [folder.path],
    unfinishedFolder: folder.unfinishedFolder,
  });
}

async function openHeadlessNetwork(
  settings: Settings,
  folder: DataFolder,
  { log, closers }: { log: Logger; closers: Closers },
): Promise<Network> {
  const datastore = await closers.keep(openLevelDatastore(folder.libp2pFolder), (it) => it.close());
  const opening = openNetwork({
    privateKey: await openNodeKey(folder.nodeKeyFile),
    transports: headlessTransports({ iceServers: settings["ice-server"] }),
    listen: await listenAddresses(settings.listen),
    bootstrap: settings.bootstrap,
    swarmName: settings.swarm,
    relayServer: settings.relay,
    ...(settings.mdns && { mdns: mdnsDiscovery(settings.swarm) }),
    datastore,
    dhtMode: "server",
    clock,
    agentVersion: `shoal/${programVersion()}`,
    log: (what, details) => log.debug({ part: "network", ...details }, what),
  });
  return closers.keep(opening, (it) => it.stop());
}

function configuredWebhook(settings: Settings) {
  const url = settings["webhook-url"];
  if (url === undefined) return {};
  const events = settings["webhook-events"];
  const secret = settings["webhook-secret"];
  return { configured: { url, ...(events && { events }), ...(secret && { secret }) } };
}

interface ApiParts {
  folder: DataFolder;
  node: SharingNode;
  webhooks: Webhooks;
  log: Logger;
  closers: Closers;
}

async function openApi(
  settings: Settings,
  { folder, node, webhooks, log, closers }: ApiParts,
): Promise<HttpServer> {
  const runKey = makeApiKey();
  const app: ApiApp = createApp({
    node,
    clock,
    version: programVersion(),
    keys: openApiKeys(folder.apiKeysFolder, runKey),
    access: { hostNames: settings["host-name"], corsOrigins: settings["cors-origin"] },
    limits: { requestsPerMinute: settings["rate-limit"], maxBodyBytes: settings["max-body"] },
    log: toLogPort(log, "api"),
    webhooks,
    docsAssets: readDocsAsset,
    gateway: settings.gateway,
  });
  const server = await closers.keep(
    openHttpServer({
      app,
      host: settings["api-host"],
      port: settings["api-port"],
      trustedProxies: settings["trust-proxy"],
      log,
    }),
    (it) => it.stop(),
  );
  await writeRunningNode(folder.runningFile, { url: server.url, key: runKey, pid: process.pid });
  closers.add(() => removeRunningNode(folder.runningFile));
  return server;
}

function startFailure(error: unknown): unknown {
  if (error instanceof CommandError) return error;
  if (isSharingError(error, "bad_request")) return new CommandError("usage", error.message, { cause: error });
  if (hasCode(error, "EADDRINUSE", "EACCES", "EADDRNOTAVAIL", "ENOTFOUND")) {
    return new CommandError("start_failed", `cannot listen: ${(error as Error).message}`, { cause: error });
  }
  return error;
}
