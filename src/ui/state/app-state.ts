/**
 * What all screens share: the clients, what is known of the node, messages. The one place that polls and listens.
 * Made by app.tsx, handed down as a context; joins the parts that stand beside it.
 */
import type { ReadonlySignal } from "@preact/signals";
import { createContext } from "preact";
import { useContext } from "preact/hooks";
import { ShoalClient } from "../../client/client.ts";
import type { ShoalEvent } from "../../client/events.ts";
import { Client as VxClient } from "../../client/vx-client.ts";
import { NETWORK_INTERVAL_MS, PEERS_INTERVAL_MS, TRAFFIC_INTERVAL_MS } from "../limits.ts";
import type { Hosting, UiHost } from "../ports.ts";
import { createRouter, type Router } from "../router.ts";
import { type Asked, createAsked } from "./asked.ts";
import { awaitedFiles, filesById, transfersByFile, wholeFiles } from "./by-file.ts";
import { createDeletions, type Deletions } from "./deletions.ts";
import type { LocalFile, NetworkFile, Transfer } from "./entries.ts";
import { createImports, type Imports } from "./imports.ts";
import { createListNews } from "./list-news.ts";
import { createListing, type Listing } from "./listing.ts";
import { createLists, type Lists, refreshAll } from "./lists.ts";
import { createLoadingAnew, type LoadingAnew } from "./loading-anew.ts";
import { type NodePhase, watchNode, whenRunning } from "./node-phase.ts";
import { createOffers } from "./offers.ts";
import { namesOfPeers, type PeerNames } from "./peer-names.ts";
import { poll } from "./poll.ts";
import { type Receivers, receiversOf } from "./receivers.ts";
import { createToasts, type Toasts } from "./toasts.ts";
import { createTraffic, type Traffic } from "./traffic.ts";
import { watchIntroductions } from "./unintroduced.ts";
import { createUnlistedChoice, type UnlistedChoice } from "./unlisted-choice.ts";
import { watched } from "./watched.ts";

export interface AppState extends Lists, LoadingAnew {
  readonly host: UiHost;
  readonly client: ShoalClient;
  readonly vx: VxClient;
  readonly router: Router;
  readonly toasts: Toasts;
  readonly imports: Imports;
  readonly asked: Asked;
  readonly unlistedChoice: UnlistedChoice;
  readonly deletions: Deletions;
  readonly phase: ReadonlySignal<NodePhase>;
  readonly hosting: ReadonlySignal<Hosting>;
  /** The browser would install the page; called, it asks. */
  readonly install: ReadonlySignal<(() => Promise<boolean>) | undefined>;
  /** Files by their ids. */
  readonly fileById: ReadonlySignal<ReadonlyMap<string, LocalFile>>;
  /** Ids of those of which all is here. */
  readonly wholeFiles: ReadonlySignal<ReadonlySet<string>>;
  /** Ids of those that were asked for and have not come. */
  readonly awaitedFiles: ReadonlySignal<ReadonlySet<string>>;
  /** Files as they are listed, a moment later where folders have come. */
  readonly listing: ReadonlySignal<Listing<LocalFile> | undefined>;
  /** Transfers by the ids of their files. */
  readonly transfersOf: ReadonlySignal<ReadonlyMap<string, readonly Transfer[]>>;
  readonly peerNames: ReadonlySignal<PeerNames>;
  /** No browser that opens a link can come to this node, since the host of its page introduces nobody. */
  readonly isUnintroduced: ReadonlySignal<boolean>;
  /** Of what was shared last. */
  readonly receivers: ReadonlySignal<Receivers>;
  /** What others offer as it is listed, while the screen of the network is open. */
  readonly offers: ReadonlySignal<Listing<NetworkFile> | undefined>;
  readonly traffic: Traffic;
  /** Calls the listener at each event of the node until the function returned is called. */
  onEvent(listener: (event: ShoalEvent) => void): () => void;
}

const Context = createContext<AppState | undefined>(undefined);
export const AppStateProvider = Context.Provider;

export function useApp(): AppState {
  const app = useContext(Context);
  if (app === undefined) throw new Error("Rendered outside of the app");
  return app;
}

/** Lives until `stop` aborts. */
export function createAppState(host: UiHost, page: Window, stop: AbortSignal): AppState {
  const options = { fetch: keyed(host) };
  const client = new ShoalClient(host.apiOrigin, options);
  const toasts = createToasts();
  const lists = createLists(client, () => news.forgetProgress());
  const news = createListNews(lists, stop);
  const { info, files, transfers, peers, network } = lists;
  const whole = wholeFiles(files.value);
  const router = createRouter(page, stop);
  const traffic = createTraffic();
  const listeners = new Set<(event: ShoalEvent) => void>();

  function onEvent(event: ShoalEvent): void {
    for (const listener of listeners) listener(event);
    if (event.event === "file_deleted") imports.forgetShared(event.data.file_id);
    if (event.event === "file_shared") deletions.keep(event.data.file_id);
    news.hear(event);
  }

  async function onMet(): Promise<void> {
    news.hearOffers();
    await Promise.all([refreshAll(lists), sampleTraffic()]);
  }

  const phase = watchNode(client, host.hosting, { onMet, onEvent }, stop);
  const unlistedChoice = createUnlistedChoice();
  const imports = createImports(client, {
    takesStreams: host.takesStreams,
    isUnlisted: () => unlistedChoice.isUnlisted.value,
    whenRunning: () => whenRunning(phase),
  });
  stop.addEventListener("abort", files.value.subscribe(imports.keepUp));
  const deletions = createDeletions(client, toasts, (fileIds) => {
    for (const fileId of fileIds) imports.forgetShared(fileId);
    return files.refresh();
  });
  const isRunning = () => phase.value.phase === "running";
  poll(peers.refresh, PEERS_INTERVAL_MS, isRunning, stop);
  // Addresses come and go with relays, and no event tells.
  poll(info.refresh, PEERS_INTERVAL_MS, isRunning, stop);
  poll(network.refresh, NETWORK_INTERVAL_MS, isRunning, stop);
  poll(sampleTraffic, TRAFFIC_INTERVAL_MS, isRunning, stop);

  async function sampleTraffic(): Promise<void> {
    const { network: load } = await client.systemStats();
    traffic.add({
      atSeconds: Date.now() / 1000,
      downBytesPerSecond: load.download_speed,
      upBytesPerSecond: load.upload_speed,
    });
  }

  return {
    ...lists,
    ...createLoadingAnew(host, imports.isReading, page, stop),
    host,
    client,
    vx: new VxClient(host.apiOrigin, options),
    router,
    toasts,
    imports,
    asked: createAsked(),
    unlistedChoice,
    deletions,
    phase,
    hosting: watched(host.hosting, stop),
    install: watched(host.install, stop),
    fileById: filesById(files.value),
    wholeFiles: whole,
    awaitedFiles: awaitedFiles(transfers.value, whole),
    listing: createListing(client, files.value, (lists) => lists.filter(({ complete }) => complete), stop),
    transfersOf: transfersByFile(transfers.value),
    peerNames: namesOfPeers(peers.value, stop),
    isUnintroduced: watchIntroductions({ host, phase, info, peers }, stop),
    receivers: receiversOf(imports.shared, network.value, stop),
    offers: createOffers(client, network.value, router, stop),
    traffic,
    onEvent(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** The key is asked for at each request, since it may have been replaced. */
function keyed(host: UiHost): UiHost["fetch"] {
  return async (request, init) => {
    request.headers.set("authorization", `Bearer ${await host.apiKey()}`);
    return await host.fetch(request, init);
  };
}
