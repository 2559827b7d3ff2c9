/** Real nodes on loopback for the network's tests: opens them, waits for what they say, closes all after each test. */
import "../../src/headless/node20-shims.ts";
import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { inspect } from "node:util";
import { generateKeyPair } from "@libp2p/crypto/keys";
import { CID } from "multiformats/cid";
import * as Digest from "multiformats/hashes/digest";
import { afterEach } from "vitest";
import { headlessTransports } from "../../src/headless/transports.ts";
import { type Network, type NetworkOptions, openNetwork } from "../../src/network/network.ts";
import type { Announcement, Clock, Swarm, SwarmEvent } from "../../src/sharing/ports.ts";

export const realClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: (ms, signal) => sleep(ms, undefined, { signal }),
};

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

/** A file that needs no bytes: its id is the hash of its name. */
export function someFile(name: string, more: Partial<Announcement> = {}): Announcement {
  const digest = Digest.create(0x12, createHash("sha256").update(name).digest());
  const fileId = CID.createV1(0x55, digest).toString();
  return { fileId, name, sizeBytes: 1234, chunkCount: 1, complete: true, ...more };
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
