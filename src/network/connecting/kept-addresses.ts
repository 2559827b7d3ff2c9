/** What libp2p remembers of where a peer is, as it told itself or others did. Called by the dialer and rendezvous-point. */
import type { PeerId } from "@libp2p/interface";
import type { Multiaddr } from "@multiformats/multiaddr";
import type { Libp2pNode } from "../libp2p-node.ts";

/** None of a peer that was not heard of. */
export async function keptAddresses(node: Libp2pNode, id: PeerId): Promise<Multiaddr[]> {
  if (!(await node.peerStore.has(id))) return [];
  const { addresses } = await node.peerStore.get(id);
  return addresses.map(({ multiaddr }) => withPeerId(multiaddr, id));
}

export function withPeerId(address: Multiaddr, id: PeerId): Multiaddr {
  return address.getComponents().at(-1)?.name === "p2p" ? address : address.encapsulate(`/p2p/${id}`);
}
