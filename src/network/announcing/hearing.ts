/**
 * Hears of others: takes what gossip brings of an author in its turn, and has the author asked for its catalogue where
 * something was missed, where it can be met for the first time, and when it connects or may have left; and whom a relay names.
 * Called by the swarm; calls catalogues and catalogue-sync.
 */
import type { Stream } from "@libp2p/interface";
import { peerIdFromString } from "@libp2p/peer-id";
import type { Multiaddr } from "@multiformats/multiaddr";
import type { Clock } from "../../sharing/ports.ts";
import { isLeftToDial, untilConnected } from "../connecting/meeting.ts";
import type { Libp2pNode } from "../libp2p-node.ts";
import { WELL_CONNECTED_PEERS } from "../limits.ts";
import type { NetworkLog } from "../network-log.ts";
import type { Named } from "../relay/rendezvous-messages.ts";
import type { AnnounceMessage } from "./announcement.ts";
import { readAuthorAddresses } from "./author-addresses.ts";
import { CATALOGUE_PROTOCOL } from "./catalogue-protocol.ts";
import { CatalogueSync } from "./catalogue-sync.ts";
import type { Catalogues } from "./catalogues.ts";

export interface HearingParts {
  node: Libp2pNode;
  swarm: string;
  catalogues: Catalogues;
  clock: Clock;
  log: NetworkLog;
  isBanned(peerId: string): boolean;
  openStream(peerId: string, protocol: string, signal: AbortSignal, addresses: Multiaddr[]): Promise<Stream>;
  /** When this node started, as it tells others. */
  epoch(): number;
  /** The author was started anew, perhaps after an end of which its connections tell nothing. */
  onReborn(authorId: string): void;
}

export class Hearing {
  readonly #parts: HearingParts;
  readonly #sync: CatalogueSync;

  constructor(parts: HearingParts) {
    this.#parts = parts;
    const { node, swarm, catalogues, clock, log, isBanned, openStream } = parts;
    this.#sync = new CatalogueSync({
      swarm,
      catalogues,
      hear: (authorId, message, tellerId) => this.#hear(authorId, message, tellerId),
      clock,
      isConnected: (authorId) => this.#isConnected(authorId),
      untilMet: (authorId, signal) =>
        untilConnected(node, peerIdFromString(authorId), () => true, { signal }),
      openStream: (authorId, told, signal) =>
        openStream(authorId, CATALOGUE_PROTOCOL, signal, readAuthorAddresses(authorId, told)),
      mayAsk: (authorId) => !isBanned(authorId),
      log,
    });
  }

  /** A message of gossip; `carrierId`: who passed it on, or the author itself. */
  onMessage(authorId: string, message: AnnounceMessage, carrierId: string): void {
    const { catalogues, onReborn } = this.#parts;
    const epoch = catalogues.position(authorId)?.epoch ?? message.epoch;
    if (message.epoch > epoch) onReborn(authorId);
    // Others may be quicker to pass on what a peer says that is connected here, too.
    const tellerId = this.#isConnected(authorId) ? authorId : carrierId;
    if (!this.#sync.hold(authorId, message, tellerId)) this.#hear(authorId, message, tellerId);
  }

  onMet(peerId: string): void {
    this.#sync.want(peerId, "connected");
  }

  /** Others know it as an author of this swarm; gossip need not have told of it. */
  onNamed({ peerId, addresses }: Named): void {
    const { node, catalogues } = this.#parts;
    const isKnown = peerId === node.peerId.toString() || catalogues.knows(peerId);
    if (isKnown || this.#isConnected(peerId) || node.getPeers().length >= WELL_CONNECTED_PEERS) return;
    this.#sync.want(peerId, "gap", addresses);
  }

  /** It may have left, or only this connection ended: asking it tells. */
  onGone(peerId: string): void {
    if (this.#parts.catalogues.knows(peerId)) this.#sync.want(peerId, "lost");
  }

  stop(): void {
    this.#sync.stop();
  }

  /** Asks an author of whom something was missed, or who can be met for the first time. */
  #hear(authorId: string, message: AnnounceMessage, tellerId: string): void {
    const { node, catalogues, epoch } = this.#parts;
    const couldBeMet = catalogues.canBeMet(authorId);
    const heard = catalogues.hear(authorId, message, tellerId);
    const isNew = !couldBeMet && catalogues.canBeMet(authorId);
    if (heard === "behind" || (isNew && node.getPeers().length < WELL_CONNECTED_PEERS)) {
      const told = "addresses" in message ? message.addresses : [];
      const known = told.length > 0 ? told : catalogues.addresses(authorId);
      const isLeft = isLeftToDial(
        { peerId: node.peerId.toString(), epoch: epoch() },
        { peerId: authorId, epoch: message.epoch },
        readAuthorAddresses(authorId, known),
      );
      this.#sync.want(authorId, isLeft ? "newcomer" : "gap", told);
    }
  }

  #isConnected(peerId: string): boolean {
    return this.#parts.node.getConnections(peerIdFromString(peerId)).length > 0;
  }
}
