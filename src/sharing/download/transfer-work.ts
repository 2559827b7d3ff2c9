/**
 * What a transfer does outside of its loop: reads the manifest, follows what peers hold, fetches chunks, keeps time. Each is
 * a task whose outcome comes back as an event in the loop's inbox; nothing here decides anything. Made by the transfer.
 */
import type { Catalog } from "../catalog/catalog.ts";
import type { CatalogEntry } from "../catalog/catalog-entry.ts";
import { SharingError } from "../errors.ts";
import { expectLength } from "../files/manifest.ts";
import { verifyBlock } from "../hash.ts";
import { CHUNKS_TOLD_PER_MS, TICK_MS } from "../limits.ts";
import type { BlockStore, Clock, HaveNews, Log, PeerSession, Swarm } from "../ports.ts";
import { Tasks } from "../tasks.ts";
import { type ActivePeer, priorityOf } from "./active-peer.ts";
import type { Inbox } from "./inbox.ts";
import { LandingChunk } from "./landing-chunk.ts";
import { fetchManifest, type NewFile } from "./manifest-fetch.ts";
import type { OutputCopy } from "./output-copy.ts";
import type { RequestBudget } from "./request-budget.ts";

export type TransferEvent =
  | { type: "joined"; session: PeerSession; wasInVain: boolean }
  | { type: "manifest"; entry: CatalogEntry; peer: ActivePeer }
  | { type: "manifest_failed"; peer: ActivePeer; error: unknown }
  | { type: "haves"; peer: ActivePeer; update: HaveNews }
  | { type: "haves_ended"; peer: ActivePeer; error: unknown }
  | { type: "stored"; peer: ActivePeer; index: number; signal: AbortSignal; elapsedMs: number }
  | { type: "failed"; peer: ActivePeer; index: number; signal: AbortSignal; error: unknown }
  | { type: "newcomer" }
  | { type: "demand" }
  | { type: "turn" }
  | { type: "tick" };

export interface TransferWorkPorts {
  blocks: BlockStore;
  catalog: Catalog;
  swarm: Pick<Swarm, "offer" | "askUnlisted">;
  clock: Clock;
  log: Log;
  /** One for all transfers. */
  budget: RequestBudget;
}

export interface ChunkRequest {
  peer: ActivePeer;
  entry: CatalogEntry;
  index: number;
  /** A reader waits for it now. */
  isUrgent: boolean;
  copy: OutputCopy | undefined;
}

export class TransferWork {
  readonly #ports: TransferWorkPorts;
  readonly #inbox: Inbox<TransferEvent>;
  readonly #signal: AbortSignal;
  readonly #tasks: Tasks;
  readonly #underWay = new Set<ChunkRequest>();
  /** Of these, those whose bytes are not here yet. */
  #fetching = 0;

  /** `signal`: the transfer's end, which ends all that runs here. */
  constructor(ports: TransferWorkPorts, inbox: Inbox<TransferEvent>, signal: AbortSignal) {
    this.#ports = ports;
    this.#inbox = inbox;
    this.#signal = signal;
    this.#tasks = new Tasks(ports.log, signal);
  }

  /** May another chunk be fetched from the peer? Beyond the budget one at a time, for which silent peers don't count. */
  hasRoomFor(peer: ActivePeer): boolean {
    if (this.#ports.budget.hasRoom) return true;
    return !peer.isSilent && [...this.#underWay].every((request) => request.peer.isSilent);
  }

  spawn(task: Promise<void>): void {
    this.#tasks.spawn(task);
  }

  /** Settles when nothing runs any more; call after the signal has aborted. */
  async ended(): Promise<void> {
    await this.#tasks.ended();
  }

  keepTime(): void {
    this.spawn(this.#tickUntilEnd());
  }

  /** Tells the loop where readers of the file are. */
  followReaders(entry: CatalogEntry): void {
    if (this.#signal.aborted) return;
    const unwatch = entry.demand.watch(() => this.#inbox.push({ type: "demand" }));
    this.#signal.addEventListener("abort", unwatch, { once: true });
  }

  readManifest(file: NewFile, peer: ActivePeer): void {
    const signal = AbortSignal.any([this.#signal, peer.signal]);
    this.spawn(
      fetchManifest(file, peer, this.#ports, signal).then(
        (entry) => this.#inbox.push({ type: "manifest", peer, entry }),
        (error: unknown) => this.#inbox.push({ type: "manifest_failed", peer, error }),
      ),
    );
  }

  followHaves(peer: ActivePeer, entry: CatalogEntry): void {
    const signal = AbortSignal.any([this.#signal, peer.signal]);
    const follow = async () => {
      const { chunkCount } = entry.manifest;
      const pauseMs = Math.floor(chunkCount / CHUNKS_TOLD_PER_MS);
      for await (const update of peer.session.haves(entry.id, chunkCount, signal)) {
        this.#inbox.push({ type: "haves", peer, update });
        // What it tells in the meantime comes as one.
        if (update.kind !== "have" && pauseMs > 0) await this.#ports.clock.sleep(pauseMs, signal);
      }
      throw new SharingError("peer_lost", "the peer stopped sharing the file");
    };
    this.spawn(follow().catch((error: unknown) => this.#inbox.push({ type: "haves_ended", peer, error })));
  }

  /** Asks, verifies and stores one chunk. */
  fetchChunk(request: ChunkRequest): void {
    const { peer, index, isUrgent } = request;
    this.spawn(this.#fetch(request, peer.begin(index, isUrgent)));
  }

  async #fetch(request: ChunkRequest, signal: AbortSignal): Promise<void> {
    const { peer, entry, index, isUrgent, copy } = request;
    const { clock, blocks, budget } = this.#ports;
    const startMs = clock.monotonic();
    this.#underWay.add(request);
    budget.begin();
    const landing = new LandingChunk(blocks);
    const into = () => landing.begin();
    const onBytes = (bytes: Uint8Array) => {
      landing.add(bytes);
      peer.received(bytes.length, index);
    };
    try {
      const cid = entry.manifest.chunkCid(index);
      const maxBytes = entry.manifest.chunkBytes(index);
      const priority = priorityOf(isUrgent);
      this.#fetching += 1;
      const asked = peer.session.fetch({ cid, maxBytes, into, priority, onBytes, signal });
      const bytes = await asked.finally(() => {
        this.#fetching -= 1;
      });
      const elapsedMs = clock.monotonic() - startMs;
      const moreToCome = this.#fetching > 0 && !peer.isUrgent(index);
      const put = { sha256: landing.digest(), moreToCome };
      // For the length of other bytes the file is not to blame.
      if (bytes.length < maxBytes) await verifyBlock(cid, bytes, put.sha256);
      expectLength(entry.manifest, index, bytes);
      if (copy) await copy.store(index, bytes, put);
      else await blocks.putVerified(cid, bytes, put);
      this.#inbox.push({ type: "stored", peer, index, signal, elapsedMs });
    } catch (error) {
      this.#inbox.push({ type: "failed", peer, index, signal, error });
    } finally {
      landing.release();
      budget.end();
      this.#underWay.delete(request);
    }
  }

  async #tickUntilEnd(): Promise<void> {
    while (!this.#signal.aborted) {
      await this.#ports.clock.sleep(TICK_MS, this.#signal);
      this.#inbox.push({ type: "tick" });
    }
  }
}
