/**
 * One download: the one loop that owns it. Events come in through the inbox (a peer joined, a chunk is stored, a
 * request failed, a reader moved); after each the loop has every peer with room asked for what it should bring next
 * (chunk-requests). All state changes happen here, in order; transfer-work only does I/O and reports back.
 *
 * Made by transfer-runs. Calls chunk-requests, transfer-chunks, peer-pool, catalog and transfer-work.
 */
import type { CID } from "multiformats/cid";
import { type Bans, BREACHES } from "../bans.ts";
import type { CatalogEntry } from "../catalog/catalog-entry.ts";
import { markStored, unmarkLost } from "../catalog/stored-chunks.ts";
import { isSharingError, SharingError } from "../errors.ts";
import { RAW } from "../hash.ts";
import { FIRST_PROVIDER_MS } from "../limits.ts";
import type { Exchange, HaveNews, Swarm } from "../ports.ts";
import type { TurnKind, Turns } from "../transfers/turns.ts";
import { ActivePeer } from "./active-peer.ts";
import { ChunkMeter } from "./chunk-meter.ts";
import { ChunkRequests } from "./chunk-requests.ts";
import { Inbox } from "./inbox.ts";
import { ManifestAsking } from "./manifest-asking.ts";
import { type DropReason, PeerPool } from "./peer-pool.ts";
import { PeersInUse } from "./peers-in-use.ts";
import { idleRefusers, lastMute, lastToCome, lastWaiting, leastUseful, slowestPartial } from "./places.ts";
import { StallWatch } from "./stall-watch.ts";
import { TransferChunks, type TransferChunksOptions } from "./transfer-chunks.ts";
import { type TransferEvent, TransferWork, type TransferWorkPorts } from "./transfer-work.ts";

export interface TransferPorts extends TransferWorkPorts {
  swarm: Swarm;
  exchange: Exchange;
  bans: Bans;
  /** The same for all transfers. */
  turns: Record<TurnKind, Turns>;
}

/** `chunksByPeer` is shared with earlier runs of the same transfer. */
export interface TransferOptions extends TransferChunksOptions {
  root: CID;
  name: () => string;
  /** Is nobody to be told of the file, whoever brings it? Asked each time. */
  isUnlisted: () => boolean;
  /** What whoever asked was told that the file has. Asked once its length is known. */
  saidBytes: () => number | undefined;
  /** Asked each time, for it may change. */
  maxPeers: () => number;
  /** A chunk was verified and stored, or the file became known. */
  onProgress: () => void;
  /** A second has passed: speeds and peers may be others. */
  onTick: () => void;
  /** No provider was left when an earlier run ended. */
  wasStalled: boolean;
  /** No provider is left (true), or one came back (false). */
  onStall: (isStalled: boolean) => void;
  /** A provider is here. */
  onMet: () => void;
  /** None was found in time, and none refused it: does it wait for one, instead of failing? Asked each time. */
  isPatient: () => boolean;
  signal: AbortSignal;
}

export class Transfer {
  readonly meter: ChunkMeter;
  readonly #ports: TransferPorts;
  readonly #options: TransferOptions;
  readonly #inbox = new Inbox<TransferEvent>();
  readonly #peers = new PeersInUse();
  readonly #work: TransferWork;
  readonly #stall: StallWatch;
  /** Aborts with the transfer's own end as well as with the caller's signal. */
  readonly #ended = new AbortController();
  readonly #signal: AbortSignal;
  #pool: PeerPool | undefined;
  /** Undefined before the manifest is known, and so is what is asked of whom. */
  #chunks: TransferChunks | undefined;
  #requests: ChunkRequests | undefined;
  readonly #manifest: ManifestAsking;
  #lastError: unknown;

  constructor(ports: TransferPorts, options: TransferOptions) {
    this.#ports = ports;
    this.#options = options;
    this.#signal = AbortSignal.any([options.signal, this.#ended.signal]);
    this.#work = new TransferWork(ports, this.#inbox, this.#signal);
    this.#stall = new StallWatch(ports.clock, options.onStall, options.wasStalled);
    this.#manifest = new ManifestAsking(ports.clock, this.#turnKind);
    this.meter = new ChunkMeter(() => ports.clock.monotonic());
  }

  /** Speeds of the peers in use now, bytes a second. */
  speeds(): Map<string, number> {
    return this.#peers.speeds();
  }

  /** Its peers bring other files first. */
  get isWaiting(): boolean {
    return this.#peers.areWaitedFor && !this.#peers.areAsked;
  }

  isAsked(index: number): boolean {
    return this.#chunks?.picker.isAsked(index) ?? false;
  }

  /** As TransferChunks says; empty before the manifest is known. */
  get sources(): Uint8Array {
    return this.#chunks?.sources ?? new Uint8Array();
  }

  /**
   * Settles when every chunk is stored and the output is durable.
   * @throws the signal's reason, SharingError `no_provider`, `peer_unreachable`, `bad_manifest`, `storage_full`,
   * `output_exists`
   */
  async run(): Promise<void> {
    try {
      const known = this.#ports.catalog.find(this.#options.root.toString());
      if (known) await markStored(this.#ports.blocks, known);
      this.#beginIfKnown();
      do {
        while (!(await this.#chunks?.areWhole(this.#signal))) await this.#step();
      } while (!(await this.#areKept()));
      await this.#chunks?.copy?.commit();
    } finally {
      this.#ended.abort(new SharingError("stopped", "the transfer ended"));
      for (const peer of [...this.#peers]) this.#leave(peer, "reserve");
      await this.#pool?.closed();
      await this.#work.ended();
      this.#keepStored();
      await this.#chunks?.copy?.close();
    }
  }

  /** Is every chunk durable? One that the medium has lost is missing again. */
  async #areKept(): Promise<boolean> {
    await this.#ports.blocks.flush();
    const chunks = this.#chunks;
    if (chunks === undefined) return false;
    await unmarkLost(this.#ports.blocks, chunks.entry);
    return chunks.entry.holding.isComplete;
  }

  async #step(): Promise<void> {
    if (!this.#pool) this.#openPool();
    this.#handle(await this.#inbox.next(this.#signal));
    await this.#chunks?.copy?.expectRoom();
    if (this.#chunks) this.#followPeers(this.#chunks.entry);
    if (this.#requests) this.#requests.fill();
    else this.#readManifest();
  }

  /** Among which files it takes its turns. */
  get #turnKind(): TurnKind {
    if (this.#chunks) return this.#chunks.turnKind;
    return this.#options.root.code === RAW ? "short" : "manifest";
  }

  #openPool(): void {
    const { root, maxPeers, isUnlisted, chunksByPeer } = this.#options;
    const bestFirst = [...chunksByPeer].sort(([, a], [, b]) => b - a);
    this.#pool = new PeerPool({
      ...this.#ports,
      isFree: (peerId) => this.#ports.turns[this.#turnKind].isFree(peerId),
      fileId: root.toString(),
      maxPeers,
      isUnlisted,
      remembered: bestFirst.map(([peerId]) => peerId),
      random: Math.random,
      signal: this.#signal,
      onSession: (session, wasInVain) => this.#inbox.push({ type: "joined", session, wasInVain }),
      onNewcomer: () => this.#inbox.push({ type: "newcomer" }),
    });
    this.#work.keepTime();
  }

  #handle(event: TransferEvent): void {
    switch (event.type) {
      case "joined":
        this.#join(event);
        break;
      case "manifest":
        this.#manifestRead(event.peer, event.entry);
        break;
      case "manifest_failed":
        this.#manifest.failed(event.peer, event.error);
        this.#blame(event.peer, event.error);
        break;
      case "haves":
        this.#heard(event.peer, event.update);
        break;
      case "haves_ended":
        this.#blame(event.peer, event.error);
        break;
      case "stored":
        this.#stall.busy();
        this.#requests?.stored(event);
        break;
      case "failed":
        this.#failed(event);
        break;
      case "demand":
        this.#requests?.prioritize();
        break;
      case "newcomer":
        this.#makeRoom(slowestPartial);
        break;
      case "turn":
        break;
      case "tick":
        this.#tick();
    }
  }

  /** It may have been here before, or have been shared from here since. */
  #beginIfKnown(): void {
    const known = this.#ports.catalog.find(this.#options.root.toString());
    if (known && !this.#chunks) this.#begin(known);
  }

  /**
   * The manifest is known: chunks can be asked for.
   * @throws SharingError `bad_manifest` for a file of another length than was said
   */
  #begin(entry: CatalogEntry): ChunkRequests {
    const { sizeBytes } = entry.manifest;
    const saidBytes = this.#options.saidBytes() ?? sizeBytes;
    // A few chunks, again and again, are a file of any length, which fills a disk.
    if (sizeBytes !== saidBytes) {
      throw new SharingError("bad_manifest", `its folder says ${saidBytes} bytes, and it has ${sizeBytes}`);
    }
    this.#chunks = new TransferChunks(entry, this.#ports.blocks, this.#options);
    this.#requests = new ChunkRequests({
      chunks: this.#chunks,
      peers: this.#peers,
      work: this.#work,
      onAsked: (peer) => this.#asked(peer),
      onNew: this.#options.onProgress,
    });
    this.#work.followReaders(entry);
    for (const peer of this.#peers) this.#chunks.picker.join(peer.id);
    this.#options.onProgress();
    return this.#requests;
  }

  #join({ session, wasInVain }: TransferEvent & { type: "joined" }): void {
    const { clock, turns } = this.#ports;
    const at = (kind: TurnKind) => turns[kind].at(session.peerId, () => this.#inbox.push({ type: "turn" }));
    const places = { manifest: at("manifest"), short: at("short"), long: at("long") };
    const peer = new ActivePeer(session, clock, places, this.meter);
    peer.wasInVain = wasInVain;
    this.#peers.add(peer);
    this.#options.onMet();
    this.#chunks?.picker.join(peer.id);
  }

  #leave(peer: ActivePeer, why: DropReason): void {
    if (!this.#peers.has(peer)) return;
    this.#peers.remove(peer);
    this.#chunks?.picker.leave(peer.id);
    peer.leave(new SharingError("stopped", "the peer is no longer used"));
    this.#pool?.drop(peer.session, why, peer.brought);
  }

  /** Deals with an error that a peer caused, or ends the transfer with one that it did not. */
  #blame(peer: ActivePeer, error: unknown): void {
    const { bans } = this.#ports;
    if (!this.#peers.has(peer)) return;
    this.#lastError = error;
    if (isSharingError(error, ...BREACHES)) {
      this.#work.spawn(bans.strike(peer.id, error));
      if (error.name !== "hash_mismatch" || bans.isBanned(peer.id)) this.#leave(peer, "failed");
    } else if (isSharingError(error, "peer_lost", "peer_unreachable", "block_not_found")) {
      this.#leave(peer, "failed");
    } else {
      throw error;
    }
  }

  #asked({ isExpected }: ActivePeer): void {
    if (isExpected) this.#stall.busy();
  }

  #readManifest(): void {
    const peer = this.#manifest.next(this.#peers);
    if (!peer) return;
    this.#asked(peer);
    this.#work.readManifest(this.#options, peer);
  }

  #manifestRead(peer: ActivePeer, entry: CatalogEntry): void {
    this.#manifest.brought(peer);
    this.#stall.busy();
    if (this.#chunks) return;
    const requests = this.#begin(entry);
    if (entry.manifest.nodes.length > 0) return;
    // A file of one chunk came with its manifest.
    requests.count(peer, 0);
  }

  /** Peers tell what they hold, unless nothing is missing: a file of a single chunk has come with its manifest. */
  #followPeers(entry: CatalogEntry): void {
    if (entry.holding.isComplete) return;
    for (const peer of this.#peers) {
      if (peer.isFollowed) continue;
      peer.isFollowed = true;
      this.#work.followHaves(peer, entry);
    }
  }

  #heard(peer: ActivePeer, update: HaveNews): void {
    if (!this.#peers.has(peer)) return;
    peer.waitsForHaves = update.kind === "waiting";
    if (update.kind !== "waiting") this.#chunks?.picker.holds(peer.id, update);
  }

  #failed(event: TransferEvent & { type: "failed" }): void {
    const breach = this.#requests?.failed(event);
    // A chunk of another length than the file says: nobody has a better one.
    if (isSharingError(breach, "bad_manifest")) throw breach;
    if (breach !== undefined) this.#blame(event.peer, breach);
  }

  /** What came to be stored when nothing more was asked for is here as well. */
  #keepStored(): void {
    for (const event of this.#inbox.rest()) if (event.type === "stored") this.#requests?.stored(event);
  }

  /** Somebody gives its place to one in reserve. */
  #makeRoom(choose: typeof slowestPartial): void {
    const chosen = this.#chunks ? choose(this.#peers, this.#chunks.picker) : this.#manifest.inVain();
    if (chosen) this.#leave(chosen, "reserve");
  }

  /** One that brings other files first gives its place to one that is free. */
  #leaveWaiting(): void {
    const waiting = lastWaiting(this.#peers);
    if (waiting) this.#leave(waiting, "waits");
  }

  /** One from which nothing comes gives its place to one in reserve that was not tried yet. */
  #replaceMute(): void {
    const mute = this.#chunks ? lastMute(this.#peers) : this.#manifest.firstMute(this.#peers);
    if (mute) this.#leave(mute, "failed");
  }

  #tick(): void {
    this.#pool?.fill();
    this.#beginIfKnown();
    this.#chunks?.findLost();
    const isReadingManifest = !this.#chunks && this.#manifest.isUnderWay;
    const { areAtWork, areWaitedFor } = this.#peers;
    const isInLine = areWaitedFor && (this.#chunks !== undefined || this.#manifest.hasWaited);
    const isAtWork = isReadingManifest || areAtWork || isInLine || this.#chunks?.mayLackMore;
    if (isAtWork) this.#stall.busy();
    else this.#checkStall();
    for (const peer of idleRefusers(this.#peers)) this.#leave(peer, "failed");
    this.#requests?.giveBackSurplus();
    if (this.#pool?.hasTooMany) this.#makeRoom(lastToCome);
    if (this.#pool?.hasReserve) this.#makeRoom(leastUseful);
    if (this.#pool?.hasUntried) this.#replaceMute();
    if (this.#pool?.hasFree) this.#leaveWaiting();
    this.#options.onTick();
  }

  #checkStall(): void {
    const idleMs = this.#stall.idle();
    // What is missing may have come with another file, or by a share that failed.
    if (this.#chunks && this.#stall.isLookDue())
      this.#work.spawn(markStored(this.#ports.blocks, this.#chunks.entry));
    if (this.#chunks || this.#manifest.hasWaited || idleMs <= FIRST_PROVIDER_MS) return;
    const isRefused = isSharingError(this.#lastError, "block_not_found", ...BREACHES);
    if (!isRefused && this.#options.isPatient()) this.#stall.mayGoOn();
    if (!isRefused && !this.#stall.isInVain) return;
    if (this.#lastError instanceof SharingError) throw this.#lastError;
    throw this.#pool?.isEmpty
      ? new SharingError("no_provider", "No peer offers this file")
      : new SharingError("peer_unreachable", "The peers that offer this file can't be reached");
  }
}
