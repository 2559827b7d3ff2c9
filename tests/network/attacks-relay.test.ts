/** Attacks 16 and 17 by a relay, which any peer may say it is, and on one. */
import { once } from "node:events";
import { type CircuitRelayService, RELAY_V2_HOP_CODEC, RELAY_V2_STOP_CODEC } from "@libp2p/circuit-relay-v2";
import type { Connection, PeerId, Stream } from "@libp2p/interface";
import { peerIdFromMultihash } from "@libp2p/peer-id";
import { lpStream } from "@libp2p/utils";
import { type Multiaddr, multiaddr } from "@multiformats/multiaddr";
import { identity } from "multiformats/hashes/identity";
import { expect, it } from "vitest";
import { MAX_ADDRESSES_PER_PEER, MAX_CONNECTIONS } from "../../src/network/limits.ts";
import { MAX_RELAY_MESSAGE_BYTES } from "../../src/network/relay/limits.ts";
import { until } from "../interop/until.ts";
import { dial, startBareNode } from "./bare-node.ts";
import { lyingRelay } from "./lying-relay.ts";
import { field, varint } from "./protocol-buffers.ts";
import { soon } from "./sooner.ts";
import { join } from "./swarm-of-nodes.ts";

it("tells of many addresses, of which a node takes some", async () => {
  const relay = await lyingRelay({ addressCount: 500 });
  const { swarm } = await join({ listen: [], bootstrap: relay.at });
  await until("it can be reached", async () => swarm.addresses().length > 0);
  expect(swarm.addresses().length).toBeLessThanOrEqual(MAX_ADDRESSES_PER_PEER);
});

it("is not used where its answer is longer than any relay's", async () => {
  const relay = await lyingRelay({ addressCount: MAX_RELAY_MESSAGE_BYTES / 8 });
  const honest = await join({ relayServer: true });
  const { swarm } = await join({ listen: [], bootstrap: [...relay.at, ...honest.swarm.addresses()] });
  await until("both were asked", async () => relay.askedCount > 0 && swarm.addresses().length > 0);
  expect(swarm.addresses().filter((address) => address.includes("/10.0."))).toEqual([]);
});

const RESERVE = Uint8Array.of(8, 0);

/** OK of the relay's protocol. */
const RESERVED = "OK";

/** What the library's types don't show of its server. */
interface PlaceGiver {
  reservationStore: { reserve(guest: PeerId, from: Multiaddr): { status: string } };
}

/** CONNECT of the STOP protocol: a circuit from that peer. */
function circuitFrom(peerId: Uint8Array): Uint8Array {
  const connect = Buffer.concat([Uint8Array.of(8, 0), field(2, field(1, peerId))]);
  return Buffer.concat([Uint8Array.of(connect.length), connect]);
}

/** What comes to what is said on the stream; it throws where the stream is ended instead. */
async function answerTo(message: Uint8Array, stream: Stream): Promise<Uint8Array> {
  stream.send(message);
  return (await lpStream(stream).read()).subarray();
}

it("keeps a place for nobody who has left", async () => {
  const relay = await startBareNode(["/ip4/127.0.0.1/tcp/0"], true);
  const { relayServer } = relay.services as unknown as { relayServer: CircuitRelayService };
  const guest = await startBareNode();
  const connection = await guest.dial(relay.getMultiaddrs());
  const messages = lpStream(await connection.newStream(RELAY_V2_HOP_CODEC));
  await messages.write(RESERVE);
  await messages.read();
  expect(relayServer.reservations.size).toBe(1);
  const left = once(relay, "peer:disconnect");
  await guest.stop();
  await left;
  expect(relayServer.reservations.size).toBe(0);
});

it("has a place for everybody who may be connected, so that two hosts can't have all of them", async () => {
  const relay = await startBareNode([], true);
  const { relayServer } = relay.services as unknown as { relayServer: PlaceGiver };
  const guests = Array.from({ length: MAX_CONNECTIONS }, (_, nth) =>
    peerIdFromMultihash(identity.digest(Uint8Array.of(8, 1, 18, 32, ...new Uint8Array(30), nth >> 8, nth))),
  );
  const statuses = guests.map(
    (guest) => relayServer.reservationStore.reserve(guest, multiaddr("/ip4/127.0.0.1/tcp/1")).status,
  );
  expect(new Set(statuses)).toEqual(new Set([RESERVED]));
});

it("takes no circuit from a peer that is no relay of its own, and does not begin to use it", async () => {
  const victim = await join();
  const hostile = await startBareNode();
  await dial(hostile, victim);
  const stream = await (hostile.getConnections()[0] as Connection).newStream(RELAY_V2_STOP_CODEC);
  const circuit = circuitFrom(hostile.peerId.toMultihash().bytes);
  await expect(answerTo(circuit, stream)).rejects.toThrow();
});

const TOO_LONG = Buffer.concat([Uint8Array.from(varint(4_000_000)), new Uint8Array(MAX_RELAY_MESSAGE_BYTES)]);

it("reads no more of what a guest says than there is to say", async () => {
  const victim = await join({ relayServer: true });
  const hostile = await startBareNode();
  await dial(hostile, victim);
  const stream = await (hostile.getConnections()[0] as Connection).newStream(RELAY_V2_HOP_CODEC);
  await expect(answerTo(TOO_LONG, stream)).rejects.toThrow();
});

it("says no more than there is to say to whom it brings circuits", async () => {
  const relay = await lyingRelay({});
  const { swarm } = await join({ listen: [], bootstrap: relay.at });
  await until("it is used", async () => swarm.addresses().length > 0);
  const [connection] = relay.node.getConnections() as [Connection];
  const circuit = circuitFrom(relay.node.peerId.toMultihash().bytes);
  const ok = await answerTo(circuit, await connection.newStream(RELAY_V2_STOP_CODEC));
  expect([...ok]).toEqual([8, 1, 32, 100]);
  const longer = answerTo(TOO_LONG, await connection.newStream(RELAY_V2_STOP_CODEC));
  await soon(expect(longer).rejects.toThrow());
});
