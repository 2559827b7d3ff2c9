/** The file-sharing node, as the API, the page and the command line talk to it. Made by node. */
import type { CID } from "multiformats/cid";
import type { LocalFile } from "./catalog/catalog-entry.ts";
import type { NodeEvents } from "./events.ts";
import type { Shared, ShareOptions } from "./files/importer.ts";
import type { Invitation } from "./invitations/invitations.ts";
import type { SentInvitation } from "./invitations/sent-invitations.ts";
import type { ConnectedPeer, Offer, TrafficTotals } from "./ports.ts";
import type { ChunkMap } from "./transfers/chunk-map.ts";
import type { TransferDetail } from "./transfers/transfer-record.ts";
import type { TransferRequest } from "./transfers/transfer-request.ts";

export interface NodeInfo {
  nodeId: string;
  swarm: string;
  addresses: string[];
  uptimeSeconds: number;
  peersConnected: number;
  storageUsedBytes: number;
  storageAvailableBytes: number;
}

export interface NodeStats {
  /** Busy fraction, 0..1. */
  cpuUsage: number;
  memoryBytes: number;
  diskBytes: number;
  uploadBytesPerSecond: number;
  downloadBytesPerSecond: number;
  uploadedBytes: number;
  downloadedBytes: number;
}

/** A connected peer, and what went to it and came from it. */
export interface KnownPeer extends ConnectedPeer {
  traffic: TrafficTotals;
}

/** Every method throws SharingError only. A file id may be spelt in any way that names the same CID. */
export interface SharingNode {
  readonly events: NodeEvents;
  info(): Promise<NodeInfo>;
  stats(): Promise<NodeStats>;
  peers(): KnownPeer[];
  /** Dials a multiaddr. @throws `bad_request`, `peer_unreachable` */
  connect(multiaddr: string, signal?: AbortSignal): Promise<KnownPeer>;
  /** Asks a peer to download a file that is here. @throws `file_not_found`, `peer_unreachable` */
  invite(peerId: string, fileId: string, signal?: AbortSignal): Promise<SentInvitation>;
  /** What this node has asked peers to download, oldest first, and what came of it. */
  sentInvitations(): SentInvitation[];
  /** What peers have asked this node to download, oldest first, until it is downloaded or dismissed. */
  invitations(): Invitation[];
  /** @throws `invitation_not_found` */
  dismissInvitation(invitationId: string): void;

  /** Local files, oldest first; downloads in progress among them with `complete: false`. */
  files(): LocalFile[];
  /** @throws `file_not_found` */
  file(fileId: string): LocalFile;
  /**
   * Tells others of a file, which is the event that sharing it is, or nobody any more, which is one of its own.
   * @throws `file_not_found`, `wrong_state` (what it is made of is lost), `storage_full`
   */
  setUnlisted(fileId: string, isUnlisted: boolean): Promise<LocalFile>;
  /** Imports bytes. @throws `storage_full`, `bad_request` (more than a file may have) */
  share(bytes: AsyncIterable<Uint8Array>, options: ShareOptions): Promise<Shared>;
  /** Imports the file at a path. @throws as `share`, `path_forbidden`, `file_missing`, `bad_request` (a folder) */
  sharePath(path: string, options?: Omit<ShareOptions, "name">): Promise<Shared>;
  /**
   * Shares a folder's files, and gives the list of them, under which they can be had. Where one is refused, those before it are
   * not shared either, but where they were before, and are as they were.
   * @throws as `sharePath`, `bad_request` (no folder)
   */
  shareFolder(path: string, options?: Pick<ShareOptions, "isUnlisted" | "signal">): Promise<Shared>;
  /** @throws `file_not_found`, `stopped` (the byte is not here, and no transfer brings it now) */
  expectByte(fileId: string, offset: number, signal: AbortSignal): Promise<void>;
  /**
   * Bytes `start` up to but not including `end`, verified. Waits for chunks that are still downloading, which
   * are then fetched first. @throws `file_not_found`, `stopped` (the transfer ended before the bytes came), `bad_manifest`
   */
  read(fileId: string, range: { start: number; end: number }, signal: AbortSignal): AsyncIterable<Uint8Array>;
  /** Verified bytes of any block of a file here, inner nodes included; undefined for all others. */
  readBlock(cid: CID, signal: AbortSignal): Promise<Uint8Array | undefined>;
  /** Settles when so many bytes may go to a reader that is no peer, as the upload rate has it. @throws the signal's reason */
  mayUpload(reader: string, sizeBytes: number, signal: AbortSignal): Promise<void>;
  /** @throws `file_not_found`, `wrong_state` (being downloaded), `storage_full` (it is back after a restart) */
  deleteFile(fileId: string): Promise<void>;
  /** What other peers announce. */
  offers(): Offer[];
  /**
   * What a file holds that others offer, or hold unlisted, verified; it is not kept.
   * @throws `file_not_found` (nobody does), `bad_request` (longer), `no_provider` (nobody gives it now)
   */
  readOffered(
    fileId: string,
    maxBytes: number,
    signal: AbortSignal,
  ): Promise<{ name: string; bytes: Uint8Array }>;

  /**
   * Starts a download, or gives the one under way to the same place.
   * @throws `bad_request`, `output_exists`, `path_forbidden`, `wrong_state` (too many are active), `storage_full`
   */
  download(request: TransferRequest): Promise<TransferDetail>;
  /** While `ask` asks for files of the folder, by the id of its list, none begins: all are noted soon, and together. */
  downloadTogether<T>(folderId: string, ask: () => Promise<T>): Promise<T>;
  /** All transfers of the last day, newest first. */
  transfers(): TransferDetail[];
  /** Is any of them brought by a peer just now, and not only looked for? */
  isTransferring(): boolean;
  /** @throws `transfer_not_found` */
  transfer(transferId: string): TransferDetail;
  /** Which chunk is where, for drawing: every one, or at most `maxEntries` evenly spread. @throws `transfer_not_found` */
  chunkMap(transferId: string, maxEntries?: number): ChunkMap;
  /**
   * The newest interrupted transfer of the file goes on, else the newest that has neither completed nor been cancelled, else the
   * newest that was cancelled.
   * @throws `transfer_not_found`, `wrong_state` (it has completed), and as `download` does of its output
   */
  resume(fileId: string): Promise<TransferDetail>;
  /** Stops fetching until resumed. @throws `transfer_not_found`, `wrong_state` */
  pause(transferId: string): Promise<void>;
  /** @throws `transfer_not_found`, `wrong_state` */
  cancel(transferId: string): Promise<void>;
  /** Stops transfers so that they can be resumed, and settles when all is on disk. */
  stop(): Promise<void>;
}
