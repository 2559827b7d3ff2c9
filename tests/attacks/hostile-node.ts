/**
 * A libp2p node of the attacker's own in the swarm of real processes: it announces what it likes, answers requests
 * for blocks by script, and speaks every protocol by hand. It comes from a loopback address of its own, so that
 * limits for one host can't be mistaken for limits for all. Started by start-hostile (tests) and the soak.
 */
import { once } from "node:events";
import "../../src/headless/node20-shims.ts";
import { generateKeyPair } from "@libp2p/crypto/keys";
import type { Stream } from "@libp2p/interface";
import { peerIdFromString } from "@libp2p/peer-id";
import { tcp } from "@libp2p/tcp";
import { webSockets } from "@libp2p/websockets";
import { multiaddr } from "@multiformats/multiaddr";
import { PROTOCOL } from "../../src/exchange/protocol.ts";
import {
  type AnnounceMessage,
  encodeAnnouncement,
  type Position,
} from "../../src/network/announcing/announcement.ts";
import {
  CATALOGUE_PROTOCOL,
  type Catalogue,
  serveCatalogue,
} from "../../src/network/announcing/catalogue-protocol.ts";
import { createLibp2pNode, type Libp2pNode } from "../../src/network/libp2p-node.ts";
import { announceTopic } from "../../src/network/swarm-name.ts";
import type { Announcement } from "../../src/sharing/ports.ts";
import type { ShoalProcess } from "../interop/shoal-process.ts";
import { untilFollowed } from "../network/gossip-follower.ts";
import { ScriptedPeer } from "../unit/exchange/scripted-peer.ts";

const SWARM = "main";
const TOPIC = announceTopic(SWARM);

let hosts = 0;

/** Banned nodes dial again and again, which would use up the new connections that one host may make. */
function nextHost(): string {
  hosts = (hosts % 250) + 1;
  return `127.0.1.${hosts}`;
}

export class HostileNode {
  readonly node: Libp2pNode;
  readonly id: string;
  #victimId = "";
  #catalogue: Catalogue | undefined;

  constructor(node: Libp2pNode) {
    this.node = node;
    this.id = node.peerId.toString();
  }

  static async start(from = nextHost(), listen: string[] = []): Promise<HostileNode> {
    const node = await createLibp2pNode({
      privateKey: await generateKeyPair("Ed25519"),
      encrypters: [],
      transports: [tcp({ dialOpts: { localAddress: from } as object }), webSockets()],
      listen,
      discovery: [],
      datastore: undefined,
      gater: {},
      swarmName: SWARM,
      relayServer: false,
      agentVersion: "hostile/0",
      log: () => undefined,
    });
    await node.start();
    return new HostileNode(node);
  }

  /** One that waits for pages: these are dialled by nobody, so each victim has to be told its `address`. */
  static startForPages(): Promise<HostileNode> {
    return HostileNode.start(undefined, ["/ip4/127.0.0.1/tcp/0/ws"]);
  }

  get address(): string {
    return this.node.getMultiaddrs()[0]?.toString() ?? "";
  }

  isConnectedTo(peerId: string): boolean {
    return this.node.getConnections(peerIdFromString(peerId)).length > 0;
  }

  /** A stream to a peer that has dialled this node; here the connection may open later than there. */
  async streamTo(peerId: string, protocol: string): Promise<Stream> {
    const connections = () => this.node.getConnections(peerIdFromString(peerId));
    while (connections().length === 0) await once(this.node, "connection:open");
    return (await connections()[0]?.newStream(protocol)) as Stream;
  }

  /** A conversation with it, as an asker. */
  async askPeer(peerId: string): Promise<ScriptedPeer> {
    return new ScriptedPeer(await this.streamTo(peerId, PROTOCOL));
  }

  /** With the victim it dialled last; its DHT may have made other acquaintances. */
  get isConnected(): boolean {
    return this.node.getConnections().some(({ remotePeer }) => remotePeer.toString() === this.#victimId);
  }

  async connect(victim: ShoalProcess): Promise<void> {
    await this.node.dial(await this.#addressesOf(victim));
  }

  async openStream(victim: ShoalProcess, protocol: string): Promise<Stream> {
    return this.node.dialProtocol(await this.#addressesOf(victim), protocol);
  }

  /** A conversation with the victim as an asker. */
  async ask(victim: ShoalProcess): Promise<ScriptedPeer> {
    return new ScriptedPeer(await this.openStream(victim, PROTOCOL));
  }

  /** Runs the script for each conversation that somebody opens here. */
  async answer(script: (peer: ScriptedPeer) => void): Promise<void> {
    await this.node.handle(PROTOCOL, (stream) => script(new ScriptedPeer(stream)));
  }

  /** Answers who asks for its catalogue; to be called before it connects. */
  async answerCatalogue(serve: (stream: Stream) => void): Promise<void> {
    await this.node.handle(CATALOGUE_PROTOCOL, (stream) => serve(stream));
  }

  /** Announces these files to whoever asks, true or not; to be called before it connects. */
  async offer(...files: Announcement[]): Promise<void> {
    await this.#answerWith({ epoch: Date.now(), seq: 1, revision: 1, files, addresses: [] });
  }

  /** Has nothing to announce yet, as a node that has just started; to be called before it connects. */
  async offerNothing(epoch: number): Promise<void> {
    await this.#answerWith({ epoch, seq: 1, revision: 0, files: [], addresses: [] });
  }

  /** Who asks from now on is told of this file too, as by a node that also gossips it. */
  offerFrom(position: Position, file: Announcement): void {
    this.#catalogue = { ...position, files: [file], addresses: [] };
  }

  async #answerWith(catalogue: Catalogue): Promise<void> {
    this.#catalogue = catalogue;
    // Whoever asked may be gone, or have banned us, before it has all of it.
    await this.answerCatalogue((stream) =>
      serveCatalogue(
        stream,
        SWARM,
        () => this.#catalogue ?? catalogue,
        async () => {},
      ).catch(() => undefined),
    );
  }

  /** Connects and settles once the victim hears what is published here. */
  async follow(victim: ShoalProcess): Promise<void> {
    const followed = this.followed();
    await this.connect(victim);
    await followed;
  }

  /** Settles once a peer hears what is published here; to be called before it connects. */
  followed(): Promise<void> {
    return untilFollowed(this.node, TOPIC);
  }

  async publish(bytes: Uint8Array): Promise<void> {
    await this.node.services.gossip.publish(TOPIC, bytes);
  }

  async say(message: AnnounceMessage): Promise<void> {
    await this.publish(encodeAnnouncement(message));
  }

  async stop(): Promise<void> {
    await this.node.stop();
  }

  async #addressesOf(victim: ShoalProcess) {
    const { addresses, node_id } = await victim.client.nodeInfo();
    this.#victimId = node_id;
    return addresses
      .filter((address) => /\/tcp\/\d+\/p2p\//.test(address))
      .map((address) => multiaddr(address));
  }
}
