/**
 * All that the sharing node asks of the outside world. The two mains (browser and headless) join
 * implementations to these; everything in this folder is written against them alone.
 *
 * Terms: a chunk is a leaf of a file (at most 1 MiB), a block is any DAG node, a file id is the root CID
 * as a base32 CIDv1 string, a peer id is a libp2p PeerId string.
 */
import type { Blockstore } from "interface-blockstore";
import type { CID } from "multiformats/cid";
import type { ChunkBuffers } from "./files/chunk-buffers.ts";

/**
 * Blocks on a medium. Every write is atomic, survives `kill -9` once its promise settles, and keeps no hold of the
 * caller's buffer afterwards. `put` and `putMany` survive power loss too, the other two after the next `flush`.
 */
export interface BlockStore extends Blockstore {
  /**
   * Stores `bytes` only if they hash to `cid`; already present is a no-op, unless those came to harm on the medium.
   * @throws SharingError `hash_mismatch`, `storage_full`
   */
  putVerified(cid: CID, bytes: Uint8Array, options?: PutOptions): Promise<void>;
  /**
   * Stores bytes whose CID the caller has made, as `putVerified` does.
   * @throws SharingError `storage_full`
   */
  write(cid: CID, bytes: Uint8Array): Promise<void>;
  /** Settles when all that was written before survives power loss. @throws SharingError `storage_full` */
  flush(): Promise<void>;
  /** Buffers that bytes for this store are best put in, and read into. */
  readonly buffers: ChunkBuffers;
  /** For runtimes in which bytes are best hashed as they come: begins a SHA-256. */
  startHash?(): RunningHash;
  /**
   * Reads a block into a buffer, where it fits, and gives the bytes, there or elsewhere, for peers: those that may have come to
   * harm on the medium, since they were not hashed for a while, are hashed first, which `get` leaves to its callers.
   * @throws NotFoundError also for a block that came to harm, or can't be read; it is then forgotten
   */
  read(cid: CID, into: Uint8Array | undefined, signal: AbortSignal): Promise<Uint8Array>;
  /** The block may have come to harm: the next `read` hashes it, whenever it was hashed last. */
  doubt(cid: CID): void;
  /**
   * For media that can keep a file's chunks side by side: where to, so that the file need not be written a second time for
   * an output. One user at a time for each root.
   */
  openWhole?(root: CID): Promise<WholeFile>;
  /** Most bytes of blocks to hold. May be changed at any time; a lower one takes nothing away. */
  maxBytes: number;
  /** Bytes that blocks take up now. */
  readonly usedBytes: number;
  /** Bytes that may still be stored: the smaller of the quota's rest and what the medium has. */
  availableBytes(): Promise<number>;
  /** For media that have what deleted blocks took back later: settles when they have it, as far as that can be. */
  reclaim?(): Promise<void>;
  /** CIDs of all blocks held, in no order. Cheap: reads no block. */
  list(): AsyncIterable<CID>;
  close(): Promise<void>;
}

export interface PutOptions {
  /** The SHA-256 of the bytes, where the caller has made it by `startHash`. */
  sha256?: Uint8Array | undefined;
  /** Nobody waits for this block before others come, so that it may be written together with them. */
  moreToCome?: boolean;
}

/** A hash of bytes that come one after the other. */
export interface RunningHash {
  update(bytes: Uint8Array): void;
  /** Of all that came. Called once, as the last. */
  digest(): Uint8Array;
}

/** A file of the machine that a store fills chunk by chunk, each in its place. Its chunks are blocks of the store at once. */
export interface WholeFile {
  /** Where it is. */
  readonly path: string;
  /** Does the chunk stand there, at that offset? */
  holds(cid: CID, offset: number): boolean;
  /**
   * As the store's `putVerified`. A block that the store has elsewhere is copied here.
   * @throws SharingError `hash_mismatch`, `storage_full`
   */
  putVerified(cid: CID, offset: number, bytes: Uint8Array, options?: PutOptions): Promise<void>;
  /** All chunks are there: makes it durable, before anyone else sees it. Nothing is put afterwards. */
  seal(sizeBytes: number): Promise<void>;
  /** Ends its use; what is in it stays in the store. */
  close(): void;
}

/** Small durable JSON documents by collection and key. A settled write survives `kill -9` and power loss. */
export interface Records {
  get<T>(collection: RecordCollection, key: string): Promise<T | undefined>;
  /** All documents of a collection, ordered by key. */
  entries<T>(collection: RecordCollection): AsyncIterable<[key: string, value: T]>;
  put<T>(collection: RecordCollection, key: string, value: T): Promise<void>;
  delete(collection: RecordCollection, key: string): Promise<void>;
  /** All or nothing, also after a crash. */
  batch(changes: RecordChange[]): Promise<void>;
  close(): Promise<void>;
}

export type RecordCollection = "files" | "transfers" | "bans" | "webhooks" | "settings";
export type RecordChange =
  | { type: "put"; collection: RecordCollection; key: string; value: unknown }
  | { type: "delete"; collection: RecordCollection; key: string };

/** What a node tells its swarm about a file it holds, whole or in part. */
export interface Announcement {
  fileId: string;
  name: string;
  sizeBytes: number;
  chunkCount: number;
  /** false while this node is itself still downloading the file. */
  complete: boolean;
}

/** A file that some other node announces, with every peer that holds it. */
export interface Offer {
  fileId: string;
  /** Sanitised for display; still hostile text. */
  name: string;
  sizeBytes: number;
  chunkCount: number;
  /** Peers that hold all of it. */
  completeHolders: string[];
  /** Peers that hold some of it. */
  partialHolders: string[];
  /** What a holder says that it is about. Sanitised for display; still hostile text. */
  excerpt?: string;
}

export type Transport = "tcp" | "websocket" | "webrtc" | "webrtc-direct" | "relay";

export interface ConnectedPeer {
  peerId: string;
  /** What people call it, if it has told that; hostile text without controls. */
  name: string | undefined;
  /** host:port of the remote socket; for WebRTC the chosen candidate's, through a relay the relay's. */
  address: string;
  transport: Transport;
  connectedSince: Date;
  /** Round trip by libp2p ping; undefined until measured. */
  latencyMs: number | undefined;
  /** How many files that peer announces. */
  filesAvailable: number;
  /** Others can be reached through it. */
  isRelay: boolean;
  /** It takes part in this node's swarm; a relay may be of another one, and any libp2p node may connect. */
  isInSwarm: boolean;
}

export type SwarmEvent =
  | { type: "peer_connected"; peer: ConnectedPeer }
  | { type: "peer_disconnected"; peerId: string }
  | { type: "offers_changed" }
  /** The peer asks this node to download the file. */
  | { type: "invited"; peerId: string; file: Announcement };

/** How much of a file. */
export type Held = "none" | "some" | "all";

/** The network of nodes under one swarm name: who is there and who offers what. */
export interface Swarm {
  readonly nodeId: string;
  readonly name: string;
  /** Multiaddrs, ending in /p2p/<nodeId>, that this node can be dialled at now. */
  addresses(): string[];
  peers(): ConnectedPeer[];
  /** Has it been spoken with, and not only been told of? Anybody can make up peers, and say that they hold a file. */
  isMet(peerId: string): boolean;
  offers(): Offer[];
  offer(fileId: string): Offer | undefined;
  /** Tells the swarm of a file; a second call for the same id replaces the first. */
  announce(file: Announcement): void;
  /** Tells of a file, announced before or not, only whoever asks for it by its id; a second call replaces the first. */
  holdUnlisted(file: Announcement): void;
  /** What the peer says, if it is connected, that it holds of the file, unlisted. Never rejects. */
  askUnlisted(peerId: string, fileId: string): Promise<Held>;
  /** Of the peers that are connected now those that soon say that they hold the file unlisted, or some of it. */
  unlistedHolders(fileId: string): Promise<string[]>;
  /** Tells of the file no more, at once. */
  withdraw(fileId: string): void;
  /** Tells the swarm what a file is about while it is announced: the beginning of its text; nothing, where it is empty. */
  describe(fileId: string, excerpt: string): void;
  /** Tells peers what people call this node, now and when they connect; empty: nothing any more. */
  rename(name: string): void;
  /** Whether peers may ask this node to download a file; at first they may. */
  takeInvitations(isTaken: boolean): void;
  /** Asks the peer to download a file. @throws SharingError `peer_unreachable` (also where it takes no invitation) */
  invite(peerId: string, file: Announcement, signal: AbortSignal): Promise<void>;
  /**
   * Peer ids that hold the file or some of it: those known now, those that say so when they are asked, then those found
   * by looking up provider records, then those that come later, until `signal` aborts. May repeat an id that came back.
   * `isUnlisted`, asked each time: no stranger is to learn the id, so that no records are looked up.
   */
  providers(
    fileId: string,
    signal: AbortSignal,
    options?: { isUnlisted?: () => boolean },
  ): AsyncIterable<string>;
  /** Dials a multiaddr. @throws SharingError `peer_unreachable`, `bad_request` */
  connect(multiaddr: string, signal: AbortSignal): Promise<ConnectedPeer>;
  /** Closes connections to the peer and refuses new ones for the time given. */
  ban(peerId: string, forMs: number): void;
  subscribe(listener: (event: SwarmEvent) => void): () => void;
}

/** What a peer holds of one file. Bit i of a bitfield is byte i>>3, mask 0x80>>(i&7). */
export type HaveUpdate =
  | { kind: "all" }
  | { kind: "none" }
  | { kind: "bitfield"; bits: Uint8Array }
  | { kind: "have"; indexes: number[] };

/**
 * What a session tells of a file: what its peer holds, or that so many files are watched there that the peer hears of
 * it later.
 */
export type HaveNews = HaveUpdate | { kind: "waiting" };

/** Higher is served first: 0 background, 1 normal, 2 a reader waits for it. */
export type Priority = 0 | 1 | 2;

export interface BlockRequest {
  cid: CID;
  /** The longest answer that is taken; more is a protocol error. */
  maxBytes: number;
  /**
   * Gives where to put the answer, at least `maxBytes` long; the answer is then its beginning. Called once the answer begins,
   * and for one that is lost and comes again.
   */
  into?: () => Uint8Array;
  priority: Priority;
  /** Given every part of the answer as it comes, from the first again after `into`; valid during the call only. */
  onBytes?: (bytes: Uint8Array) => void;
  signal: AbortSignal;
}

/** An open conversation with one peer. Shared: closing it releases one user's hold. */
export interface PeerSession {
  readonly peerId: string;
  /** Most block requests worth having under way over this transport. */
  readonly maxInFlight: number;
  /**
   * The block's bytes, unverified, at most `maxBytes`. Aborting sends a cancel.
   * @throws SharingError `block_not_found` (peer does not hold it), `peer_lost` (gone, stalled),
   * `protocol_error` (broke the protocol: a strike)
   */
  fetch(request: BlockRequest): Promise<Uint8Array>;
  /** How urgent what is being fetched is from now on; nothing happens if it isn't being fetched. */
  prioritize(cid: CID, priority: Priority): void;
  /**
   * What the peer holds of the file, then changes as they happen. Ends with the session or signal.
   * @throws SharingError `protocol_error` (broke the protocol: a strike)
   */
  haves(fileId: string, chunkCount: number, signal: AbortSignal): AsyncIterable<HaveNews>;
  close(): void;
}

/** What this node serves to others. Only blocks of files it shares are to be found here. */
export interface BlockSource {
  /** Buffers to read blocks into. */
  readonly buffers: ChunkBuffers;
  /** Whether the block is one of a shared file. */
  shares(cid: CID): boolean;
  /** Who was given the block may have found it wrong. */
  doubt(cid: CID): void;
  /** Bytes of a block of a shared file, in `into` or elsewhere, or undefined. */
  readBlock(cid: CID, signal: AbortSignal, into?: Uint8Array): Promise<Uint8Array | undefined>;
  /** Own haves of a file; ends at once for one that is not shared, or has not so many chunks, and when its sharing stops. */
  haves(fileId: string, chunkCount: number, signal: AbortSignal): AsyncIterable<HaveUpdate>;
}

export interface TrafficTotals {
  uploadedBytes: number;
  downloadedBytes: number;
  /** Payload bytes a second over the last few seconds. */
  uploadBytesPerSecond: number;
  downloadBytesPerSecond: number;
}

/** The exchange protocol: asks peers for blocks, and answers them from a source. */
export interface Exchange {
  /** `onViolation`: a peer that asked here broke the protocol, and its conversation was ended: a strike. */
  serve(source: BlockSource, onViolation?: (peerId: string, error: Error) => void): void;
  /** @throws SharingError `peer_unreachable`, `stopped`; the signal's reason */
  openSession(peerId: string, signal: AbortSignal): Promise<PeerSession>;
  traffic(): TrafficTotals;
  /** Payload totals and speeds of one peer, zero for one never met. */
  trafficOf(peerId: string): TrafficTotals;
  /** Settles when so many bytes may go to a reader that is no peer, as the upload rate has it. @throws the signal's reason */
  mayUpload(reader: string, sizeBytes: number, signal: AbortSignal): Promise<void>;
}

/** Where files come from and go to: the node's machine, or the origin private file system of a page. */
export interface Files {
  /**
   * A regular file inside an allowed root.
   * @throws SharingError `path_forbidden` (whether or not it exists), `file_missing`, `bad_request`
   */
  openSource(path: string): Promise<FileSource>;
  /**
   * The regular files in a folder inside an allowed root, and in those beneath it; hidden ones and links are left out.
   * @throws SharingError `path_forbidden` (whether or not it exists), `file_missing`, `bad_request` (a file, or too many)
   */
  listFolder(path: string): Promise<FolderListing>;
  /**
   * A place to write a download to; nothing is visible at `path` before `commit`.
   * @throws SharingError `path_forbidden`, `output_exists` (unless `overwrite`), `bad_request`, `storage_full`
   */
  openOutput(path: string, options: { overwrite: boolean }): Promise<FileOutput>;
  /**
   * Where `openOutput` would write to; nothing is made there.
   * @throws as it does, as far as can be told
   */
  outputPath(path: string, options: { overwrite: boolean }): Promise<string>;
  /** The regular file that stands at the place of an output. @throws as `openSource` does */
  openPlaced(path: string): Promise<FileSource>;
}

export interface FolderListing {
  readonly name: string;
  /** `path`: its safe place in the folder, parts with slashes between. `source`: what `openSource` takes. */
  readonly files: { path: string; source: string }[];
}

export interface FileSource {
  readonly name: string;
  readonly sizeBytes: number;
  /** Bytes in order, in pieces of any size, each good until the next is asked for. */
  stream(signal: AbortSignal): AsyncIterable<Uint8Array>;
}

export interface FileOutput {
  /** The place as finally resolved. */
  readonly path: string;
  /**
   * Bytes that may still be written there, so many being written for good: what an adopted file takes up besides counts,
   * for it is written over. Without end where nobody can tell.
   */
  freeBytes(writtenBytes: number): Promise<number>;
  /** @throws SharingError `storage_full` */
  write(offset: number, bytes: Uint8Array): Promise<void>;
  /**
   * Takes a file of the same machine for its own bytes, so that nothing need be written, and `commit` shows what is in it
   * then. False where that can't be done, and all is as before.
   */
  adopt?(path: string): Promise<boolean>;
  /**
   * Makes the file durable and visible, all of it at once.
   * @throws SharingError `output_exists`, `storage_full`, `file_missing` where what was written is gone
   */
  commit(sizeBytes: number): Promise<void>;
  /** Removes what was written, and folders that were made for it and are empty. */
  discard(): Promise<void>;
}

/** Time, so that tests can own it. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Milliseconds, never going back, for measuring. */
  monotonic(): number;
  /** Settles after the time; rejects with the signal's reason. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** Load of the machine or page, measured. */
export interface SystemMeter {
  /** Busy fraction 0..1 of this process (or event loop) over the last seconds. */
  cpuUsage(): number;
  memoryBytes(): number;
  /** Bytes in the data folder (or origin storage). */
  diskBytes(): Promise<number>;
}

/** Structured log lines; values may be hostile text and are escaped where they are written. */
export interface Log {
  debug(message: string, details?: object): void;
  info(message: string, details?: object): void;
  warn(message: string, details?: object): void;
}
