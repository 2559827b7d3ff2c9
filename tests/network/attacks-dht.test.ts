/** Attack 18 on the DHT: a peer that would have this node keep what nobody asked for. */
import { generateKeyPair, publicKeyToProtobuf } from "@libp2p/crypto/keys";
import { MemoryDatastore } from "datastore-core";
import { expect, it } from "vitest";
import { dial, startBareNode } from "./bare-node.ts";
import { join } from "./swarm-of-nodes.ts";

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
