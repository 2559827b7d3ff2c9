/** Nodes on the local network, which say where they are again and again. */
import { EventEmitter, once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { generateKeyPair } from "@libp2p/crypto/keys";
import { peerIdFromPrivateKey, peerIdFromString } from "@libp2p/peer-id";
import { multiaddr } from "@multiformats/multiaddr";
import { expect, it, onTestFinished } from "vitest";
import { MAX_NEIGHBOURS_DIALLED } from "../../src/network/connecting/limits.ts";
import type { NetworkOptions } from "../../src/network/network.ts";
import { idOf, join, untilConnected } from "./swarm-of-nodes.ts";

type Discovery = ReturnType<NonNullable<NetworkOptions["mdns"]>>;

function openLan() {
  const discovery = new EventTarget() as Discovery;
  const say = (peerId: string, address: string) =>
    discovery.dispatchEvent(
      new CustomEvent("peer", {
        detail: { id: peerIdFromString(peerId), multiaddrs: [multiaddr(address.replace(/\/p2p\/.*/, ""))] },
      }),
    );
  return { mdns: () => discovery, say };
}

it("are met once they are where they say, though they could not be reached before", async () => {
  const { mdns, say } = openLan();
  const heard = new EventEmitter();
  const node = await join({ mdns, log: (what) => heard.emit(what) });
  const other = await join();
  const missed = once(heard, "neighbour not reached");
  say(idOf(other), "/ip4/127.0.0.1/tcp/1");
  await missed;
  say(idOf(other), other.swarm.addresses()[0] as string);
  await untilConnected(node, other);
});

it("are dialled few at a time, whoever says to be there, and leave room for others", async () => {
  const { mdns, say } = openLan();
  const silent = createServer().listen(0, "127.0.0.1");
  await once(silent, "listening");
  onTestFinished(() => void silent.close());
  let dialled = 0;
  const allDialled = new Promise<void>((resolve) =>
    silent.on("connection", () => ++dialled === MAX_NEIGHBOURS_DIALLED && resolve()),
  );
  const [node, other] = [await join({ mdns }), await join()];
  for (let i = 0; i < 3 * MAX_NEIGHBOURS_DIALLED; i++) {
    const peerId = peerIdFromPrivateKey(await generateKeyPair("Ed25519")).toString();
    say(peerId, `/ip4/127.0.0.1/tcp/${(silent.address() as AddressInfo).port}`);
  }
  await allDialled;
  await node.swarm.connect(other.swarm.addresses()[0] as string, new AbortController().signal);
  // None of them had to end for it.
  expect(dialled).toBe(MAX_NEIGHBOURS_DIALLED);
});
