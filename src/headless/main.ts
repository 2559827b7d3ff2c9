/**
 * The headless main: opens every port on this machine, joins them as one plain object, and starts the node, with the
 * index behind the same API, which serves while the index is loading. Called by the start command. What was opened is
 * closed in reverse, also when a later part fails to open.
 */
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { openWebhooks } from "../api/webhooks/webhooks.ts";
import { ExpectedPosts } from "../exchange/asking/expected-posts.ts";
import { OfferedSides } from "../exchange/serving/offered-sides.ts";
import { LossLog, type LostBlock } from "../sharing/catalog/loss-log.ts";
import { Closers } from "../sharing/closers.ts";
import { createSharingNode } from "../sharing/node.ts";
import { systemClock as clock } from "../sharing/system-clock.ts";
import { openFsBlockStore, segmentsIn } from "./blocks/open-block-store.ts";
import { type DataFolder, openDataFolder } from "./data-folder.ts";
import { deliverWebhook } from "./deliver-webhook.ts";
import { closedPaths } from "./files/closed-paths.ts";
import { openFsFiles } from "./files/fs-files.ts";
import { homeFolder } from "./files/home-folder.ts";
import { type FirstKey, makeFirstKey, needsFirstKey } from "./first-key.ts";
import { openIndex } from "./index/open-index.ts";
import { openLevelRecords } from "./level/level-records.ts";
import { createLiveSettings } from "./live-settings.ts";
import { type Logger, toLogPort } from "./log.ts";
import { openNodeKey } from "./network/node-key.ts";
import { openExchange } from "./network/open-exchange.ts";
import { openHeadlessNetwork } from "./network/open-network.ts";
import { openRelayStun } from "./network/relay-stun.ts";
import { SideDoor } from "./network/side-door.ts";
import { createWebSocketDoor } from "./network/web-socket-door.ts";
import { openApi } from "./open-api.ts";
import { openSearch } from "./search/open-search.ts";
import { accessRules } from "./settings/access-rules.ts";
import type { Settings } from "./settings/settings.ts";
import { settingsWebhook, tellWebhookSecret } from "./settings-webhook.ts";
import { startFailure } from "./start-failure.ts";
import { startSystemMeter } from "./system-meter.ts";
import { openWeb } from "./web/open-web.ts";

export interface StartedNode {
  dataFolder: string;
  nodeId: string;
  /** Multiaddrs at which peers reach this node. */
  addresses: string[];
  /** Undefined without `--enable-api`. */
  apiUrl: string | undefined;
  /** Where browsers open the page; undefined without `--web-port`. */
  webUrl: string | undefined;
  /** Makes the key that a newcomer needs, for whoever tells it; undefined where there is one already. */
  firstKey(): Promise<FirstKey | undefined>;
  /** Where the secret is that signs notifications; undefined where none are sent, or the settings gave it. */
  webhookSecretFile: string | undefined;
  /** Where STUN is answered; undefined without `--relay`. */
  stunUrl: string | undefined;
  /** Settles when the index is loaded, where there is one. @throws VxError as Vx.ready says */
  ready: Promise<void>;
  /** Transfers are left so that they can be resumed; settles when all is on disk. */
  stop(): Promise<void>;
}

/**
 * `isTerminal`: whether what the start prints is seen by a person; `settingsFile`: where settings were read from.
 * @throws CommandError `start_failed`, `usage`
 */
export async function startNode(
  settings: Settings,
  { log, isTerminal, settingsFile }: { log: Logger; isTerminal: boolean; settingsFile: string | undefined },
): Promise<StartedNode> {
  const closers = new Closers((error) => log.error({ error }, "a part did not stop cleanly"));
  try {
    const folder = await openDataFolder(settings["data-dir"]);
    const segments = segmentsIn(folder.blocksFolder);
    const records = await closers.keep(openLevelRecords(folder.recordsFolder, segments), (it) => it.close());
    const isKeyless = settings["enable-api"] && (await needsFirstKey(folder, settings["api-host"]));
    const lossLog = new LossLog(toLogPort(log, "blocks"), clock);
    const storage = {
      root: folder.blocksFolder,
      maxBytes: settings["max-storage"],
      onError: (error: unknown) => log.warn({ error }, "the block store could not tidy up"),
      onLost: (block: LostBlock) => lossLog.lost(block),
    };
    const blocks = await closers.keep(openFsBlockStore(storage), (it) => it.close());
    const files = await openFiles(settings, { folder, settingsFile, log });
    const door = createWebSocketDoor(accessRules(settings), toLogPort(log, "network"));
    const privateKey = await openNodeKey(folder.nodeKeyFile);
    const sides = new OfferedSides(clock);
    const sideDoor = new SideDoor({
      privateKey,
      sides,
      onRefused: (reason) => log.debug({ reason }, "a side stream was refused"),
    });
    const network = await openHeadlessNetwork(settings, { folder, privateKey, door, sideDoor, log, closers });
    const { swarm } = network;
    // Before the network, whose port is closed only when nobody is connected to it.
    closers.add(async () => sideDoor.stop());
    const stun = settings.relay
      ? await closers.keep(openRelayStun(settings.listen, clock), (it) => it.close())
      : undefined;
    const posts = new ExpectedPosts();
    const exchange = await openExchange(settings, { network, sides, posts, log, closers });
    swarm.rename(settings.name ?? "");
    swarm.takeInvitations(settings.invitations);
    const system = startSystemMeter({ dataFolder: folder.path, blocks, blocksFolder: folder.blocksFolder });
    closers.add(async () => system.stop());

    const node = await closers.keep(
      createSharingNode(
        { blocks, records, swarm, exchange, files, clock, system, log: toLogPort(log, "node") },
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
        ...settingsWebhook(settings),
        allowPrivate: settings["webhook-allow-private"],
      }),
      (it) => it.stop(),
    );
    const webhookSecretFile = await tellWebhookSecret(settings, webhooks, folder.webhookSecretFile);
    // Each of two may take more than half of the time that a stop has.
    const [ofSearch, ofIndex] = closers.pair();
    const [ofApi, ofWeb] = closers.pair();
    const search = openSearch(settings, { node, swarm, exchange, folder, log, closers: ofSearch });
    const vx = settings["enable-api"]
      ? await openIndex(settings, { folder, log, closers: ofIndex })
      : undefined;
    const server =
      vx &&
      (await openApi(settings, {
        folder,
        log,
        closers: ofApi,
        vx,
        sharing: {
          node,
          search,
          webhooks,
          settings: createLiveSettings(settings, { swarm, exchange, blocks }),
        },
      }));
    const web = await openWeb(settings, { swarm, sides, posts, door, stun, log, closers: ofWeb });

    return {
      dataFolder: folder.path,
      nodeId: swarm.nodeId,
      addresses: swarm.addresses(),
      apiUrl: server?.url,
      webUrl: web?.url,
      firstKey: async () =>
        isKeyless ? await makeFirstKey(folder, { isTerminal, now: new Date(clock.now()) }) : undefined,
      webhookSecretFile,
      stunUrl: stun?.url,
      ready: vx?.ready ?? Promise.resolve(),
      stop: () => closers.closeAll(),
    };
  } catch (error) {
    await closers.closeAll();
    throw startFailure(error);
  }
}

async function openFiles(
  settings: Settings,
  { folder, settingsFile, log }: { folder: DataFolder; settingsFile: string | undefined; log: Logger },
) {
  const roots = settings["share-root"];
  // Users that run services may have no home, or one that is not there.
  const ownFolders = [process.cwd(), homeFolder() ?? []].flat().filter((path) => existsSync(path));
  return openFsFiles({
    shareRoots:
      roots?.map((path) => ({ path, hidden: true })) ?? ownFolders.map((path) => ({ path, hidden: false })),
    downloadRoot: resolve(settings["download-root"]),
    closedPaths: closedPaths(settings, folder, settingsFile),
    unfinishedFolder: folder.unfinishedFolder,
    onError: (error) => log.warn({ error }, "an unfinished output of an earlier run could not be removed"),
  });
}
