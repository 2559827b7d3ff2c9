/**
 * The two libp2p stacks over TCP whose bare streams are measured: `ours`, as the product's network is opened, and
 * `stock`, libp2p's own TCP, noise and yamux with their defaults, which is what a program has that takes libp2p as it comes.
 */
import { generateKeyPair } from "@libp2p/crypto/keys";
import type { Stream } from "@libp2p/interface";
import { noise } from "@libp2p/noise";
import { tcp } from "@libp2p/tcp";
import { yamux } from "@libp2p/yamux";
import { multiaddr } from "@multiformats/multiaddr";
import { createLibp2p } from "libp2p";
import { nativeTls } from "../../src/headless/network/native-tls.ts";
import { headlessTransports } from "../../src/headless/network/transports.ts";
import { openNetwork } from "../../src/network/network.ts";
import { systemClock } from "../../src/sharing/system-clock.ts";

const LISTEN = ["/ip4/127.0.0.1/tcp/0"];
const PROTOCOL = "/shoal/bench/1.0.0";

export interface StreamStack {
  /** Hands every stream that comes to `handler`. The address is what `dial` takes. */
  serve(handler: (stream: Stream) => void): Promise<string>;
  /** Connects, and gives what opens one stream after the other there. */
  dial(address: string, signal: AbortSignal): Promise<() => Promise<Stream>>;
}

export const streamStacks: Record<string, () => Promise<StreamStack>> = { ours, stock };

async function ours(): Promise<StreamStack> {
  const network = await openNetwork({
    privateKey: await generateKeyPair("Ed25519"),
    transports: headlessTransports({ iceServers: [] }),
    encrypters: [nativeTls()],
    listen: LISTEN,
    bootstrap: [],
    swarmName: "bench",
    relayServer: false,
    dhtMode: "client",
    clock: systemClock,
    agentVersion: "bench",
  });
  return {
    async serve(handler) {
      await network.handle(PROTOCOL, handler);
      return network.swarm.addresses()[0] as string;
    },
    async dial(address, signal) {
      await network.swarm.connect(address, signal);
      const { value: peerId } = multiaddr(address)
        .getComponents()
        .find((part) => part.name === "p2p") as { value: string };
      return () => network.openStream(peerId, PROTOCOL, signal);
    },
  };
}

async function stock(): Promise<StreamStack> {
  const node = await createLibp2p({
    addresses: { listen: LISTEN },
    transports: [tcp()],
    connectionEncrypters: [noise()],
    streamMuxers: [yamux()],
  });
  return {
    async serve(handler) {
      await node.handle(PROTOCOL, handler);
      return String(node.getMultiaddrs()[0]);
    },
    async dial(address, signal) {
      const connection = await node.dial(multiaddr(address), { signal });
      return () => connection.newStream(PROTOCOL, { signal });
    },
  };
}
