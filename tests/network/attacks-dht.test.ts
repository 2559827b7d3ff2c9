/** Attack 18 on the DHT: a peer that would have this node keep what nobody asked for. */
import { generateKeyPair, publicKeyToProtobuf } from "@libp2p/crypto/keys";
import type { Connection } from "@libp2p/interface";
import { lpStream } from "@libp2p/utils";
import { multiaddr } from "@multiformats/multiaddr";
import { MemoryDatastore } from "datastore-core";
import { CID } from "multiformats/cid";
import { expect, it } from "vitest";
import { MAX_ADDRESSES_PER_PEER } from "../../src/network/limits.ts";
import { dhtProtocol } from "../../src/network/swarm-name.ts";
import { dial, startBareNode } from "./bare-node.ts";
import { someFile } from "./some-file.ts";
import { join } from "./swarm-of-nodes.ts";

/** Protocol buffers: numbers of seven bits a byte, and fields of bytes. */
function varint(value: number): number[] {
  return value < 128 ? [value] : [(value & 127) | 128, ...varint(value >>> 7)];
}

function field(number: number, bytes: Uint8Array): Uint8Array {
  return Buffer.concat([Uint8Array.from([...varint(number * 8 + 2), ...varint(bytes.length)]), bytes]);
}

/** An ADD_PROVIDER of the DHT for a file of that name. */
function addProvider(name: string, peerId: Uint8Array, addresses: string[]): Uint8Array {
  const peer = [field(1, peerId), ...addresses.map((address) => field(2, multiaddr(address).bytes))];
  const key = CID.parse(someFile(name).fileId).bytes;
  return Buffer.concat([Uint8Array.of(8, 2), field(2, key), field(9, Buffer.concat(peer))]);
}

const PING = Uint8Array.of(8, 5);

it("remembers few of the thousands of addresses that a peer tells of itself, and answers meanwhile", async () => {
  const datastore = new MemoryDatastore();
  const victim = await join({ datastore });
  const hostile = await startBareNode();
  await dial(hostile, victim);
  const connection = hostile.getConnections()[0] as Connection;
  const messages = lpStream(await connection.newStream(dhtProtocol("test")));
  const ownId = hostile.peerId.toMultihash().bytes;
  for (let round = 0; round < 3; round++) {
    const addresses = Array.from({ length: 2000 }, (_, i) => `/ip4/10.${round}.${i >> 8}.${i & 255}/tcp/1`);
    await messages.write(addProvider(`file ${round}`, ownId, addresses));
  }
  await messages.write(PING);
  expect([...(await messages.read()).subarray()]).toEqual([...PING]);
  const sizes: number[] = [];
  for await (const { value } of datastore.query({ prefix: "/peers" })) sizes.push(value.length);
  expect(Math.max(...sizes)).toBeLessThan(50 * MAX_ADDRESSES_PER_PEER);
});

it("keeps no values for anyone, not even the public keys that every DHT node of libp2p takes without end", async () => {
  const datastore = new MemoryDatastore();
  const victim = await join({ datastore });
  const hostile = await startBareNode();
  await dial(hostile, victim);
  const answered: string[] = [];
  for (let count = 0; count < 3; count++) {
    const { publicKey } = await generateKeyPair("Ed25519");
    const key = Uint8Array.from([...new TextEncoder().encode("/pk/"), ...publicKey.toMultihash().bytes]);
    const put = async () => {
      for await (const event of hostile.services.dht.put(key, publicKeyToProtobuf(publicKey))) {
        if (event.name === "PEER_RESPONSE") answered.push(event.messageName);
      }
    };
    // Its own refusal ends the stream, or the search for who keeps it finds nobody.
    await put().catch(() => undefined);
  }
  const kept: string[] = [];
  for await (const key of datastore.queryKeys({ prefix: "/dht" })) kept.push(key.toString());
  expect(kept).toEqual([]);
  expect(answered).not.toContain("PUT_VALUE");
});
