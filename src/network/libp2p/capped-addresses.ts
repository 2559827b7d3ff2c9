/**
 * Has libp2p remember a bounded number of addresses and protocols of each peer. Its peer store takes as many as anyone tells,
 * also in one answer of the DHT, and compares each with each whenever a stream to the peer opens: four thousand held up a node
 * for a minute. Put between libp2p and its peer store by libp2p-node.
 */
import type { Address, PeerData, PeerId, PeerStore } from "@libp2p/interface";
import { KeyedQueue } from "../../sharing/keyed-queue.ts";
import { MAX_ADDRESSES_PER_PEER } from "../limits.ts";
import { MAX_PEERS_TOLD_OF_AT_ONCE, MAX_PROTOCOLS_PER_PEER } from "./limits.ts";

/** What is signed by the peer itself stays, then what was told last. */
export function capAddresses(peerStore: PeerStore): void {
  const save = peerStore.save.bind(peerStore);
  const patch = peerStore.patch.bind(peerStore);
  const merge = peerStore.merge.bind(peerStore);
  const turns = new KeyedQueue(MAX_PEERS_TOLD_OF_AT_ONCE);

  const mergeAddresses: PeerStore["merge"] = async (id, data, options) => {
    const { multiaddrs: _, addresses: __, ...rest } = data;
    const told = addressesOf(data);
    const known = await knownAddresses(peerStore, id);
    const all = distinct([...known.filter(({ isCertified }) => isCertified), ...told, ...known]);
    if (all.length <= MAX_ADDRESSES_PER_PEER) return merge(id, { ...rest, addresses: told }, options);
    await patch(id, { addresses: all.slice(0, MAX_ADDRESSES_PER_PEER) }, options);
    return merge(id, rest, options);
  };

  peerStore.save = (id, data, options) => save(id, capped(data), options);
  peerStore.patch = (id, data, options) => patch(id, capped(data), options);
  peerStore.merge = (id, data, options) =>
    tellsAddresses(data)
      ? turns.run(id.toString(), () => mergeAddresses(id, data, options))
      : merge(id, data, options);
}

function tellsAddresses({ addresses, multiaddrs }: PeerData): boolean {
  return addresses !== undefined || multiaddrs !== undefined;
}

function capped(data: PeerData): PeerData {
  const { multiaddrs: _, ...rest } = data;
  return {
    ...rest,
    ...(data.protocols && { protocols: data.protocols.slice(0, MAX_PROTOCOLS_PER_PEER) }),
    ...(tellsAddresses(data) && { addresses: addressesOf(data) }),
  };
}

/** What is told, the first of it. */
function addressesOf({ addresses = [], multiaddrs = [] }: PeerData): Address[] {
  const first = multiaddrs.slice(0, MAX_ADDRESSES_PER_PEER);
  const all = [...addresses, ...first.map((multiaddr) => ({ multiaddr, isCertified: false }))];
  return all.slice(0, MAX_ADDRESSES_PER_PEER);
}

async function knownAddresses(peerStore: PeerStore, id: PeerId): Promise<Address[]> {
  return (await peerStore.has(id)) ? (await peerStore.get(id)).addresses : [];
}

function distinct(addresses: Address[]): Address[] {
  const byText = new Map<string, Address>();
  for (const address of addresses) {
    const text = address.multiaddr.toString();
    if (!byText.has(text)) byText.set(text, address);
  }
  return [...byText.values()];
}
