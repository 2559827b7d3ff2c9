/** Which connected peers speak a protocol. Called by whatever asks each peer that does. */
import type { Libp2pNode } from "../libp2p-node.ts";

/**
 * Tells of each peer that speaks the protocol, also over a relay, as soon as it says so. Libp2p tells of a peer one protocol after
 * the other: it may have gone by then, and whoever heard of it would never hear of its end.
 */
export async function onSpeaker(
  node: Libp2pNode,
  protocol: string,
  onMet: (peerId: string) => void,
): Promise<void> {
  await node.register(protocol, {
    notifyOnLimitedConnection: true,
    onConnect: (peerId) => {
      if (node.getConnections(peerId).length > 0) onMet(peerId.toString());
    },
  });
}
