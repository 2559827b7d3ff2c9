/**
 * Where a peer that is connected by TCP can be met by TCP once more, on the same host and no other. Called by network for what
 * wants a connection of its own.
 */
import type { PeerId } from "@libp2p/interface";
import type { Libp2pNode } from "../libp2p-node.ts";
import { bestConnection } from "./connected-peers.ts";
import { type HostPort, hostOf, socketOf, transportOf } from "./remote-address.ts";

/** Who was dialled is met where it was; whoever dialled came from another port than it listens on, but has told of that. */
export async function tcpSocketOf(node: Libp2pNode, peerId: PeerId): Promise<HostPort | undefined> {
  const connection = bestConnection(node.getConnections(peerId));
  if (connection === undefined) return undefined;
  const { remoteAddr, direction } = connection;
  if (transportOf(remoteAddr) !== "tcp") return undefined;
  if (direction === "outbound") return socketOf(remoteAddr);
  const { addresses } = await node.peerStore.get(peerId);
  const told = addresses.find(
    ({ multiaddr }) => transportOf(multiaddr) === "tcp" && hostOf(multiaddr) === hostOf(remoteAddr),
  );
  return told && socketOf(told.multiaddr);
}
