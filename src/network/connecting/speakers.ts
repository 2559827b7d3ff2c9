/** Which connected peers speak a protocol. Called by whatever asks each peer that does. */
import type { Connection } from "@libp2p/interface";
import type { Libp2pNode } from "../libp2p-node.ts";

/**
 * Tells of each peer that speaks the protocol, also over a relay, as soon as it says so, once for each of its
 * connections. Libp2p tells of it again whenever the peer says something of itself, as that it has another address:
 * what is asked of everybody that is met, its whole catalogue too, was asked again each time. And it tells of one
 * protocol after the other: the peer may have gone by then, and whoever heard of it would never hear of its end.
 */
export async function onSpeaker(
  node: Libp2pNode,
  protocol: string,
  onMet: (peerId: string) => void,
): Promise<void> {
  const told = new WeakSet<Connection>();
  await node.register(protocol, {
    notifyOnLimitedConnection: true,
    onConnect: (peerId, connection) => {
      if (told.has(connection) || node.getConnections(peerId).length === 0) return;
      told.add(connection);
      onMet(peerId.toString());
    },
  });
}
