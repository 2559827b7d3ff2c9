/**
 * Puts this node's files into the DHT as provider records, unhurried and the newest first, each until somebody took it, and
 * again before the record ends by age. Called by the swarm when files are announced and withdrawn, and when peers join.
 * Where all peers of the DHT together are fewer than keep one file's record, many are put at once; calls records-together.
 *
 * kad-dht's own renewal is switched off (own-renewal): it puts ten at a time without a rest. A record costs this node and
 * whoever takes it a third of what a small file that is downloaded does (measured: README.md), and the swarm knows of files
 * by announcements.
 */
import type { PeerId } from "@libp2p/interface";
import { CID } from "multiformats/cid";
import { Bell } from "../../sharing/bell.ts";
import type { Clock } from "../../sharing/ports.ts";
import type { Libp2pNode } from "../libp2p-node.ts";
import { REPROVIDE_AFTER_MS, REPROVIDE_INTERVAL_MS } from "../limits.ts";
import type { NetworkLog } from "../network-log.ts";
import { dhtProtocol } from "../swarm-name.ts";
import {
  MAX_PARALLEL_PROVIDES,
  MAX_RECORDS_TOGETHER,
  PROVIDE_PAUSE_MS,
  PROVIDE_REST_MS,
  PROVIDE_RETRY_MS,
  PROVIDE_TIMEOUT_MS,
  PROVIDE_TOGETHER_REST_MS,
  TAKE_TIMEOUT_MS,
} from "./limits.ts";
import { allPeers, noteOwn, putTogether } from "./records-together.ts";

export interface ProviderAnnouncerPorts {
  node: Libp2pNode;
  /** Its name. */
  swarm: string;
  clock: Clock;
  log: NetworkLog;
}

/** One of these clocks may stand still while the machine sleeps, and the other be set back. */
interface Moment {
  monotonicMs: number;
  dateMs: number;
}

export class ProviderAnnouncer {
  readonly #ports: ProviderAnnouncerPorts;
  /** File ids that no peer keeps a record of yet, or whose record grows old; bounded by the files shared. */
  readonly #wanted = new Set<string>();
  /** Those of them that are still to be tried in this round; the last one is next. */
  #untried: string[] = [];
  /** When a record was put, of all that somebody keeps; the oldest first. */
  readonly #put = new Map<string, Moment>();
  /** Files whose records are being put together, without those that are withdrawn meanwhile. */
  readonly #together = new Set<string>();
  /** By the file whose record is being put by itself. */
  readonly #stops = new Map<string, AbortController>();
  readonly #bell = new Bell();

  constructor(ports: ProviderAnnouncerPorts) {
    this.#ports = ports;
  }

  provide(fileId: string): void {
    if (this.#wanted.has(fileId) || this.#put.has(fileId)) return;
    this.#wanted.add(fileId);
    this.#untried.push(fileId);
    this.#bell.ring();
    // Whether or not a peer takes the record: those that keep none ask this node.
    noteOwn(this.#ports.node, fileId).catch((error) => {
      this.#ports.log("could not note an own file", { fileId, error });
    });
  }

  /** Records that others keep end by age; until then a lookup may still lead here in vain. */
  withdraw(fileId: string): void {
    this.#wanted.delete(fileId);
    this.#put.delete(fileId);
    this.#together.delete(fileId);
    this.#stops.get(fileId)?.abort();
    this.#ports.node.contentRouting.cancelReprovide(CID.parse(fileId)).catch((error) => {
      this.#ports.log("could not end provider record", { fileId, error });
    });
  }

  /** A peer joined the DHT: who could not be told before may be told now. */
  peerJoined(): void {
    if (this.#wanted.size > 0) this.#bell.ring();
  }

  /** Runs until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    await Promise.all([this.#provideWanted(signal), this.#renew(signal)]);
  }

  /** Somebody is there, and this node can be reached: nobody keeps a record without an address. */
  get #canTell(): boolean {
    const { node } = this.#ports;
    return node.getPeers().length > 0 && node.getMultiaddrs().length > 0;
  }

  async #provideWanted(signal: AbortSignal): Promise<void> {
    const { clock } = this.#ports;
    let againMs = Number.POSITIVE_INFINITY;
    while (!signal.aborted) {
      await this.#bell.waitUntil(againMs, clock, signal);
      await clock.sleep(PROVIDE_PAUSE_MS, signal);
      this.#untried = [...this.#wanted];
      while (await this.#putSome(signal)) await clock.sleep(PROVIDE_TOGETHER_REST_MS, signal);
      await Promise.all(Array.from({ length: MAX_PARALLEL_PROVIDES }, () => this.#work(signal)));
      againMs = this.#wanted.size > 0 ? clock.monotonic() + PROVIDE_RETRY_MS : Number.POSITIVE_INFINITY;
    }
  }

  /** The newest together; false where nothing is left to try, and where each has peers of its own that keep it. */
  async #putSome(signal: AbortSignal): Promise<boolean> {
    const { node, log } = this.#ports;
    const untried = this.#untried.filter((fileId) => this.#wanted.has(fileId));
    const newest = untried.at(-1);
    if (newest === undefined || !this.#canTell) return false;
    for (const fileId of untried.slice(-MAX_RECORDS_TOGETHER)) this.#together.add(fileId);
    const inTime = AbortSignal.any([signal, AbortSignal.timeout(PROVIDE_TIMEOUT_MS)]);
    try {
      const peers = await allPeers(node, newest, inTime);
      if (peers === undefined) return false;
      this.#untried = this.#untried.filter((fileId) => !this.#together.has(fileId));
      await this.#putAt(peers, signal);
      return true;
    } catch (error) {
      if (!signal.aborted) log("could not provide", { fileId: newest, error });
      // Nobody may be there, for whom a lookup waits: nor would be for another file.
      this.#untried = [];
      return false;
    } finally {
      this.#together.clear();
    }
  }

  async #putAt(peers: PeerId[], signal: AbortSignal): Promise<void> {
    const { node, swarm, log } = this.#ports;
    const inTime = AbortSignal.any([signal, AbortSignal.timeout(TAKE_TIMEOUT_MS)]);
    const taken = peers.map(async (peerId) => {
      try {
        const stream = await node.dialProtocol(peerId, dhtProtocol(swarm), { signal: inTime });
        await putTogether(stream, node, this.#together, inTime);
        return true;
      } catch (error) {
        if (!signal.aborted) log("records not taken", { peer: peerId.toString(), error });
        return false;
      }
    });
    if ((await Promise.all(taken)).includes(true)) this.#noteTaken();
  }

  #noteTaken(): void {
    const now = this.#now();
    for (const fileId of this.#together) if (this.#wanted.delete(fileId)) this.#put.set(fileId, now);
  }

  async #work(signal: AbortSignal): Promise<void> {
    while (this.#canTell) {
      const fileId = this.#untried.pop();
      if (fileId === undefined) return;
      if (!this.#wanted.has(fileId)) continue;
      const isTaken = await this.#provideOne(fileId, signal);
      if (isTaken && this.#wanted.delete(fileId)) this.#put.set(fileId, this.#now());
      await this.#ports.clock.sleep(PROVIDE_REST_MS, signal);
    }
  }

  async #renew(signal: AbortSignal): Promise<void> {
    const { clock } = this.#ports;
    while (!signal.aborted) {
      await clock.sleep(REPROVIDE_INTERVAL_MS, signal);
      for (const [fileId, { monotonicMs, dateMs }] of this.#put) {
        const ageMs = Math.max(clock.monotonic() - monotonicMs, clock.now() - dateMs);
        if (ageMs < REPROVIDE_AFTER_MS) break;
        this.#put.delete(fileId);
        this.provide(fileId);
      }
    }
  }

  #now(): Moment {
    const { clock } = this.#ports;
    return { monotonicMs: clock.monotonic(), dateMs: clock.now() };
  }

  /** True when at least one peer took the record. */
  async #provideOne(fileId: string, signal: AbortSignal): Promise<boolean> {
    const { node, log } = this.#ports;
    const stop = new AbortController();
    this.#stops.set(fileId, stop);
    const inTime = AbortSignal.any([signal, stop.signal, AbortSignal.timeout(PROVIDE_TIMEOUT_MS)]);
    let taken = false;
    try {
      for await (const event of node.services.dht.provide(CID.parse(fileId), { signal: inTime })) {
        if (event.name === "PEER_RESPONSE" && event.messageName === "ADD_PROVIDER") taken = true;
      }
    } catch (error) {
      if (!signal.aborted && !stop.signal.aborted) log("could not provide", { fileId, error });
    } finally {
      // By now another may be at it, for whom it was withdrawn and announced again.
      if (this.#stops.get(fileId) === stop) this.#stops.delete(fileId);
    }
    return taken;
  }
}
