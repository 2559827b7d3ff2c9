/** Real nodes on loopback for the network's tests: opens them, waits for what they say, closes all after each test. */
import "../../src/headless/node20-shims.ts";
import { inspect } from "node:util";
import { generateKeyPair } from "@libp2p/crypto/keys";
import { afterEach } from "vitest";
import { headlessTransports } from "../../src/headless/transports.ts";
import { type Network, type NetworkOptions, openNetwork } from "../../src/network/network.ts";
import type { Announcement, Swarm, SwarmEvent } from "../../src/sharing/ports.ts";
import { realClock } from "./real-clock.ts";

const open = new Set<Network>();

afterEach(async () => {
  await Promise.all([...open].map(close));
});

export async function close(network: Network): Promise<void> {
  open.delete(network);
  await network.stop();
}

export async function openNode(options: Partial<NetworkOptions> = {}): Promise<Network> {
  const network = await openNetwork({
    privateKey: await generateKeyPair("Ed25519"),
    transports: headlessTransports({ iceServers: [] }),
    listen: ["/ip4/127.0.0.1/tcp/0"],
    bootstrap: [],
    swarmName: "test",
    relayServer: false,
    dhtMode: "server",
    clock: realClock,
    agentVersion: "shoal-test/0",
    log: (what, details) => {
      if (process.env.SHOAL_TEST_LOG) process.stderr.write(`${what} ${inspect(details)}\n`);
    },
    ...options,
  });
  open.add(network);
  return network;
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
