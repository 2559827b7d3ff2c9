/**
 * A libp2p node of the test's own in the swarm of real processes: it announces what it likes, answers requests for
 * blocks by script, and speaks every protocol by hand. It comes from a loopback address of its own, so that limits
 * for one host can't be mistaken for limits for all.
 */
import "../../src/headless/node20-shims.ts";
import { generateKeyPair } from "@libp2p/crypto/keys";
import type { Stream } from "@libp2p/interface";
import { tcp } from "@libp2p/tcp";
import { multiaddr } from "@multiformats/multiaddr";
import { onTestFinished } from "vitest";
import { PROTOCOL } from "../../src/exchange/protocol.ts";
import { CATALOGUE_PROTOCOL } from "../../src/network/catalogue-protocol.ts";
import { createLibp2pNode, type Libp2pNode } from "../../src/network/libp2p-node.ts";
import type { ShoalProcess } from "../interop/shoal-process.ts";
import { ScriptedPeer } from "../unit/exchange/scripted-peer.ts";

export class HostileNode {
  readonly node: Libp2pNode;
  readonly id: string;

  constructor(node: Libp2pNode) {
    this.node = node;
    this.id = node.peerId.toString();
  }

  static async start(from = "127.0.0.2"): Promise<HostileNode> {
    const node = await createLibp2pNode({
      privateKey: await generateKeyPair("Ed25519"),
      transports: [tcp({ dialOpts: { localAddress: from } as object })],
      listen: [],
      discovery: [],
      datastore: undefined,
      gater: {},
      swarmName: "main",
      relayServer: false,
      agentVersion: "hostile/0",
      log: () => undefined,
    });
    await node.start();
    return new HostileNode(node);
  }

  async connect(victim: ShoalProcess): Promise<void> {
    await this.node.dial(await addressesOf(victim));
  }

  async openStream(victim: ShoalProcess, protocol: string): Promise<Stream> {
    return this.node.dialProtocol(await addressesOf(victim), protocol);
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
  async serveCatalogue(serve: (stream: Stream) => void): Promise<void> {
    await this.node.handle(CATALOGUE_PROTOCOL, (stream) => serve(stream));
  }

  async stop(): Promise<void> {
    await this.node.stop();
  }
}

/** A hostile node that is stopped after the test. */
export async function startHostile(from?: string): Promise<HostileNode> {
  const hostile = await HostileNode.start(from);
  onTestFinished(() => hostile.stop());
  return hostile;
}

async function addressesOf(victim: ShoalProcess) {
  const { addresses } = await victim.client.nodeInfo();
  return addresses
    .filter((address) => /\/tcp\/\d+\/p2p\//.test(address))
    .map((address) => multiaddr(address));
}
