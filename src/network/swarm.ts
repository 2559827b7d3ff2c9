/**
 * The Swarm port over libp2p: joins what this node shares (own-catalogue, announcer, provider records) with what
 * others share (gossip, catalogues, catalogue-sync), and with connections. Made by openNetwork. What it hears from
 * gossip goes to `#onMessage`, who connects or leaves to `#onMet` and `#onGone`; all else is a call from the node.
 */
import { peerIdFromString } from "@libp2p/peer-id";
import type { Multiaddr } from "@multiformats/multiaddr";
import { CID } from "multiformats/cid";
import { SharingError } from "../sharing/errors.ts";
import type { Announcement, Clock, ConnectedPeer, Held, Offer, Swarm, SwarmEvent } from "../sharing/ports.ts";
import type { AnnounceMessage } from "./announcement.ts";
import { Announcer } from "./announcer.ts";
import { readAuthorAddresses, writeAuthorAddresses } from "./author-addresses.ts";
import { CATALOGUE_PROTOCOL, serveCatalogue } from "./catalogue-protocol.ts";
import { CatalogueSync } from "./catalogue-sync.ts";
import { Catalogues } from "./catalogues.ts";
import { ConnectedPeers } from "./connected-peers.ts";
import { Dialer } from "./dialer.ts";
import { Excerpts } from "./excerpts.ts";
import type { Bans } from "./gater.ts";
import { Gossip } from "./gossip.ts";
import type { Libp2pNode } from "./libp2p-node.ts";
import { EXPIRY_CHECK_MS, MAX_INBOUND_STREAMS_PER_PROTOCOL, WELL_CONNECTED_PEERS } from "./limits.ts";
import { isLeftToDial, untilConnected } from "./meeting.ts";
import type { NetworkLog } from "./network-log.ts";
import { Notes } from "./notes.ts";
import { OwnCatalogue } from "./own-catalogue.ts";
import { ProviderAnnouncer } from "./provider-announcer.ts";
import { searchProviders } from "./provider-search.ts";
import { Unlisted } from "./unlisted.ts";

export interface LiveSwarmParts {
  node: Libp2pNode;
  name: string;
  bans: Bans;
  clock: Clock;
  log: NetworkLog;
}

export class LiveSwarm implements Swarm {
  readonly nodeId: string;
  readonly name: string;
  readonly dialer: Dialer;
  readonly #parts: LiveSwarmParts;
  readonly #own = new OwnCatalogue();
  readonly #catalogues: Catalogues;
  readonly #sync: CatalogueSync;
  readonly #gossip: Gossip;
  readonly #announcer: Announcer;
  readonly #records: ProviderAnnouncer;
  readonly #excerpts: Excerpts;
  readonly #notes: Notes;
  readonly #unlisted: Unlisted;
  readonly #peers: ConnectedPeers;
  readonly #listeners = new Set<(event: SwarmEvent) => void>();

  constructor(parts: LiveSwarmParts) {
    const { node, name, bans, clock, log } = parts;
    this.#parts = parts;
    this.nodeId = node.peerId.toString();
    this.name = name;
    const emit = (event: SwarmEvent) => this.#emit(event);
    const addresses = (peerId: string): Multiaddr[] =>
      readAuthorAddresses(peerId, this.#catalogues.addresses(peerId));
    this.#catalogues = new Catalogues(clock, () => emit({ type: "offers_changed" }));
    this.dialer = new Dialer({ node, clock, addresses, log });
    this.#notes = new Notes({
      node,
      swarm: name,
      clock,
      log,
      openStream: (peerId, protocol, signal) => this.dialer.openStream(peerId, protocol, signal),
      onInvited: (peerId, file) => emit({ type: "invited", peerId, file }),
    });
    this.#unlisted = new Unlisted({
      node,
      swarm: name,
      clock,
      log,
      openStream: (peerId, protocol, signal) => this.dialer.openStream(peerId, protocol, signal),
    });
    this.#peers = new ConnectedPeers({
      node,
      nameOf: (peerId) => this.#notes.nameOf(peerId),
      fileCount: (peerId) => this.#catalogues.fileCount(peerId),
      addresses,
      emit,
      log,
    });
    this.#sync = new CatalogueSync({
      swarm: name,
      catalogues: this.#catalogues,
      hear: (authorId, message, tellerId) => this.#hear(authorId, message, tellerId),
      clock,
      isConnected: (authorId) => this.#isConnected(authorId),
      untilMet: (authorId, signal) =>
        untilConnected(node, peerIdFromString(authorId), () => true, { signal }),
      openStream: (authorId, told, signal) =>
        this.dialer.openStream(authorId, CATALOGUE_PROTOCOL, signal, readAuthorAddresses(authorId, told)),
      mayAsk: (authorId) => !bans.has(authorId),
      log,
    });
    this.#gossip = new Gossip({
      node,
      swarm: name,
      clock,
      isBanned: (peerId) => bans.has(peerId),
      onMessage: (authorId, message, carrierId) => this.#onMessage(authorId, message, carrierId),
      onFollower: () => this.#announcer.introduce(),
    });
    this.#announcer = new Announcer({
      own: this.#own,
      clock,
      publish: (bytes) => this.#gossip.publish(bytes),
      addresses: () => writeAuthorAddresses(node.getMultiaddrs()),
      swarmSize: () => this.#catalogues.authorCount,
      log,
    });
    this.#records = new ProviderAnnouncer({ node, clock, log });
    this.#excerpts = new Excerpts({
      node,
      swarm: name,
      clock,
      log,
      isBanned: (peerId) => bans.has(peerId),
      standing: (peerId) => this.#catalogues.standing(peerId),
      openStream: (peerId, protocol, signal) => this.dialer.openStream(peerId, protocol, signal),
      onChange: () => emit({ type: "offers_changed" }),
    });
  }

  /** Serves catalogues and watches for peers of this kind. Before the node starts, so that none is missed. */
  async listen(): Promise<void> {
    const { node, name, log } = this.#parts;
    await node.handle(
      CATALOGUE_PROTOCOL,
      (stream, connection) =>
        serveCatalogue(stream, name, () => this.#catalogue()).catch((error) =>
          log("catalogue not served", { peer: connection.remotePeer.toString(), error }),
        ),
      { maxInboundStreams: MAX_INBOUND_STREAMS_PER_PROTOCOL, runOnLimitedConnection: true },
    );
    await node.register(CATALOGUE_PROTOCOL, {
      notifyOnLimitedConnection: true,
      onConnect: (peerId) => this.#onMet(peerId.toString()),
    });
    await this.#excerpts.listen();
    await this.#notes.listen();
    await this.#unlisted.listen();
    await this.#peers.listen();
    node.addEventListener("peer:disconnect", ({ detail }) => this.#onGone(detail.toString()));
  }

  /** Announces and forgets until the signal aborts; never rejects. Called once the node is started. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, log } = this.#parts;
    signal.addEventListener("abort", () => this.#sync.stop(), { once: true });
    this.#gossip.start();
    this.#watchOwnAddresses(signal);
    this.#announcer.start();
    const loops = [this.#records.run(signal), this.#excerpts.run(signal), this.#expire(clock, signal)];
    const ended = (error: unknown) => {
      if (!signal.aborted) log("network loop ended", { error });
    };
    await Promise.all(loops.map((loop) => loop.catch(ended)));
  }

  /** A page gets its addresses from a relay after its hello; nobody could dial it until its next regular "alive". */
  #watchOwnAddresses(signal: AbortSignal): void {
    let known = this.addresses().join();
    const onUpdate = () => {
      const now = this.addresses().join();
      if (now !== known) this.#announcer.introduce();
      known = now;
    };
    const { node } = this.#parts;
    node.addEventListener("self:peer:update", onUpdate);
    signal.addEventListener("abort", () => node.removeEventListener("self:peer:update", onUpdate), {
      once: true,
    });
  }

  async sayGoodbye(): Promise<void> {
    await this.#announcer.stop();
  }

  addresses(): string[] {
    return this.#parts.node.getMultiaddrs().map(String);
  }

  peers(): ConnectedPeer[] {
    return this.#peers.list();
  }

  offers(): Offer[] {
    return this.#catalogues.offers().map((offer) => this.#excerpts.withExcerpt(offer));
  }

  offer(fileId: string): Offer | undefined {
    const offer = this.#catalogues.offer(fileId);
    return offer && this.#excerpts.withExcerpt(offer);
  }

  announce(file: Announcement): void {
    this.#unlisted.withdraw(file.fileId);
    if (!this.#own.announce(file)) return;
    this.#announcer.changed();
    this.#records.provide(file.fileId);
  }

  holdUnlisted(file: Announcement): void {
    this.withdraw(file.fileId);
    this.#unlisted.hold(file);
  }

  askUnlisted(peerId: string, fileId: string): Promise<Held> {
    return this.#unlisted.ask(peerId, fileId);
  }

  unlistedHolders(fileId: string): Promise<string[]> {
    return this.#unlisted.holders(fileId);
  }

  withdraw(fileId: string): void {
    this.#unlisted.withdraw(fileId);
    this.#excerpts.withdraw(fileId);
    if (!this.#own.withdraw(fileId)) return;
    this.#announcer.changed();
    this.#records.withdraw(fileId);
  }

  describe(fileId: string, excerpt: string): void {
    if (this.#unlisted.holds(fileId)) return;
    this.#excerpts.describe(fileId, excerpt);
  }

  rename(name: string): void {
    this.#notes.rename(name);
  }

  takeInvitations(isTaken: boolean): void {
    this.#notes.takesInvitations = isTaken;
  }

  invite(peerId: string, file: Announcement, signal: AbortSignal): Promise<void> {
    return this.#notes.invite(peerId, file, signal);
  }

  providers(
    fileId: string,
    signal: AbortSignal,
    { isUnlisted = () => false }: { isUnlisted?: () => boolean } = {},
  ): AsyncIterable<string> {
    const { node, clock, bans, log } = this.#parts;
    return searchProviders(
      {
        node,
        clock,
        offer: (id) => this.#catalogues.offer(id),
        onChange: (listener) => this.subscribe(listener),
        isBanned: (peerId) => bans.has(peerId),
        unlisted: this.#unlisted,
        log,
      },
      { fileId: CID.parse(fileId).toString(), isUnlisted },
      signal,
    );
  }

  async connect(address: string, signal: AbortSignal): Promise<ConnectedPeer> {
    const connection = await this.dialer.dial(address, signal);
    const peer = this.#peers.get(connection.remotePeer);
    if (peer === undefined) throw new SharingError("peer_unreachable", `${address} closed the connection`);
    return peer;
  }

  async checkConnections(): Promise<void> {
    await this.#peers.check();
  }

  ban(peerId: string, forMs: number): void {
    this.#parts.bans.add(peerId, forMs);
    this.#catalogues.forget(peerId, "lost");
    for (const connection of this.#parts.node.getConnections()) {
      if (connection.remotePeer.toString() === peerId) connection.abort(new Error("banned"));
    }
  }

  subscribe(listener: (event: SwarmEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #emit(event: SwarmEvent): void {
    for (const listener of this.#listeners) listener(event);
  }

  #catalogue() {
    const addresses = writeAuthorAddresses(this.#parts.node.getMultiaddrs());
    return { ...this.#announcer.position(), files: this.#own.snapshot(), addresses };
  }

  #isConnected(peerId: string): boolean {
    return this.#parts.node.getConnections(peerIdFromString(peerId)).length > 0;
  }

  #onMessage(authorId: string, message: AnnounceMessage, carrierId: string): void {
    if (authorId === this.nodeId) return;
    if (message.kind === "hello") this.#announcer.introduce();
    const epoch = this.#catalogues.position(authorId)?.epoch ?? message.epoch;
    // It was started anew, perhaps after an end of which its connections tell nothing.
    if (message.epoch > epoch) void this.#peers.checkReborn(authorId);
    // Others may be quicker to pass on what a peer says that is connected here, too.
    const tellerId = this.#isConnected(authorId) ? authorId : carrierId;
    if (!this.#sync.hold(authorId, message, tellerId)) this.#hear(authorId, message, tellerId);
  }

  /** Asks an author of whom something was missed, or who can be met for the first time. */
  #hear(authorId: string, message: AnnounceMessage, tellerId: string): void {
    const couldBeMet = this.#catalogues.canBeMet(authorId);
    const heard = this.#catalogues.hear(authorId, message, tellerId);
    const isNew = !couldBeMet && this.#catalogues.canBeMet(authorId);
    if (heard === "behind" || (isNew && this.#parts.node.getPeers().length < WELL_CONNECTED_PEERS)) {
      const told = "addresses" in message ? message.addresses : [];
      const known = told.length > 0 ? told : this.#catalogues.addresses(authorId);
      const isLeft = isLeftToDial(
        { peerId: this.nodeId, epoch: this.#announcer.position().epoch },
        { peerId: authorId, epoch: message.epoch },
        readAuthorAddresses(authorId, known),
      );
      this.#sync.want(authorId, isLeft ? "newcomer" : "gap", told);
    }
  }

  #onMet(peerId: string): void {
    this.#sync.want(peerId, "connected");
    this.#records.peerJoined();
  }

  /** It may have left, or only this connection ended: asking it tells. */
  #onGone(peerId: string): void {
    if (this.#catalogues.knows(peerId)) this.#sync.want(peerId, "lost");
  }

  async #expire(clock: Clock, signal: AbortSignal): Promise<void> {
    for (;;) {
      await clock.sleep(EXPIRY_CHECK_MS, signal);
      this.#catalogues.expire();
    }
  }
}
