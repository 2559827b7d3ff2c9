/**
 * Makes the file-sharing node from ports: it joins the catalog, the transfers, the bans and the swarm, and holds no other
 * state. Called by the two mains.
 */
import { Bans } from "./bans.ts";
import type { CatalogEntry, LocalFile } from "./catalog/catalog-entry.ts";
import { Losses } from "./catalog/losses.ts";
import { createBlockSource } from "./catalog/serving.ts";
import { loadStored, type Stored } from "./catalog/stored.ts";
import { UnnamedFiles } from "./catalog/unnamed-files.ts";
import { RequestBudget } from "./download/request-budget.ts";
import { SharingError } from "./errors.ts";
import { createNodeEvents } from "./events.ts";
import { parseFileId } from "./file-id.ts";
import { createImporter, type Shared, type ShareOptions } from "./files/importer.ts";
import { readOfferedFile } from "./files/offered-file.ts";
import { expectByte, type ReadingPorts, readFile } from "./files/reading.ts";
import { UnsureFiles } from "./files/unsure-files.ts";
import { shareFolderAt } from "./folders/folder-sharing.ts";
import { Inviting } from "./invitations/inviting.ts";
import { LONG_FILES_AT_ONCE, MAX_CHUNKS, SHORT_FILES_AT_ONCE } from "./limits.ts";
import type {
  Announcement,
  BlockStore,
  Clock,
  ConnectedPeer,
  Exchange,
  Files,
  Log,
  Records,
  Swarm,
  SystemMeter,
} from "./ports.ts";
import type { KnownPeer, SharingNode } from "./sharing-node.ts";
import { Transfers } from "./transfers/transfers.ts";
import { Turns } from "./transfers/turns.ts";

export interface NodePorts {
  blocks: BlockStore;
  records: Records;
  swarm: Swarm;
  exchange: Exchange;
  files: Files;
  clock: Clock;
  system: SystemMeter;
  log: Log;
}

/** Tells the swarm of what is stored and begins to serve. `stored`: where it is loaded already. */
export async function createSharingNode(
  ports: NodePorts,
  { autoResume, stored = loadStored(ports) }: { autoResume: boolean; stored?: Promise<Stored> },
): Promise<SharingNode> {
  const { blocks, records, swarm, exchange, files, clock, system, log } = ports;
  const startedMs = clock.monotonic();
  const stopping = new AbortController();
  const events = createNodeEvents(clock);
  const [{ catalog, ledger }, bans] = await Promise.all([stored, Bans.open(records, swarm, clock, log)]);
  const unnamed = new UnnamedFiles({ catalog, ledger, swarm, log, onNamed: onShared });
  const { signal } = stopping;
  const transfers = new Transfers({
    ...ports,
    catalog,
    ledger,
    bans,
    events,
    announce,
    onUnnamed: (fileId) => unnamed.add(fileId),
    budget: new RequestBudget(),
    turns: {
      manifest: new Turns(SHORT_FILES_AT_ONCE),
      short: new Turns(SHORT_FILES_AT_ONCE),
      long: new Turns(LONG_FILES_AT_ONCE),
    },
    signal,
  });
  const inviting = new Inviting({
    ...ports,
    events,
    signal,
  });
  const losses = new Losses({
    ...ports,
    catalog,
    announce,
    repair: (fileId) => transfers.repair(fileId),
    signal,
  });
  const source = createBlockSource({ catalog, blocks, clock, losses });
  const reading: ReadingPorts = {
    catalog,
    blocks,
    losses,
    isBusy: (fileId) => transfers.isBusy(fileId),
    hasten: (fileId) => transfers.hasten(fileId),
  };
  const unsure = new UnsureFiles();
  const share = createImporter({ ...ports, catalog, unsure, onShared: onImported, signal });

  exchange.serve(source, (peerId, breach) => void bans.strike(peerId, breach));
  for (const entry of catalog.entries()) announce(entry.id);
  const greeted = ({ peerId, address }: ConnectedPeer) =>
    events.publish("peer_connected", { peer_id: peerId, address });
  const unsubscribe = swarm.subscribe((event) => {
    if (event.type === "peer_connected") greeted(event.peer);
    else if (event.type === "peer_disconnected")
      events.publish("peer_disconnected", { peer_id: event.peerId });
    else if (event.type === "invited") inviting.onInvited(event.peerId, event.file);
    else {
      unnamed.look();
      inviting.sent.look();
    }
  });
  unnamed.look();
  // The swarm was there first, and may have met its bootstrap peers by now.
  swarm.peers().forEach(greeted);
  if (autoResume) {
    await transfers.resumeInterrupted();
    await losses.fetchAllAgain();
  }

  function idOf(fileIdText: string): string {
    return parseFileId(fileIdText).toString();
  }

  function withTraffic(peer: ConnectedPeer): KnownPeer {
    return { ...peer, traffic: exchange.trafficOf(peer.peerId) };
  }

  function announce(fileId: string): void {
    const file = catalog.find(fileId)?.view();
    if (file?.isUnlisted) swarm.holdUnlisted(toldOf(file));
    else if (file) swarm.announce(toldOf(file));
  }

  /** What others are told of a file. */
  function toldOf({ id, name, sizeBytes, chunkCount, complete }: LocalFile): Announcement {
    return { fileId: id, name, sizeBytes, chunkCount, complete };
  }

  /** Nobody tells what it is called. @throws SharingError `file_not_found` */
  async function unlistedOffer(fileId: string) {
    const completeHolders = await swarm.unlistedHolders(fileId);
    if (completeHolders.length === 0) throw new SharingError("file_not_found", "File not found");
    return { fileId, name: fileId, completeHolders, partialHolders: [] };
  }

  function onShared(entry: CatalogEntry): void {
    announce(entry.id);
    const { id, name, sizeBytes, chunkCount } = entry.view();
    events.publish("file_shared", { file_id: id, name, size: sizeBytes, chunks: chunkCount });
  }

  /** What was to bring it has nothing to wait for. */
  function onImported(entry: CatalogEntry): void {
    onShared(entry);
    transfers.hasten(entry.id);
  }

  async function sharePath(path: string, options: Omit<ShareOptions, "name"> = {}): Promise<Shared> {
    const file = await files.openSource(path);
    return share(file.stream(options.signal ?? signal), { ...options, name: file.name });
  }

  async function putBack(now: LocalFile, { name, isUnlisted }: LocalFile): Promise<void> {
    const entry = catalog.find(now.id);
    if (entry === undefined) return;
    const isBack = await catalog.change(entry, (found) =>
      found.name === now.name && found.isUnlisted === now.isUnlisted ? { name, isUnlisted } : {},
    );
    if (isBack) onShared(entry);
  }

  async function deleteFile(fileId: string): Promise<void> {
    const { id } = catalog.file(idOf(fileId));
    await transfers.remove(id, async () => {
      catalog.file(id);
      swarm.withdraw(id);
      await catalog.remove(id).finally(() => {
        // Where that failed it may still be here.
        announce(id);
        if (!catalog.knows(id)) events.publish("file_deleted", { file_id: id });
      });
    });
  }

  return {
    events,

    async info() {
      return {
        nodeId: swarm.nodeId,
        swarm: swarm.name,
        addresses: swarm.addresses(),
        uptimeSeconds: Math.floor((clock.monotonic() - startedMs) / 1000),
        peersConnected: swarm.peers().length,
        storageUsedBytes: blocks.usedBytes,
        storageAvailableBytes: await blocks.availableBytes(),
      };
    },

    async stats() {
      return {
        cpuUsage: system.cpuUsage(),
        memoryBytes: system.memoryBytes(),
        diskBytes: await system.diskBytes(),
        ...exchange.traffic(),
      };
    },

    peers: () => swarm.peers().map(withTraffic),
    connect: async (multiaddr, given = signal) => withTraffic(await swarm.connect(multiaddr, given)),
    invite: async (peerId, fileId, given = signal) =>
      inviting.invite(peerId, toldOf(catalog.file(idOf(fileId))), given),
    sentInvitations: () => inviting.sent.list(),
    invitations: () => inviting.received.list(),
    dismissInvitation: (invitationId) => inviting.received.dismiss(invitationId),

    files: () => catalog.files(),
    file: (fileId) => catalog.file(idOf(fileId)),
    async setUnlisted(fileId, isUnlisted) {
      const id = idOf(fileId);
      if (catalog.isBroken(id)) {
        throw new SharingError(
          "wrong_state",
          "What the file is made of is lost; share or download it again first",
        );
      }
      const entry = catalog.get(id);
      const isChanged = await catalog.change(entry, { isUnlisted });
      if (isChanged && !isUnlisted) onShared(entry);
      else announce(entry.id);
      if (isChanged && isUnlisted) events.publish("file_unlisted", { file_id: id });
      return entry.view();
    },
    share,

    sharePath,
    shareFolder: (path, options = {}) =>
      shareFolderAt(path, { files, share, sharePath, deleteFile, putBack, unsure }, { signal, ...options }),

    expectByte: (fileId, offset, aborted) => expectByte(reading, idOf(fileId), offset, aborted),

    async *read(fileId, range, aborted) {
      const id = idOf(fileId);
      if (range.start < range.end) await expectByte(reading, id, range.start, aborted);
      yield* readFile(reading, catalog.get(id), range, aborted);
    },

    async readBlock(cid, aborted) {
      blocks.doubt(cid);
      return await source.readBlock(cid, aborted);
    },

    mayUpload: (reader, sizeBytes, aborted) => exchange.mayUpload(reader, sizeBytes, aborted),

    deleteFile,

    offers: () => swarm.offers(),

    async readOffered(fileId, maxBytes, aborted) {
      const id = idOf(fileId);
      const offer = swarm.offer(id) ?? (await unlistedOffer(id));
      const either = AbortSignal.any([aborted, signal]);
      const bytes = await readOfferedFile(offer, maxBytes, { swarm, exchange, bans, clock, log }, either);
      return { name: offer.name, bytes };
    },

    async download(request) {
      const transfer = await transfers.start(request);
      inviting.received.accept(transfer.fileId);
      return transfer;
    },
    downloadTogether: (folderId, ask) => transfers.together(folderId, ask),
    transfers: () => transfers.list(),
    isTransferring: () => transfers.areAnyBrought,
    transfer: (transferId) => transfers.get(transferId),
    chunkMap: (transferId, maxEntries = MAX_CHUNKS) => transfers.chunkMap(transferId, maxEntries),
    resume: (fileId) => transfers.resume(fileId),
    pause: (transferId) => transfers.pause(transferId),

    async cancel(transferId) {
      const { fileId } = transfers.get(transferId);
      await transfers.cancel(transferId);
      if (!catalog.find(fileId)) swarm.withdraw(fileId);
    },

    async stop() {
      stopping.abort(new SharingError("stopped", "the node is stopping"));
      unsubscribe();
      await transfers.stop();
    },
  };
}
