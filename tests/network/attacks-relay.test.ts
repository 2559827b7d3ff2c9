/** Attack 17 by a relay, which any peer may say it is: it tells those that use it where they can be reached. */
import { RELAY_V2_HOP_CODEC } from "@libp2p/circuit-relay-v2";
import { lpStream } from "@libp2p/utils";
import { multiaddr } from "@multiformats/multiaddr";
import { expect, it } from "vitest";
import { MAX_ADDRESSES_PER_PEER, MAX_RELAY_ANSWER_BYTES } from "../../src/network/limits.ts";
import { until } from "../interop/until.ts";
import { startBareNode } from "./bare-node.ts";
import { field, varint } from "./protocol-buffers.ts";
import { join } from "./swarm-of-nodes.ts";

/** Grants every reservation, at so many addresses; gives where it is, and how often it was asked. */
async function lyingRelay(addressCount: number): Promise<{ at: string[]; askedCount: number }> {
  const node = await startBareNode(["/ip4/127.0.0.1/tcp/0"]);
  const relay = { at: node.getMultiaddrs().map(String), askedCount: 0 };
  await node.handle(RELAY_V2_HOP_CODEC, async (stream) => {
    const messages = lpStream(stream);
    await messages.read();
    const addresses = Array.from({ length: addressCount }, (_, i) =>
      field(2, multiaddr(`/ip4/10.0.${i >> 8}.${i & 255}/tcp/1`).bytes),
    );
    const expiry = Uint8Array.of(8, ...varint(Math.floor(Date.now() / 1000) + 3600));
    const reservation = field(3, Buffer.concat([expiry, ...addresses]));
    await messages.write(Buffer.concat([Uint8Array.of(8, 2), reservation, Uint8Array.of(40, 100)]));
    relay.askedCount += 1;
  });
  return relay;
}

it("tells of many addresses, of which a node takes some", async () => {
  const relay = await lyingRelay(500);
  const { swarm } = await join({ listen: [], bootstrap: relay.at });
  await until("it can be reached", async () => swarm.addresses().length > 0);
  expect(swarm.addresses().length).toBeLessThanOrEqual(MAX_ADDRESSES_PER_PEER);
});

it("is not used where its answer is longer than any relay's", async () => {
  const relay = await lyingRelay(MAX_RELAY_ANSWER_BYTES / 8);
  const honest = await join({ relayServer: true });
  const { swarm } = await join({ listen: [], bootstrap: [...relay.at, ...honest.swarm.addresses()] });
  await until("both were asked", async () => relay.askedCount > 0 && swarm.addresses().length > 0);
  expect(swarm.addresses().filter((address) => address.includes("/10.0."))).toEqual([]);
});
