/**
 * After a length prefix that is no length gossipsub reads no further but leaves its stream open, and swallows all that
 * still comes: such a peer loses its connection. Put on gossipsub by libp2p-node.
 */
import type { GossipSub } from "@libp2p/gossipsub";
import type { PeerId } from "@libp2p/interface";
import type { Libp2pNode } from "../libp2p-node.ts";

type PeerErrorHandler = (error: Error, peerId: PeerId) => void;

export function cutOffUndecodable(node: Libp2pNode): void {
  const gossip = node.services.gossip as GossipSub & { handlePeerReadStreamError: PeerErrorHandler };
  const onReadError = gossip.handlePeerReadStreamError.bind(gossip);
  gossip.handlePeerReadStreamError = (error, peerId) => {
    onReadError(error, peerId);
    if (!/^Invalid(Message|Data)Length/.test(error.name)) return;
    for (const connection of node.getConnections(peerId)) connection.abort(error);
  };
}
