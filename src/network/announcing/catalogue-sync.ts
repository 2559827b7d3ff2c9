/**
 * Gets catalogues from their authors: at once from one just connected, after a moment's jitter where gossip left a
 * gap, and to see whether one that disconnected is still there. Called by hearing; calls catalogue-protocol. At
 * most one pull an author and a few in all, by turns; one that fails right after connecting is made again. Who has to be dialled
 * waits in another line than who is connected: a single peer can bring word of any number of authors that are nowhere.
 */
import type { Stream } from "@libp2p/interface";
import type { Clock } from "../../sharing/ports.ts";
import { PULL_PAUSE_MS } from "../limits.ts";
import type { NetworkLog } from "../network-log.ts";
import { type Turn, Turns } from "../turns.ts";
import type { AnnounceMessage } from "./announcement.ts";
import { askCatalogue } from "./catalogue-protocol.ts";
import type { Catalogues } from "./catalogues.ts";
import { HeldMessages } from "./held-messages.ts";
import { CATALOGUE_TIMEOUT_MS, MAX_PULL_RETRIES, PULL_JITTER_MS, VERIFY_TIMEOUT_MS } from "./limits.ts";

export interface CatalogueSyncPorts {
  swarm: string;
  catalogues: Catalogues;
  /**
   * Takes a message that came while its author's catalogue was on its way; may want the catalogue again. `tellerId`:
   * who passed it on, or the author itself.
   */
  hear(authorId: string, message: AnnounceMessage, tellerId: string): void;
  clock: Clock;
  isConnected(authorId: string): boolean;
  /** Settles once the author is connected, or has had its time to dial this node. */
  untilMet(authorId: string, signal: AbortSignal): Promise<unknown>;
  /** A stream of the catalogue protocol to the author, dialled by the addresses given besides those known. */
  openStream(authorId: string, addresses: Uint8Array[], signal: AbortSignal): Promise<Stream>;
  /** False for a banned one. */
  mayAsk(authorId: string): boolean;
  log: NetworkLog;
}

/** `newcomer`: a gap of one that dials this node by itself. */
type Reason = "connected" | "gap" | "newcomer" | "lost";

interface Pull {
  authorId: string;
  reason: Reason;
  addresses: Uint8Array[];
  /** Why it was asked for again while it ran. */
  again: "gap" | "newcomer" | undefined;
  /** Aborted when its author connects while it is thought lost and dialled. */
  cameBack: AbortController;
}

export class CatalogueSync {
  readonly #ports: CatalogueSyncPorts;
  readonly #stopping = new AbortController();
  readonly #pulls = new Map<string, Pull>();
  readonly #held = new HeldMessages();
  readonly #connected: Turns;
  /** Those that begin with a dial. */
  readonly #dialled: Turns;

  constructor(ports: CatalogueSyncPorts) {
    this.#ports = ports;
    const take = (authorId: string, turn: Turn) =>
      this.#run(authorId, turn).catch((error) => ports.log("pull ended", { author: authorId, error }));
    this.#connected = new Turns(ports.clock, take);
    this.#dialled = new Turns(ports.clock, take);
  }

  /** The author's catalogue is wanted; `addresses` are those that its last message gave. */
  want(authorId: string, reason: Reason, addresses: Uint8Array[] = [], failures = 0): void {
    const known = this.#pulls.get(authorId);
    if (known !== undefined) {
      if (reason === "gap" || reason === "newcomer") known.again = reason;
      // One that is thought lost may come back while it is dialled where it no longer is, and one just met may be lost.
      if (reason === "lost") Object.assign(known, { reason, cameBack: new AbortController() });
      else if (reason === "connected" && known.reason === "lost") known.cameBack.abort();
      else if (reason === "connected") known.reason = reason;
      if (addresses.length > 0) known.addresses = addresses;
      if (reason === "connected") this.#leaveDialled(authorId);
      return;
    }
    if (this.#stopping.signal.aborted || !this.#ports.mayAsk(authorId)) return;
    this.#pulls.set(authorId, {
      authorId,
      reason,
      addresses,
      again: undefined,
      cameBack: new AbortController(),
    });
    if (!this.#line(authorId, failures)) this.#pulls.delete(authorId);
  }

  /** Keeps a message of an author whose catalogue is on its way; false when none is. */
  hold(authorId: string, message: AnnounceMessage, tellerId: string): boolean {
    const pull = this.#pulls.get(authorId);
    if (pull === undefined) return false;
    // A pull that found no way is made again by these.
    if ("addresses" in message && message.addresses.length > 0) pull.addresses = message.addresses;
    if (!this.#held.add(authorId, { message, tellerId })) pull.again ??= "gap";
    return true;
  }

  stop(): void {
    this.#stopping.abort();
  }

  /** False when too many wait. */
  #line(authorId: string, failures: number): boolean {
    const turns = this.#ports.isConnected(authorId) ? this.#connected : this.#dialled;
    return turns.join(authorId, failures);
  }

  /** It gave its turn to another. */
  #lineAgain(authorId: string, { failures }: Turn): boolean {
    return failures < MAX_PULL_RETRIES && this.#line(authorId, failures + 1);
  }

  /** Its author has connected while it waited to be dialled. */
  #leaveDialled(authorId: string): void {
    const failures = this.#dialled.leave(authorId);
    if (failures === undefined || this.#connected.join(authorId, failures)) return;
    this.#pulls.delete(authorId);
    this.#held.take(authorId);
  }

  async #run(authorId: string, turn: Turn): Promise<void> {
    const pull = this.#pulls.get(authorId);
    if (pull === undefined) return;
    const { clock, catalogues, hear, log, untilMet } = this.#ports;
    const { signal } = this.#stopping;
    const cameBack = () => pull.cameBack.signal.aborted;
    let hasFailed = false;
    try {
      if (pull.reason === "gap") await clock.sleep(Math.random() * PULL_JITTER_MS, signal);
      if (pull.reason === "newcomer") await untilMet(authorId, signal);
      await this.#ask(pull, turn);
    } catch (error) {
      if (signal.aborted) return;
      log("no catalogue", { author: authorId, reason: pull.reason, error });
      hasFailed = true;
      if (pull.reason === "lost" && !cameBack()) catalogues.forget(authorId, "lost");
      else if (turn.signal.aborted && this.#lineAgain(authorId, turn)) return;
    }
    for (const { message, tellerId } of this.#held.take(authorId)) hear(authorId, message, tellerId);
    this.#pulls.delete(authorId);
    // Of two connections made at once one is closed, perhaps that of the pull; its author would stay unknown until it speaks.
    const isTriedAgain = hasFailed && pull.reason === "connected" && turn.failures < MAX_PULL_RETRIES;
    if (isTriedAgain) void this.#askLater(pull, "connected", turn.failures + 1);
    else if (hasFailed && cameBack()) this.want(authorId, "connected", pull.addresses);
    else if (pull.again !== undefined) void this.#askLater(pull, pull.again);
  }

  async #askLater({ authorId, addresses }: Pull, reason: Reason, failures = 0): Promise<void> {
    const { clock } = this.#ports;
    const { signal } = this.#stopping;
    try {
      await clock.sleep(PULL_PAUSE_MS * 2 ** failures, signal);
    } catch (error) {
      if (signal.aborted) return;
      throw error;
    }
    this.want(authorId, reason, addresses, failures);
  }

  async #ask(pull: Pull, turn: Turn): Promise<void> {
    const { swarm, catalogues, openStream } = this.#ports;
    const timeoutMs = pull.reason === "lost" ? VERIFY_TIMEOUT_MS : CATALOGUE_TIMEOUT_MS;
    const signal = AbortSignal.any([
      ...[this.#stopping.signal, pull.cameBack.signal, turn.signal],
      AbortSignal.timeout(timeoutMs),
    ]);
    const stream = await openStream(pull.authorId, pull.addresses, signal);
    const catalogue = await askCatalogue(stream, swarm, signal, turn.brought);
    if (catalogue === undefined) return;
    catalogues.replace(pull.authorId, catalogue, catalogue.files, catalogue.addresses);
  }
}
