/** What libp2p's peer store keeps of a peer, whoever tells it: src/network/libp2p/capped-addresses. */
import "../../src/headless/node20-shims.ts";
import type { Peer, PeerId, PeerStore } from "@libp2p/interface";
import { peerIdFromString } from "@libp2p/peer-id";
import { type Multiaddr, multiaddr } from "@multiformats/multiaddr";
import { beforeEach, describe, expect, it } from "vitest";
import { MAX_PROTOCOLS_PER_PEER } from "../../src/network/libp2p/limits.ts";
import { MAX_ADDRESSES_PER_PEER } from "../../src/network/limits.ts";
import { startBareNode } from "./bare-node.ts";

const id: PeerId = peerIdFromString("12D3KooWNfWRkrgA3aDWnuQJa34rLGkWHCA8KUjeCeeUP6pZMwat");
const some = (net: number, count: number): Multiaddr[] =>
  Array.from({ length: count }, (_, i) => multiaddr(`/ip4/10.${net}.0.${i}/tcp/1`));
const netsOf = ({ addresses }: Peer): string[] =>
  addresses.map(({ multiaddr }) => multiaddr.toString().split(".")[1] as string);

describe("the addresses that libp2p remembers of a peer", () => {
  let peers: PeerStore;
  beforeEach(async () => {
    peers = (await startBareNode()).peerStore;
  });

  it.each(["save", "patch", "merge"] as const)(
    "are no more than a few, of however many are told by %s",
    async (how) => {
      await peers[how](id, { multiaddrs: some(1, 250), addresses: [], protocols: ["/a"] });
      const peer = await peers.get(id);
      expect(peer.addresses).toHaveLength(MAX_ADDRESSES_PER_PEER);
      expect(peer.protocols).toEqual(["/a"]);
    },
  );

  it("and the protocols are no more than a few, too", async () => {
    const protocols = Array.from({ length: 1000 }, (_, i) => `/${i}`);
    await peers.patch(id, { protocols });
    expect((await peers.get(id)).protocols).toHaveLength(MAX_PROTOCOLS_PER_PEER);
  });

  it("are joined while there is room, and give way to those told last", async () => {
    await peers.merge(id, { multiaddrs: some(1, MAX_ADDRESSES_PER_PEER - 10), tags: { old: { value: 1 } } });
    await peers.merge(id, { multiaddrs: some(2, 10) });
    expect(new Set(netsOf(await peers.get(id)))).toEqual(new Set(["1", "2"]));
    await peers.merge(id, { multiaddrs: some(3, 20), tags: { young: { value: 2 } } });
    const peer = await peers.get(id);
    expect(netsOf(peer).filter((net) => net === "3")).toHaveLength(20);
    expect(peer.addresses).toHaveLength(MAX_ADDRESSES_PER_PEER);
    expect([...peer.tags.keys()]).toEqual(["old", "young"]);
  });

  it("stay where the peer itself has signed them, whatever others tell, also many at once", async () => {
    const signed = some(1, 3).map((multiaddr) => ({ multiaddr, isCertified: true }));
    await peers.patch(id, { addresses: signed });
    const telling = Array.from({ length: 20 }, (_, net) =>
      peers.merge(id, { multiaddrs: some(2 + net, 10) }),
    );
    await Promise.all(telling);
    const { addresses } = await peers.get(id);
    expect(addresses.filter(({ isCertified }) => isCertified)).toHaveLength(3);
    expect(addresses).toHaveLength(MAX_ADDRESSES_PER_PEER);
  });
});
