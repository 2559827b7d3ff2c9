/**
 * Puts this node's files into the DHT as provider records, a few at a time, each until somebody took it; kad-dht
 * renews them. Called by the swarm when files are announced and withdrawn, and when peers join.
 */
import { CID } from "multiformats/cid";
import { Bell } from "../sharing/bell.ts";
import type { Clock } from "../sharing/ports.ts";
import type { Libp2pNode } from "./libp2p-node.ts";
import { MAX_PARALLEL_PROVIDES, PROVIDE_PAUSE_MS, PROVIDE_RETRY_MS, PROVIDE_TIMEOUT_MS } from "./limits.ts";
import type { NetworkLog } from "./network-log.ts";

export interface ProviderAnnouncerPorts {
  node: Libp2pNode;
  clock: Clock;
  log: NetworkLog;
}

export class ProviderAnnouncer {
  readonly #ports: ProviderAnnouncerPorts;
  /** File ids that no peer keeps a record of yet; bounded by the files shared. */
  readonly #wanted = new Set<string>();
  readonly #bell = new Bell();

  constructor(ports: ProviderAnnouncerPorts) {
    this.#ports = ports;
  }

  provide(fileId: string): void {
    this.#wanted.add(fileId);
    this.#bell.ring();
  }

  /** Records that others keep end by age; until then a lookup may still lead here in vain. */
  withdraw(fileId: string): void {
    this.#wanted.delete(fileId);
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
    while (!signal.aborted) {
      await this.#bell.wait(signal);
      await this.#ports.clock.sleep(PROVIDE_PAUSE_MS, signal);
      const round = [...this.#wanted];
      const workers = Array.from({ length: MAX_PARALLEL_PROVIDES }, () => this.#work(round, signal));
      await Promise.all(workers);
      if (this.#wanted.size > 0) void this.#ringLater(signal);
    }
  }

  async #work(round: string[], signal: AbortSignal): Promise<void> {
    for (let fileId = round.shift(); fileId !== undefined && !signal.aborted; fileId = round.shift()) {
      if (this.#wanted.has(fileId) && (await this.#provideOne(fileId, signal))) this.#wanted.delete(fileId);
    }
  }

  /** True when at least one peer took the record. */
  async #provideOne(fileId: string, signal: AbortSignal): Promise<boolean> {
    const { node, log } = this.#ports;
    if (node.getPeers().length === 0) return false;
    const inTime = AbortSignal.any([signal, AbortSignal.timeout(PROVIDE_TIMEOUT_MS)]);
    let taken = false;
    try {
      for await (const event of node.services.dht.provide(CID.parse(fileId), { signal: inTime })) {
        if (event.name === "PEER_RESPONSE" && event.messageName === "ADD_PROVIDER") taken = true;
      }
    } catch (error) {
      if (!signal.aborted) log("could not provide", { fileId, error });
    }
    return taken;
  }

  async #ringLater(signal: AbortSignal): Promise<void> {
    try {
      await this.#ports.clock.sleep(PROVIDE_RETRY_MS, signal);
      this.#bell.ring();
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }
}
