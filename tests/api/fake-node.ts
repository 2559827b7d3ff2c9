/**
 * A sharing node in memory whose network is in the test's hands: files are offered by a peer that is not there,
 * and their bytes come when the test lets them. Ids are the real ones.
 */
import { randomUUID } from "node:crypto";
import type { CID } from "multiformats/cid";
import type { LocalFile } from "../../src/sharing/catalog/catalog-entry.ts";
import { SharingError } from "../../src/sharing/errors.ts";
import { createNodeEvents } from "../../src/sharing/events.ts";
import { parseFileId } from "../../src/sharing/file-id.ts";
import { importFile } from "../../src/sharing/files/dag.ts";
import type { ShareOptions } from "../../src/sharing/files/importer.ts";
import { UnsureFiles } from "../../src/sharing/files/unsure-files.ts";
import { shareFolderAt } from "../../src/sharing/folders/folder-sharing.ts";
import { Inviting } from "../../src/sharing/invitations/inviting.ts";
import { CHUNK_BYTES } from "../../src/sharing/limits.ts";
import type { Announcement, Clock, Offer, Swarm, SwarmEvent } from "../../src/sharing/ports.ts";
import type { KnownPeer, SharingNode } from "../../src/sharing/sharing-node.ts";
import { chunkMap } from "../../src/sharing/transfers/chunk-map.ts";
import { isActive, type TransferDetail } from "../../src/sharing/transfers/transfer-record.ts";
import { someFile } from "../network/some-file.ts";
import { placedFolder } from "./placed-folder.ts";

export const OTHER_PEER = "12D3KooWGzxzKZYveHXtpG6AsrUJBcWxHBFS2HsEoGTxrMLvKXtf";
export const OTHER_ADDRESS = `/ip4/127.0.0.1/tcp/4001/p2p/${OTHER_PEER}`;

interface Stored {
  file: LocalFile;
  bytes: Uint8Array;
}

interface Offered extends Stored {
  /** Settles when the bytes may come. */
  released: Promise<void>;
  release: () => void;
}

export interface FakeNode {
  node: SharingNode;
  /** A path that `sharePath` takes. */
  place(path: string, bytes: Uint8Array): void;
  /** A file that the other peer offers; a download of it goes on once it is released. */
  offer(name: string, bytes: Uint8Array): Promise<{ fileId: string; release(): void }>;
  /** The other peer asks for a file to be downloaded. */
  invite(file: Partial<Announcement>): void;
  outputs: Map<string, Uint8Array>;
  /** Hears of offers, as of a swarm. */
  subscribe: Swarm["subscribe"];
}

export function createFakeNode(clock: Clock): FakeNode {
  const events = createNodeEvents(clock);
  const stored = new Map<string, Stored>();
  const offered = new Map<string, Offered>();
  const blocks = new Map<string, Uint8Array>();
  const places = new Map<string, Uint8Array>();
  const outputs = new Map<string, Uint8Array>();
  const transfers = new Map<string, TransferDetail>();
  const peers: KnownPeer[] = [];
  const swarmListeners = new Set<(event: SwarmEvent) => void>();
  const inviting = new Inviting({
    swarm: {
      async invite(peerId) {
        if (peers.every((peer) => peer.peerId !== peerId))
          throw new SharingError("peer_unreachable", "No one answers there");
      },
      offer: (fileId) => node.offers().find((offer) => offer.fileId === fileId),
      askUnlisted: async () => "none",
      peers: () => peers,
    },
    events,
    clock,
    log: { debug: () => {}, info: () => {}, warn: () => {} },
    signal: new AbortController().signal,
  });
  const startedMs = clock.monotonic();

  async function hash(bytes: AsyncIterable<Uint8Array>, name: string): Promise<Stored> {
    const taken: Uint8Array[] = [];
    async function* teed() {
      for await (const piece of bytes) {
        taken.push(piece.slice());
        yield piece;
      }
    }
    const keep = async (cid: CID, block: Uint8Array) => void blocks.set(cid.toString(), block);
    const manifest = await importFile(teed(), keep, { signal: new AbortController().signal });
    return {
      bytes: Buffer.concat(taken),
      file: {
        id: manifest.root.toString(),
        name,
        sizeBytes: manifest.sizeBytes,
        chunkCount: manifest.chunkCount,
        createdAt: new Date(clock.now()),
        complete: true,
        isUnlisted: false,
      },
    };
  }

  function find(fileId: string): Stored {
    const found = stored.get(parseFileId(fileId).toString());
    if (found === undefined) throw new SharingError("file_not_found", "File not found");
    return found;
  }

  function findTransfer(id: string): TransferDetail {
    const transfer = transfers.get(id);
    if (transfer === undefined) throw new SharingError("transfer_not_found", "Transfer not found");
    return transfer;
  }

  function findActive(id: string): TransferDetail {
    const transfer = findTransfer(id);
    if (!isActive(transfer.status)) throw new SharingError("wrong_state", "The transfer is over");
    return transfer;
  }

  async function share(bytes: AsyncIterable<Uint8Array>, options: Pick<ShareOptions, "name" | "isUnlisted">) {
    const fresh = await hash(bytes, "unnamed");
    const { id } = fresh.file;
    const before = stored.get(id)?.file;
    const given = typeof options.name === "string" ? options.name : options.name();
    const name = given ?? stored.get(id)?.file.name ?? "unnamed";
    fresh.file.name = name;
    fresh.file.isUnlisted = options.isUnlisted ?? stored.get(id)?.file.isUnlisted ?? false;
    stored.set(id, fresh);
    publishShared(fresh.file);
    return { file: fresh.file, before };
  }

  function publishShared({ id, name, sizeBytes, chunkCount }: LocalFile): void {
    events.publish("file_shared", { file_id: id, name, size: sizeBytes, chunks: chunkCount });
  }

  function run(transfer: TransferDetail, offer: Offered): void {
    void offer.released.then(() => {
      if (transfer.status === "cancelled" || transfer.status === "interrupted") return;
      Object.assign(transfer, { status: "completed", progress: 1, endedAt: new Date(clock.now()) });
      stored.set(offer.file.id, { file: { ...offer.file, complete: true }, bytes: offer.bytes });
      if (transfer.outputPath !== undefined) outputs.set(transfer.outputPath, offer.bytes);
      const { id, fileId } = transfer;
      events.publish("transfer_complete", {
        transfer_id: id,
        file_id: fileId,
        size: offer.file.sizeBytes,
        duration: 1,
      });
    });
  }

  const node: SharingNode = {
    events,
    async info() {
      return {
        nodeId: "12D3KooWDpJ7As7BWAwRMfu1VU2WCqNjvq387JEYKDBj4kx6nXTN",
        swarm: "test",
        addresses: ["/ip4/127.0.0.1/tcp/4002/p2p/12D3KooWDpJ7As7BWAwRMfu1VU2WCqNjvq387JEYKDBj4kx6nXTN"],
        uptimeSeconds: Math.floor((clock.monotonic() - startedMs) / 1000),
        peersConnected: peers.length,
        storageUsedBytes: [...blocks.values()].reduce((sum, block) => sum + block.length, 0),
        storageAvailableBytes: 10 * 1024 ** 3,
      };
    },
    async stats() {
      return {
        cpuUsage: 0.25,
        memoryBytes: process.memoryUsage().rss,
        diskBytes: 4096,
        uploadBytesPerSecond: 0,
        downloadBytesPerSecond: 12.5,
        uploadedBytes: 0,
        downloadedBytes: 100,
      };
    },
    peers: () => [...peers],
    async connect(multiaddr) {
      if (multiaddr !== OTHER_ADDRESS) throw new SharingError("peer_unreachable", "No one answers there");
      const peer: KnownPeer = {
        peerId: OTHER_PEER,
        name: "Ada's laptop",
        address: "127.0.0.1:4001",
        transport: "tcp",
        connectedSince: new Date(clock.now()),
        latencyMs: undefined,
        filesAvailable: offered.size,
        isRelay: false,
        isInSwarm: true,
        traffic: {
          uploadedBytes: 0,
          downloadedBytes: 100,
          uploadBytesPerSecond: 0,
          downloadBytesPerSecond: 12.5,
        },
      };
      peers.push(peer);
      events.publish("peer_connected", { peer_id: peer.peerId, address: peer.address });
      return peer;
    },
    async invite(peerId, fileId, signal = new AbortController().signal) {
      const { id, name, sizeBytes, chunkCount, complete } = find(fileId).file;
      return await inviting.invite(peerId, { fileId: id, name, sizeBytes, chunkCount, complete }, signal);
    },
    sentInvitations: () => inviting.sent.list(),
    invitations: () => inviting.received.list(),
    dismissInvitation: (id) => inviting.received.dismiss(id),
    files: () => [...stored.values()].map(({ file }) => file),
    file: (fileId) => find(fileId).file,
    async setUnlisted(fileId, isUnlisted) {
      const { file } = find(fileId);
      const wasUnlisted = file.isUnlisted;
      file.isUnlisted = isUnlisted;
      if (wasUnlisted && !isUnlisted) publishShared(file);
      if (!wasUnlisted && isUnlisted) events.publish("file_unlisted", { file_id: file.id });
      return file;
    },
    share,
    async sharePath(path, options = {}) {
      const bytes = places.get(path);
      if (bytes === undefined) throw new SharingError("path_forbidden", "The path is in no share root");
      return await share(once(bytes), { ...options, name: path.split("/").at(-1) ?? path });
    },
    async shareFolder(path, options = {}) {
      const { signal = new AbortController().signal } = options;
      const files = { listFolder: async () => placedFolder(places, path) };
      const { sharePath, deleteFile } = node;
      const putBack = async () => {};
      return await shareFolderAt(
        path,
        { files, share, sharePath, deleteFile, putBack, unsure: new UnsureFiles() },
        { ...options, signal },
      );
    },
    async expectByte(fileId) {
      const { file } = find(fileId);
      const isBrought = [...transfers.values()].some(
        (other) => other.fileId === file.id && isActive(other.status) && !other.isPaused,
      );
      if (!file.complete && !isBrought) throw new SharingError("stopped", "Nobody brings these bytes now");
    },
    async *read(fileId, { start, end }, signal) {
      const { file, bytes } = find(fileId);
      if (!file.complete) await offered.get(file.id)?.released;
      for (let at = start; at < end; at += CHUNK_BYTES) {
        signal.throwIfAborted();
        yield bytes.subarray(at, Math.min(end, at + CHUNK_BYTES));
      }
    },
    async readBlock(cid) {
      return blocks.get(cid.toString());
    },
    async mayUpload() {},
    async deleteFile(fileId) {
      const { file } = find(fileId);
      if (!file.complete) throw new SharingError("wrong_state", "The file is being downloaded");
      stored.delete(file.id);
      events.publish("file_deleted", { file_id: file.id });
    },
    async readOffered(fileId, maxBytes) {
      const offer = offered.get(parseFileId(fileId).toString());
      if (offer === undefined) throw new SharingError("file_not_found", "File not found");
      if (offer.bytes.length > maxBytes) throw new SharingError("bad_request", "the file has more bytes");
      return { name: offer.file.name, bytes: offer.bytes };
    },
    offers: () =>
      [...offered.values()].map(({ file }): Offer => {
        const { id, name, sizeBytes, chunkCount } = file;
        return { fileId: id, name, sizeBytes, chunkCount, completeHolders: [OTHER_PEER], partialHolders: [] };
      }),
    downloadTogether: (_, ask) => ask(),
    async download(request) {
      const fileId = parseFileId(request.fileId).toString();
      const offer = offered.get(fileId);
      if (request.outputPath !== undefined && outputs.has(request.outputPath) && !request.overwrite) {
        const brought = [...transfers.values()].find(
          (other) => other.fileId === fileId && other.outputPath === request.outputPath,
        );
        if (request.keepBrought && brought !== undefined) return { ...brought };
        throw new SharingError("output_exists", "The output exists already");
      }
      const same = [...transfers.values()].find(
        (other) =>
          other.fileId === fileId && other.outputPath === request.outputPath && isActive(other.status),
      );
      if (same !== undefined) return same;
      const transfer: TransferDetail = {
        id: randomUUID(),
        fileId,
        name: offer?.file.name ?? request.name ?? "",
        outputPath: request.outputPath,
        status: "started",
        isPaused: false,
        isWaiting: false,
        isRepair: false,
        progress: 0,
        sizeBytes: offer?.file.sizeBytes,
        bytesPerSecond: 0,
        peers: offer === undefined ? [] : [{ peerId: OTHER_PEER, chunksDownloaded: 0, bytesPerSecond: 0 }],
        startedAt: new Date(clock.now()),
        endedAt: undefined,
        peerCount: 0,
        estimatedCompletion: undefined,
        error: undefined,
        isStorageFull: false,
      };
      transfers.set(transfer.id, transfer);
      events.publish("transfer_started", { transfer_id: transfer.id, file_id: fileId });
      if (offer !== undefined) {
        stored.set(fileId, { file: { ...offer.file, complete: false }, bytes: offer.bytes });
        run(transfer, offer);
      }
      return { ...transfer };
    },
    transfers: () => [...transfers.values()].reverse(),
    isTransferring: () => transfers.size > 0,
    transfer: findTransfer,
    chunkMap(transferId, maxEntries = Number.POSITIVE_INFINITY) {
      const chunkCount = offered.get(findTransfer(transferId).fileId)?.file.chunkCount ?? 0;
      const held = findTransfer(transferId).status === "completed";
      return chunkMap({
        chunkCount,
        maxEntries,
        isHeld: () => held,
        isAsked: () => false,
        sourceOf: () => 0,
        peers: [OTHER_PEER],
      });
    },
    async resume(fileId) {
      const own = [...transfers.values()].reverse().filter((transfer) => transfer.fileId === fileId);
      if (own.length === 0) throw new SharingError("transfer_not_found", "The file was never asked for");
      const transfer = own.find(({ status }) => status !== "completed");
      if (transfer === undefined) throw new SharingError("wrong_state", "The file is complete");
      if (isActive(transfer.status) && transfer.status !== "interrupted") return { ...transfer };
      Object.assign(transfer, { status: "resumed", isPaused: false, endedAt: undefined });
      const offer = offered.get(fileId);
      if (offer !== undefined) run(transfer, offer);
      return { ...transfer };
    },
    async pause(transferId) {
      Object.assign(findActive(transferId), { status: "interrupted", isPaused: true });
    },
    async cancel(transferId) {
      const transfer = findActive(transferId);
      Object.assign(transfer, { status: "cancelled", endedAt: new Date(clock.now()) });
      stored.delete(transfer.fileId);
      events.publish("transfer_cancelled", { transfer_id: transfer.id, file_id: transfer.fileId });
    },
    async stop() {},
  };

  return {
    node,
    invite: (file) => inviting.onInvited(OTHER_PEER, someFile("invited", file)),
    outputs,
    subscribe(listener) {
      swarmListeners.add(listener);
      return () => swarmListeners.delete(listener);
    },
    place: (path, bytes) => void places.set(path, bytes),
    async offer(name, bytes) {
      const { file } = await hash(once(bytes), name);
      let release = () => {};
      const released = new Promise<void>((resolve) => {
        release = resolve;
      });
      offered.set(file.id, { file, bytes, released, release });
      for (const listener of swarmListeners) listener({ type: "offers_changed" });
      return { fileId: file.id, release };
    },
  };
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
