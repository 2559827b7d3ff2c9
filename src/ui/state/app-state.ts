/**
 * What all screens share: the clients, what is known of the node, messages. The one place that polls and listens.
 * Made by app.tsx, handed down as a context; calls src/client.
 */
import { computed, type ReadonlySignal, signal } from "@preact/signals";
import { createContext } from "preact";
import { useContext } from "preact/hooks";
import { ShoalClient } from "../../client/client.ts";
import type { ShoalEvent } from "../../client/events.ts";
import { Client as VxClient } from "../../client/vx-client.ts";
import { NETWORK_INTERVAL_MS, OFFERS_AFTER_MS, PEERS_INTERVAL_MS, TRAFFIC_INTERVAL_MS } from "../limits.ts";
import type { Hosting, UiHost } from "../ports.ts";
import { createRouter, type Router } from "../router.ts";
import { filesById, transfersByFile, wholeFiles } from "./by-file.ts";
import { createDeletions, type Deletions } from "./deletions.ts";
import type {
  Invitation,
  LocalFile,
  NetworkFile,
  NodeInfo,
  Peer,
  SentInvitation,
  Transfer,
} from "./entries.ts";
import { createImports, type Imports } from "./imports.ts";
import { keptEntries } from "./kept-entries.ts";
import { createListing, type Listing } from "./listing.ts";
import { createLive, type Live } from "./live.ts";
import { type NodePhase, watchNode } from "./node-phase.ts";
import { createOffers } from "./offers.ts";
import { noneIfUnknown } from "./older-node.ts";
import { namesOfPeers, type PeerNames } from "./peer-names.ts";
import { poll } from "./poll.ts";
import { type Receivers, receiversOf } from "./receivers.ts";
import { createSoon } from "./soon.ts";
import { createToasts, type Toasts } from "./toasts.ts";
import { createTraffic, type Traffic } from "./traffic.ts";
import { gatherProgress, isMoreKnown, type Progress, withProgress } from "./transfer-progress.ts";
import { createUnlistedChoice, type UnlistedChoice } from "./unlisted-choice.ts";
import { watched } from "./watched.ts";

export interface AppState {
  readonly host: UiHost;
  readonly client: ShoalClient;
  readonly vx: VxClient;
  readonly router: Router;
  readonly toasts: Toasts;
  readonly imports: Imports;
  readonly unlistedChoice: UnlistedChoice;
  readonly deletions: Deletions;
  readonly phase: ReadonlySignal<NodePhase>;
  readonly hosting: ReadonlySignal<Hosting>;
  /** A new version waits; called, it takes over. Undefined while files are read, which that would end. */
  readonly update: ReadonlySignal<(() => void) | undefined>;
  /** The browser would install the page; called, it asks. */
  readonly install: ReadonlySignal<(() => Promise<boolean>) | undefined>;
  readonly info: Live<NodeInfo>;
  /** Newest first. */
  readonly files: Live<readonly LocalFile[]>;
  /** By their ids. */
  readonly fileById: ReadonlySignal<ReadonlyMap<string, LocalFile>>;
  /** Ids of those of which all is here. */
  readonly wholeFiles: ReadonlySignal<ReadonlySet<string>>;
  /** The same as they are listed, a moment later where folders have come. */
  readonly listing: ReadonlySignal<Listing<LocalFile> | undefined>;
  /** Newest first, ended ones too. */
  readonly transfers: Live<readonly Transfer[]>;
  /** By the ids of their files. */
  readonly transfersOf: ReadonlySignal<ReadonlyMap<string, readonly Transfer[]>>;
  readonly peers: Live<readonly Peer[]>;
  readonly peerNames: ReadonlySignal<PeerNames>;
  /** What peers ask to be downloaded here, oldest first. */
  readonly invitations: Live<readonly Invitation[]>;
  /** What peers were asked to download, oldest first, and what came of it. */
  readonly sent: Live<readonly SentInvitation[]>;
  readonly network: Live<readonly NetworkFile[]>;
  /** Of what was shared last. */
  readonly receivers: ReadonlySignal<Receivers>;
  /** The same as it is listed, while the screen of the network is open. */
  readonly offers: ReadonlySignal<Listing<NetworkFile> | undefined>;
  readonly traffic: Traffic;
  /** The page loads anew because a person said so, and goes on with all that it does. */
  readonly isReloading: ReadonlySignal<boolean>;
  reload(): void;
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
  const info = createLive(() => client.nodeInfo());
  const files = createLive<readonly LocalFile[]>(
    async () => (await client.files()).files.reverse(),
    keptEntries,
  );
  const transfers = createLive<readonly Transfer[]>(async () => {
    const { transfers } = await client.transfers({ all: true });
    progress.forget();
    return transfers;
  }, keptEntries);
  const peers = createLive(async () => (await client.peers()).peers);
  const invitations = createLive(() => noneIfUnknown(client.invitations().then((list) => list.invitations)));
  const sent = createLive(() => noneIfUnknown(client.sentInvitations().then((list) => list.invitations)));
  const network = createLive<readonly NetworkFile[]>(
    async () => (await client.networkFiles()).files,
    keptEntries,
  );
  const router = createRouter(page);
  const traffic = createTraffic();
  const listeners = new Set<(event: ShoalEvent) => void>();
  const soon = createSoon();
  let offersTimer: ReturnType<typeof setTimeout> | undefined;

  function onEvent(event: ShoalEvent): void {
    for (const listener of listeners) listener(event);
    if (event.event === "file_deleted") imports.forgetShared(event.data.file_id);
    if (event.event === "file_shared") deletions.keep(event.data.file_id);
    if (event.event === "transfer_progress") progress.add(event.data);
    else if (event.event.startsWith("peer_")) {
      soon(peers, info, network);
      hearOffers();
    } else if (event.event === "invitation_received") soon(invitations);
    else if (event.event === "invitation_answered") soon(sent);
    // A file that gets its name names its transfers, too; what is asked for is no longer to be answered.
    else soon(transfers, files, info, invitations);
  }

  const progress = gatherProgress((gathered) => {
    transfers.patch((list) => withProgress(list, gathered));
    // A file is listed, and its size known, from the moment that its pieces are, of which the first progress tells.
    const listed = new Set(files.value.value?.map(({ id }) => id));
    const isUnlisted = ({ file_id }: Progress) => !listed.has(file_id);
    if (files.value.value !== undefined && [...gathered.values()].some(isUnlisted)) soon(files);
    if (transfers.value.value?.some((transfer) => isMoreKnown(transfer, gathered))) soon(transfers);
  });

  /** No event tells of what a peer offers, which comes a moment after it. */
  function hearOffers(): void {
    clearTimeout(offersTimer);
    offersTimer = setTimeout(() => soon(network), OFFERS_AFTER_MS);
  }
  stop.addEventListener("abort", () => clearTimeout(offersTimer));

  async function onMet(): Promise<void> {
    hearOffers();
    await Promise.all([
      info.refresh(),
      files.refresh(),
      transfers.refresh(),
      peers.refresh(),
      invitations.refresh(),
      sent.refresh(),
      network.refresh(),
      sampleTraffic(),
    ]);
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
  const isReloading = signal(false);
  const offered = watched(host.update);
  /** One function for each version, by which an offer that was put off or agreed to is known. */
  const takeOver = computed(() => {
    const apply = offered.value;
    if (apply === undefined) return undefined;
    return () => {
      isReloading.value = true;
      apply();
    };
  });
  const update = computed(() => (imports.isReading.value ? undefined : takeOver.value));
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
    host,
    client,
    vx: new VxClient(host.apiOrigin, options),
    router,
    toasts,
    imports,
    unlistedChoice,
    deletions,
    phase,
    hosting: watched(host.hosting),
    update,
    install: watched(host.install),
    info,
    files,
    fileById: filesById(files.value),
    wholeFiles: wholeFiles(files.value),
    listing: createListing(client, files.value, (lists) => lists.filter(({ complete }) => complete), stop),
    transfers,
    transfersOf: transfersByFile(transfers.value),
    peers,
    peerNames: namesOfPeers(peers.value, stop),
    invitations,
    sent,
    network,
    receivers: receiversOf(imports.shared, network.value, stop),
    offers: createOffers(client, network.value, router, stop),
    traffic,
    isReloading,
    reload() {
      isReloading.value = true;
      page.location.reload();
    },
    onEvent(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

function whenRunning(phase: ReadonlySignal<NodePhase>): Promise<void> {
  return new Promise((resolve) => {
    let release = () => {};
    release = phase.subscribe((now) => {
      if (now.phase !== "running") return;
      resolve();
      // The first call comes before there is anything to release.
      queueMicrotask(() => release());
    });
  });
}

/** The key is asked for at each request, since it may have been replaced. */
function keyed(host: UiHost): UiHost["fetch"] {
  return async (request, init) => {
    request.headers.set("authorization", `Bearer ${await host.apiKey()}`);
    return await host.fetch(request, init);
  };
}
