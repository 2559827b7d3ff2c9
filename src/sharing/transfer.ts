/**
 * One download: the one loop that owns it. Events come in through the inbox (a peer joined, a chunk is stored, a
 * request failed, a reader moved); after each the loop asks the picker for what every peer with room should bring
 * next. All state changes happen here, in order; transfer-work only does I/O and reports back.
 *
 * Made by transfer-runs. Calls picker, peer-pool, catalog and transfer-work.
 */
import type { CID } from "multiformats/cid";
import { ActivePeer } from "./active-peer.ts";
import type { Bans } from "./bans.ts";
import type { CatalogEntry } from "./catalog-entry.ts";
import { isSharingError, SharingError } from "./errors.ts";
import { Inbox } from "./inbox.ts";
import { FIRST_PROVIDER_MS, IDLE_PEER_MS } from "./limits.ts";
import { Meter } from "./meter.ts";
import { OutputCopy } from "./output-copy.ts";
import { PeerPool } from "./peer-pool.ts";
import { Picker, type Strategy } from "./picker.ts";
import type { Exchange, FileOutput, PeerSession, Swarm } from "./ports.ts";
import { StallWatch } from "./stall-watch.ts";
import { type TransferEvent, TransferWork, type TransferWorkPorts } from "./transfer-work.ts";

export interface TransferPorts extends TransferWorkPorts {
  swarm: Swarm;
  exchange: Exchange;
  bans: Bans;
}

export interface TransferOptions {
  root: CID;
  name: string;
  maxPeers: number;
  strategy: Strategy;
  output: FileOutput | undefined;
  /** Shared with earlier runs of the same transfer: chunks counted by peer. */
  chunksByPeer: Map<string, number>;
  /** A chunk was verified and stored, or the file became known. */
  onProgress: () => void;
  /** No provider is left (true), or one came back (false). */
  onStall: (isStalled: boolean) => void;
  signal: AbortSignal;
}

/** In `sources`: not brought by a peer of this run. */
export const UNKNOWN_SOURCE = 255;

export class Transfer {
  readonly meter: Meter;
  /** Who brought each chunk, by its place in `chunksByPeer`; UNKNOWN_SOURCE before it is known. */
  sources: Uint8Array = new Uint8Array();
  readonly #ports: TransferPorts;
  readonly #options: TransferOptions;
  readonly #inbox = new Inbox<TransferEvent>();
  readonly #peers = new Map<string, ActivePeer>();
  readonly #work: TransferWork;
  readonly #stall: StallWatch;
  /** Aborts with the transfer's own end as well as with the caller's signal. */
  readonly #ended = new AbortController();
  readonly #signal: AbortSignal;
  #pool: PeerPool | undefined;
  #picker: Picker | undefined;
  #entry: CatalogEntry | undefined;
  #copy: OutputCopy | undefined;
  #isReadingManifest = false;
  #lastError: unknown;

  constructor(ports: TransferPorts, options: TransferOptions) {
    this.#ports = ports;
    this.#options = options;
    this.#signal = AbortSignal.any([options.signal, this.#ended.signal]);
    this.#work = new TransferWork(ports, this.#inbox, this.#signal);
    this.#stall = new StallWatch(ports.clock, options.onStall);
    this.meter = new Meter(() => ports.clock.monotonic());
  }

  /** Speeds of the peers in use now, bytes a second. */
  speeds(): Map<string, number> {
    return new Map([...this.#peers].map(([peerId, peer]) => [peerId, peer.meter.bytesPerSecond()]));
  }

  isAsked(index: number): boolean {
    return this.#picker?.isAsked(index) ?? false;
  }

  /**
   * Settles when every chunk is stored and the output is durable.
   * @throws the signal's reason, SharingError `no_provider`, `peer_unreachable`, `bad_manifest`, `storage_full`,
   * `output_exists`
   */
  async run(): Promise<void> {
    try {
      const known = this.#ports.catalog.find(this.#options.root.toString());
      if (known) this.#begin(known);
      while (!this.#entry?.holding.isComplete || (await this.#copyFailed())) await this.#step();
      await this.#ports.blocks.flush();
      await this.#copy?.commit();
    } finally {
      this.#ended.abort(new SharingError("stopped", "the transfer ended"));
      for (const peer of [...this.#peers.values()]) this.#leave(peer, "reserve");
      await this.#pool?.closed();
      await this.#work.ended();
    }
  }

  async #step(): Promise<void> {
    if (!this.#pool) this.#openPool();
    this.#handle(await this.#inbox.next(this.#signal));
    this.#fill();
  }

  #openPool(): void {
    const { root, maxPeers } = this.#options;
    this.#pool = new PeerPool({
      ...this.#ports,
      fileId: root.toString(),
      maxPeers,
      signal: this.#signal,
      onSession: (session) => this.#inbox.push({ type: "joined", session }),
    });
    this.#work.keepTime();
  }

  #handle(event: TransferEvent): void {
    switch (event.type) {
      case "joined":
        this.#join(event.session);
        break;
      case "manifest":
        this.#manifestRead(event.peer, event.entry);
        break;
      case "manifest_failed":
        this.#isReadingManifest = false;
        this.#blame(event.peer, event.error);
        break;
      case "haves":
        if (this.#isInUse(event.peer)) this.#picker?.holds(event.peer.id, event.update);
        break;
      case "haves_ended":
        this.#blame(event.peer, event.error);
        break;
      case "stored":
        this.#stored(event);
        break;
      case "failed":
        this.#failed(event.peer, event.index, event.error);
        break;
      case "demand":
        this.#picker?.want(this.#entry?.demand.spans() ?? []);
        break;
      case "tick":
        this.#tick();
    }
  }

  /** The manifest is known: chunks can be asked for. */
  #begin(entry: CatalogEntry): void {
    const { chunkCount } = entry.manifest;
    this.#entry = entry;
    this.sources = new Uint8Array(chunkCount).fill(UNKNOWN_SOURCE);
    this.#picker = new Picker(chunkCount, this.#options.strategy, Math.floor(Math.random() * chunkCount));
    for (let index = 0; index < chunkCount; index++) if (entry.holding.has(index)) this.#picker.held(index);
    this.#picker.want(entry.demand.spans());
    this.#work.followReaders(entry);
    if (this.#options.output) this.#copy = new OutputCopy(this.#options.output, entry, this.#ports.blocks);
    for (const peer of this.#peers.values()) this.#follow(peer, entry);
    this.#options.onProgress();
  }

  #join(session: PeerSession): void {
    const peer = new ActivePeer(session, this.#ports.clock);
    this.#peers.set(peer.id, peer);
    if (this.#entry) this.#follow(peer, this.#entry);
    else this.#readManifest();
  }

  #leave(peer: ActivePeer, why: "failed" | "reserve"): void {
    if (!this.#isInUse(peer)) return;
    this.#peers.delete(peer.id);
    this.#picker?.leave(peer.id);
    peer.leave(new SharingError("stopped", "the peer is no longer used"));
    this.#pool?.drop(peer.session, why);
  }

  /** Deals with an error that a peer caused, or ends the transfer with one that it did not. */
  #blame(peer: ActivePeer, error: unknown): void {
    const { bans } = this.#ports;
    if (!this.#isInUse(peer)) return;
    this.#lastError = error;
    if (isSharingError(error, "hash_mismatch", "protocol_error", "bad_manifest")) {
      this.#work.spawn(bans.strike(peer.id, error.message));
      if (error.name !== "hash_mismatch" || bans.isBanned(peer.id)) this.#leave(peer, "failed");
    } else if (isSharingError(error, "peer_lost", "peer_unreachable", "block_not_found")) {
      this.#leave(peer, "failed");
    } else {
      throw error;
    }
  }

  #readManifest(): void {
    const [peer] = this.#peers.values();
    if (this.#isReadingManifest || !peer) return;
    this.#isReadingManifest = true;
    this.#stall.busy();
    this.#work.readManifest(this.#options.root, this.#options.name, peer);
  }

  #manifestRead(peer: ActivePeer, entry: CatalogEntry): void {
    this.#isReadingManifest = false;
    this.#begin(entry);
    // A file of one chunk came with its manifest.
    if (entry.manifest.nodes.length === 0) this.#count(peer, 0, entry.manifest.sizeBytes);
  }

  #follow(peer: ActivePeer, entry: CatalogEntry): void {
    this.#picker?.join(peer.id);
    this.#work.followHaves(peer, entry);
  }

  #isInUse(peer: ActivePeer): boolean {
    return this.#peers.get(peer.id) === peer;
  }

  /** Every peer with room is given its next chunk, one each in turn, until none has room or work. */
  #fill(): void {
    if (!this.#entry || !this.#picker) {
      this.#readManifest();
      return;
    }
    let open = [...this.#peers.values()];
    while (open.length > 0) open = open.filter((peer) => this.#askNext(peer));
  }

  #askNext(peer: ActivePeer): boolean {
    if (!this.#entry || !this.#picker || !peer.hasRoom) return false;
    if (!this.#work.hasRoom) return false;
    const pick = this.#picker.pick(peer.id, peer.window);
    if (!pick) return false;
    this.#work.fetchChunk({ peer, entry: this.#entry, copy: this.#copy, ...pick });
    this.#stall.busy();
    return true;
  }

  #stored({ peer, index, elapsedMs }: TransferEvent & { type: "stored" }): void {
    if (!this.#entry || !this.#picker) return;
    const chunkBytes = this.#entry.manifest.chunkBytes(index);
    peer.end(index);
    peer.idleSinceMs = this.#ports.clock.monotonic();
    peer.window.delivered(peer.idleSinceMs, elapsedMs, chunkBytes);
    const isNew = !this.#entry.holding.has(index);
    for (const otherId of this.#picker.held(index)) if (otherId !== peer.id) this.#cancel(otherId, index);
    if (!isNew) return;
    this.#entry.holding.mark(index);
    this.#count(peer, index, chunkBytes);
  }

  #count(peer: ActivePeer, index: number, chunkBytes: number): void {
    const { chunksByPeer, onProgress } = this.#options;
    chunksByPeer.set(peer.id, (chunksByPeer.get(peer.id) ?? 0) + 1);
    this.sources[index] = Math.min([...chunksByPeer.keys()].indexOf(peer.id), UNKNOWN_SOURCE);
    peer.meter.add(chunkBytes);
    this.meter.add(chunkBytes);
    onProgress();
  }

  #cancel(peerId: string, index: number): void {
    this.#peers.get(peerId)?.cancel(index, new SharingError("stopped", "another peer was faster"));
  }

  #failed(peer: ActivePeer, index: number, error: unknown): void {
    const wasWaitedFor = peer.end(index);
    if (!this.#isInUse(peer) || !wasWaitedFor) return;
    this.#picker?.failed(peer.id, index);
    if (isSharingError(error, "block_not_found")) this.#picker?.lacks(peer.id, index);
    else this.#blame(peer, error);
  }

  #tick(): void {
    const nowMs = this.#ports.clock.monotonic();
    this.#pool?.fill();
    this.#findLost();
    const isWaiting = this.#isReadingManifest || [...this.#peers.values()].some((peer) => peer.isAsked);
    if (isWaiting) this.#stall.busy();
    else this.#checkStall();
    for (const peer of [...this.#peers.values()]) {
      const isIdle = this.#picker && !peer.isAsked && nowMs - peer.idleSinceMs > IDLE_PEER_MS;
      if (isIdle && this.#pool?.hasReserve) this.#leave(peer, "reserve");
    }
  }

  #checkStall(): void {
    const idleMs = this.#stall.idle();
    if (this.#entry || idleMs <= FIRST_PROVIDER_MS) return;
    if (this.#lastError instanceof SharingError) throw this.#lastError;
    throw this.#pool?.isEmpty
      ? new SharingError("no_provider", "No peer offers this file")
      : new SharingError("peer_unreachable", "The peers that offer this file can't be reached");
  }

  /** Chunks that storage has lost since they came are missing again. */
  #findLost(): void {
    const [entry, picker] = [this.#entry, this.#picker];
    if (!entry || !picker || entry.holding.heldCount >= picker.heldCount) return;
    for (let index = 0; index < entry.manifest.chunkCount; index++) {
      if (picker.isHeld(index) && !entry.holding.has(index)) picker.lost(index);
    }
  }

  /** Copies what was here before to the output; true when a chunk turned out damaged and must be fetched again. */
  async #copyFailed(): Promise<boolean> {
    const damaged = (await this.#copy?.copyRest(this.#signal)) ?? [];
    for (const index of damaged) {
      this.#entry?.holding.unmark(index);
      this.#picker?.lost(index);
    }
    return damaged.length > 0;
  }
}
