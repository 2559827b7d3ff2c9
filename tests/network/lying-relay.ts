/** A relay of the test's own, which any peer may say it is: it passes nothing on, and tells what it is told to. */
import { RELAY_V2_HOP_CODEC } from "@libp2p/circuit-relay-v2";
import { lpStream } from "@libp2p/utils";
import { multiaddr } from "@multiformats/multiaddr";
import type { Libp2pNode } from "../../src/network/libp2p-node.ts";
import { startBareNode } from "./bare-node.ts";
import { field, varint } from "./protocol-buffers.ts";

export interface LyingRelay {
  node: Libp2pNode;
  /** Where it is. */
  at: string[];
  askedCount: number;
}

/** Grants every reservation for an hour, at so many addresses, by a clock that is so far ahead. */
export async function lyingRelay({ addressCount = 1, aheadMs = 0 }): Promise<LyingRelay> {
  const node = await startBareNode(["/ip4/127.0.0.1/tcp/0"]);
  const relay = { node, at: node.getMultiaddrs().map(String), askedCount: 0 };
  await node.handle(RELAY_V2_HOP_CODEC, async (stream) => {
    const messages = lpStream(stream);
    await messages.read();
    const addresses = Array.from({ length: addressCount }, (_, i) =>
      field(2, multiaddr(`/ip4/10.0.${i >> 8}.${i & 255}/tcp/1`).bytes),
    );
    const expiry = Uint8Array.of(8, ...varint(Math.floor((Date.now() + aheadMs) / 1000) + 3600));
    const reservation = field(3, Buffer.concat([expiry, ...addresses]));
    await messages.write(Buffer.concat([Uint8Array.of(8, 2), reservation, Uint8Array.of(40, 100)]));
    relay.askedCount += 1;
  });
  return relay;
}
