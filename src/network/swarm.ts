/**
 * The Swarm port over libp2p: joins what this node shares (own-catalogue, announcer, provider records) with what
 * others share (catalogues), and with connections. Made by openNetwork. What comes of gossip and who connects or leaves
 * goes to hearing; all else is a call from the node.
 */
import { CID } from "multiformats/cid";
import { SharingError } from "../sharing/errors.ts";
import type { Announcement, Clock, ConnectedPeer, Held, Offer, Swarm, SwarmEvent } from "../sharing/ports.ts";
import type { AnnounceMessage } from "./announcing/announcement.ts";
import { Announcer } from "./announcing/announcer.ts";
import { readAuthorAddresses, writeAuthorAddresses } from "./announcing/author-addresses.ts";
import { CATALOGUE_PROTOCOL, serveCatalogue } from "./announcing/catalogue-protocol.ts";
import { Catalogues } from "./announcing/catalogues.ts";
import { Gossip } from "./announcing/gossip.ts";
import { Hearing } from "./announcing/hearing.ts";
import { OwnCatalogue } from "./announcing/own-catalogue.ts";
import type { BannedPeers } from "./connecting/banned-peers.ts";
import { ConnectedPeers } from "./connecting/connected-peers.ts";
import { Dialer } from "./connecting/dialer.ts";
import { onSpeaker } from "./connecting/speakers.ts";
import { Excerpts } from "./excerpts/excerpts.ts";
import type { Libp2pNode } from "./libp2p-node.ts";
import { EXPIRY_CHECK_MS, MAX_INBOUND_STREAMS_PER_PROTOCOL, PAGE_BURST, PAGES_PER_SECOND } from "./limits.ts";
import type { NetworkLog } from "./network-log.ts";
import { Notes } from "./notes/notes.ts";
import { ProviderAnnouncer } from "./providers/provider-announcer.ts";
import { searchProviders } from "./providers/provider-search.ts";
import { Unlisted } from "./providers/unlisted.ts";
import { Rendezvous } from "./relay/rendezvous.ts";
import { StreamTurns } from "./stream-turns.ts";

export interface LiveSwarmParts {
  node: Libp2pNode;
  name: string;
  banned: BannedPeers;
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
  readonly #hearing: Hearing;
  readonly #gossip: Gossip;
  readonly #announcer: Announcer;
  readonly #records: ProviderAnnouncer;
  readonly #excerpts: Excerpts;
  readonly #notes: Notes;
  readonly #unlisted: Unlisted;
  readonly #rendezvous: Rendezvous;
  readonly #peers: ConnectedPeers;
  readonly #listeners = new Set<(event: SwarmEvent) => void>();

  constructor(parts: LiveSwarmParts) {
    const { node, name: swarm, banned, clock, log } = parts;
    this.#parts = parts;
    this.nodeId = node.peerId.toString();
    this.name = swarm;
    const emit = (event: SwarmEvent) => this.#emit(event);
    const catalogues = new Catalogues(clock, () => emit({ type: "offers_changed" }));
    const addresses = (peerId: string) => readAuthorAddresses(peerId, catalogues.addresses(peerId));
    const onSilence = (peerId: string) => this.doubt(peerId);
    const dialer = new Dialer({ node, clock, addresses, onSilence, log });
    const common = {
      node,
      swarm,
      clock,
      log,
      openStream: (...asked: Parameters<Dialer["openStream"]>) => dialer.openStream(...asked),
      isBanned: (peerId: string) => banned.has(peerId),
    };
    this.#catalogues = catalogues;
    this.dialer = dialer;
    this.#notes = new Notes({
      ...common,
      onInvited: (peerId, file) => emit({ type: "invited", peerId, file }),
    });
    this.#unlisted = new Unlisted(common);
    this.#peers = new ConnectedPeers({
      node,
      nameOf: (peerId) => this.#notes.nameOf(peerId),
      fileCount: (peerId) => catalogues.fileCount(peerId),
      isInSwarm: (peerId) => this.#gossip.isFollowedBy(peerId) || catalogues.standing(peerId) === "met",
      addresses,
      emit,
      log,
    });
    this.#hearing = new Hearing({
      ...common,
      catalogues,
      epoch: () => this.#announcer.position().epoch,
      onReborn: (authorId) => void this.#peers.checkReborn(authorId),
    });
    this.#rendezvous = new Rendezvous({ ...common, onNamed: (named) => this.#hearing.onNamed(named) });
    this.#gossip = new Gossip({
      ...common,
      isOld: (authorId, at) => catalogues.isOld(authorId, at),
      onMessage: (authorId, message, carrierId) => this.#onMessage(authorId, message, carrierId),
      onFollower: () => this.#announcer.introduce(),
    });
    this.#announcer = new Announcer({
      own: this.#own,
      clock,
      publish: (bytes) => this.#gossip.publish(bytes),
      addresses: () => writeAuthorAddresses(node.getMultiaddrs()),
      swarmSize: () => catalogues.authorCount,
      log,
    });
    this.#records = new ProviderAnnouncer({ node, swarm, clock, log });
    this.#excerpts = new Excerpts({
      ...common,
      standing: (peerId) => catalogues.standing(peerId),
      isAnnounced: (fileId) => this.#own.has(fileId),
      onChange: () => emit({ type: "offers_changed" }),
    });
  }

  /** Serves catalogues and watches for peers of this kind. Before the node starts, so that none is missed. */
  async listen(): Promise<void> {
    const { node, name, clock, log } = this.#parts;
    const pages = new StreamTurns(clock, { burst: PAGE_BURST, perSecond: PAGES_PER_SECOND });
    await node.handle(
      CATALOGUE_PROTOCOL,
      (stream, connection) => {
        const peer = connection.remotePeer.toString();
        const untilTurn = pages.of(connection, stream);
        return serveCatalogue(stream, name, () => this.#catalogue(), untilTurn).catch((error) =>
          log("catalogue not served", { peer, error }),
        );
      },
      { maxInboundStreams: MAX_INBOUND_STREAMS_PER_PROTOCOL, runOnLimitedConnection: true },
    );
    await onSpeaker(node, CATALOGUE_PROTOCOL, (peerId) => {
      this.#hearing.onMet(peerId);
      this.#records.peerJoined();
    });
    await this.#excerpts.listen();
    await this.#notes.listen();
    await this.#unlisted.listen();
    await this.#rendezvous.listen();
    await this.#peers.listen();
    node.addEventListener("peer:disconnect", ({ detail }) => this.#hearing.onGone(detail.toString()));
  }

  /** Announces and forgets until the signal aborts; never rejects. Called once the node is started. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, log } = this.#parts;
    const stop = () => {
      this.#hearing.stop();
      this.#rendezvous.stop();
    };
    signal.addEventListener("abort", stop, { once: true });
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

  isMet(peerId: string): boolean {
    return this.#catalogues.standing(peerId) === "met" || this.#peers.isConnected(peerId);
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
    const isNew = !this.#own.has(file.fileId);
    if (!this.#own.announce(file)) return;
    this.#announcer.changed();
    this.#records.provide(file.fileId);
    if (isNew) this.#excerpts.announced(file.fileId);
  }

  holdUnlisted(file: Announcement): void {
    this.#retract(file.fileId);
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
    this.#retract(fileId);
  }

  describe(fileId: string, excerpt: string): void {
    this.#excerpts.describe(fileId, excerpt);
  }

  rename(name: string): void {
    this.#notes.rename(name);
  }

  takeInvitations(isTaken: boolean): void {
    this.#notes.takesInvitations = isTaken;
  }

  async invite(peerId: string, file: Announcement, signal: AbortSignal): Promise<void> {
    if (this.#unlisted.holds(file.fileId)) await this.#unlisted.expectAsker(peerId, signal);
    await this.#notes.invite(peerId, file, signal);
  }

  providers(
    fileId: string,
    signal: AbortSignal,
    { isUnlisted = () => false }: { isUnlisted?: () => boolean } = {},
  ): AsyncIterable<string> {
    const { node, clock, banned, log } = this.#parts;
    return searchProviders(
      {
        node,
        clock,
        offer: (id) => this.#catalogues.offer(id),
        onChange: (listener) => this.subscribe(listener),
        isBanned: (peerId) => banned.has(peerId),
        isMet: (peerId) => this.isMet(peerId),
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

  doubt(peerId: string): void {
    void this.#peers.checkSilent(peerId);
  }

  ban(peerId: string, forMs: number): void {
    this.#parts.banned.add(peerId, forMs);
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

  #retract(fileId: string): void {
    if (!this.#own.withdraw(fileId)) return;
    this.#announcer.changed();
    this.#records.withdraw(fileId);
  }

  #catalogue() {
    const addresses = writeAuthorAddresses(this.#parts.node.getMultiaddrs());
    return { ...this.#announcer.position(), files: this.#own.snapshot(), addresses };
  }

  #onMessage(authorId: string, message: AnnounceMessage, carrierId: string): void {
    if (authorId === this.nodeId) return;
    if (message.kind === "hello") this.#announcer.introduce();
    this.#hearing.onMessage(authorId, message, carrierId);
  }

  async #expire(clock: Clock, signal: AbortSignal): Promise<void> {
    for (;;) {
      await clock.sleep(EXPIRY_CHECK_MS, signal);
      this.#catalogues.expire();
    }
  }
}
