/** Real nodes on loopback for the network's tests: joins them, waits for what they say, closes all after each test. */
import { onTestFinished } from "vitest";
import type { Network, NetworkOptions } from "../../src/network/network.ts";
import type { Announcement, Swarm, SwarmEvent } from "../../src/sharing/ports.ts";
import { openNode } from "./open-node.ts";

/**
 * For a node that goes and is back at its port: on an address where the system gives that to nobody else meanwhile, as it does
 * with ports of 127.0.0.1.
 */
const KEPT_PLACE = "/ip4/127.0.0.9/tcp/0";

const open = new Set<Network>();

/** A node that is closed after the test. */
export async function join(options: Partial<NetworkOptions> = {}): Promise<Network> {
  const network = await openNode(options);
  if (open.size === 0) onTestFinished(closeAll);
  open.add(network);
  return network;
}

/** One that may come back; `place` is where it listens. */
export async function joinAtPlace(
  options: Partial<NetworkOptions> = {},
): Promise<{ node: Network; address: string; place: string }> {
  const node = await join({ ...options, listen: [KEPT_PLACE] });
  const [address = ""] = node.swarm.addresses();
  return { node, address, place: address.replace(/\/p2p\/.*/, "") };
}

async function closeAll(): Promise<void> {
  await Promise.all([...open].map(close));
}

export async function close(network: Network): Promise<void> {
  open.delete(network);
  await network.stop();
}

/** Settles once the condition holds, which is looked at after each event of the swarm. */
export function until(swarm: Swarm, condition: (event?: SwarmEvent) => boolean): Promise<void> {
  return new Promise((resolve) => {
    const stop = swarm.subscribe((event) => check(event));
    const check = (event?: SwarmEvent) => {
      if (!condition(event)) return;
      stop();
      resolve();
    };
    check();
  });
}

export function holdersOf(network: Network, file: Announcement): string[] {
  const offer = network.swarm.offer(file.fileId);
  return [...(offer?.completeHolders ?? []), ...(offer?.partialHolders ?? [])].sort();
}

export const idOf = (network: Network): string => network.swarm.nodeId;

/** Settles once the two are connected, seen from the first. */
export function untilConnected(network: Network, other: Network): Promise<void> {
  return until(network.swarm, () => network.swarm.peers().some(({ peerId }) => peerId === idOf(other)));
}
