/** Opens a real node on loopback with ports of the system's choice, no ICE servers and no mDNS. */
import { systemClock } from "../../src/sharing/system-clock.ts";
import "../../src/headless/node20-shims.ts";
import { inspect } from "node:util";
import { generateKeyPair } from "@libp2p/crypto/keys";
import { headlessTransports } from "../../src/headless/network/transports.ts";
import { type Network, type NetworkOptions, openNetwork } from "../../src/network/network.ts";

export async function openNode(options: Partial<NetworkOptions> = {}): Promise<Network> {
  return await openNetwork({
    privateKey: await generateKeyPair("Ed25519"),
    transports: headlessTransports({ iceServers: [] }),
    listen: ["/ip4/127.0.0.1/tcp/0"],
    bootstrap: [],
    swarmName: "test",
    relayServer: false,
    dhtMode: "server",
    clock: systemClock,
    agentVersion: "shoal-test/0",
    log: (what, details) => {
      if (process.env.SHOAL_TEST_LOG) process.stderr.write(`${what} ${inspect(details)}\n`);
    },
    ...options,
  });
}
