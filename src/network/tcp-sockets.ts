/**
 * Where a peer that is connected by TCP can be met by TCP once more, on the same host and no other. Called by network for what
 * wants a connection of its own.
 */
import type { PeerId } from "@libp2p/interface";
import { bestConnection } from "./connected-peers.ts";
import type { Libp2pNode } from "./libp2p-node.ts";
import { type HostPort, hostOf, socketOf, transportOf } from "./remote-address.ts";

/** Who was dialled is met where it was; whoever dialled came from another port than it listens on, but has told of that. */
export async function socketsOf(
  node: Pick<Libp2pNode, "getConnections" | "peerStore">,
  peerId: PeerId,
): Promise<HostPort[]> {
  const connection = bestConnection(node.getConnections(peerId));
  if (connection === undefined) return [];
  const { remoteAddr, direction } = connection;
  if (transportOf(remoteAddr) !== "tcp") return [];
  const known =
    direction === "outbound"
      ? [remoteAddr]
      : (await node.peerStore.get(peerId)).addresses.map(({ multiaddr }) => multiaddr);
  return known
    .filter((address) => transportOf(address) === "tcp" && hostOf(address) === hostOf(remoteAddr))
    .flatMap((address) => socketOf(address) ?? []);
}
