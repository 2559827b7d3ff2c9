/** A libp2p node with the protocols of the swarm but nothing that uses them: it neither announces nor serves. */
import { generateKeyPair } from "@libp2p/crypto/keys";
import { multiaddr } from "@multiformats/multiaddr";
import { onTestFinished } from "vitest";
import { headlessTransports } from "../../src/headless/network/transports.ts";
import { createLibp2pNode, type Libp2pNode } from "../../src/network/libp2p-node.ts";
import type { Network } from "../../src/network/network.ts";

const open = new Set<Libp2pNode>();

export async function startBareNode(listen: string[] = [], relayServer = false): Promise<Libp2pNode> {
  const node = await createLibp2pNode({
    privateKey: await generateKeyPair("Ed25519"),
    encrypters: [],
    transports: headlessTransports({ iceServers: [] }),
    listen,
    discovery: [],
    datastore: undefined,
    gater: {},
    swarmName: "test",
    relayServer,
    agentVersion: "bare/0",
    log: () => undefined,
  });
  if (open.size === 0) onTestFinished(stopAll);
  open.add(node);
  await node.start();
  return node;
}

async function stopAll(): Promise<void> {
  await Promise.all([...open].map((node) => node.stop()));
  open.clear();
}

export async function dial(node: Libp2pNode, network: Network): Promise<void> {
  await node.dial(network.swarm.addresses().map((address) => multiaddr(address)));
}
