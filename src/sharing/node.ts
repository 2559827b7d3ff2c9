/**
 * The file-sharing node: what the API, the page and the command line talk to. Made from ports by the two
 * mains; it joins the catalog, the transfers, the bans and the swarm, and holds no other state.
 */

import type { LocalFile } from "./catalog.ts";
import type { NodeEvents } from "./events.ts";
import type { ConnectedPeer, Offer } from "./ports.ts";
import type { PieceMap, TransferDetail, TransferRequest, TransferStatus } from "./transfers.ts";

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

export interface ShareOptions {
  name: string;
  signal?: AbortSignal;
  /** Called as bytes are stored, at most once a chunk. */
  onProgress?: (storedBytes: number) => void;
}

/** Every method throws SharingError only. A file id may be spelt in any way that names the same CID. */
export interface SharingNode {
  readonly events: NodeEvents;
  info(): Promise<NodeInfo>;
  stats(): Promise<NodeStats>;
  peers(): ConnectedPeer[];
  /** Dials a multiaddr. */
  connect(multiaddr: string, signal?: AbortSignal): Promise<ConnectedPeer>;

  /** Local files, oldest first; downloads in progress among them with `complete: false`. */
  files(): LocalFile[];
  /** @throws `file_not_found` */
  file(fileId: string): LocalFile;
  /** Imports bytes; `existed` when the same bytes were shared before. @throws `storage_full` */
  share(
    bytes: AsyncIterable<Uint8Array>,
    options: ShareOptions,
  ): Promise<{ file: LocalFile; existed: boolean }>;
  /** Imports the file at a path. @throws `path_forbidden`, `file_missing`, `storage_full` */
  sharePath(
    path: string,
    options?: Omit<ShareOptions, "name">,
  ): Promise<{ file: LocalFile; existed: boolean }>;
  /**
   * Bytes `start` up to but not including `end`, verified. Waits for chunks that are still downloading, which
   * are then fetched first. @throws `file_not_found`, `stopped` (the transfer ended before the bytes came)
   */
  read(fileId: string, range: { start: number; end: number }, signal: AbortSignal): AsyncIterable<Uint8Array>;
  /** Bytes of one block of a local file, verified, or undefined. For the trustless gateway. */
  readBlock(fileId: string): Promise<Uint8Array | undefined>;
  /** @throws `file_not_found`, `wrong_state` (being downloaded) */
  deleteFile(fileId: string): Promise<void>;
  /** What other peers announce. */
  offers(): Offer[];

  /** Starts a download, or gives the one under way to the same place. @throws `bad_request`, `output_exists`, `path_forbidden` */
  download(request: TransferRequest): Promise<TransferDetail>;
  /** Transfers with one of the statuses (default: the active ones), newest first. */
  transfers(statuses?: readonly TransferStatus[]): TransferDetail[];
  /** @throws `transfer_not_found` */
  transfer(transferId: string): TransferDetail;
  /** Which chunk is where, for drawing. @throws `transfer_not_found` */
  pieceMap(transferId: string): PieceMap;
  /** The newest unfinished transfer of the file goes on. @throws `transfer_not_found`, `wrong_state` */
  resume(fileId: string): Promise<TransferDetail>;
  /** Stops fetching until resumed. @throws `transfer_not_found`, `wrong_state` */
  pause(transferId: string): Promise<void>;
  /** @throws `transfer_not_found`, `wrong_state` */
  cancel(transferId: string): Promise<void>;
  /** Stops transfers so that they can be resumed, and settles when all is on disk. */
  stop(): Promise<void>;
}
