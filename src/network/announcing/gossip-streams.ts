/**
 * Gossipsub's streams to peers, of which it keeps one to each, and where it leaves something to be desired. Called by gossip.
 *
 * - It opens one after the other: a peer that is silent while its own is negotiated, for which libp2p gives it 10 s,
 *   would keep gossip from all that connect after it. Here they open beside each other, those to one peer in turn.
 * - It keeps the stream of a connection that ended as it opened, and opens none when the peer is back.
 * - The stream ends with the first of a peer's connections, and it opens none on another that is left.
 */
import type { GossipSub } from "@libp2p/gossipsub";
import type { Connection, PeerId, Stream } from "@libp2p/interface";
import { bestConnection } from "../connecting/connected-peers.ts";
import type { Libp2pNode } from "../libp2p-node.ts";

/** What gossipsub keeps and does, and its types don't show. */
export type OpenGossip = GossipSub & {
  streamsOutbound: Map<string, { rawStream: Stream }>;
  createOutboundStream(peerId: PeerId, connection: Connection): Promise<void>;
  onPeerConnected(peerId: PeerId, connection: Connection): void;
};

/** `onOpen`: the peer can be sent to, of which gossipsub has no event. */
export function mendStreams(gossip: OpenGossip, node: Libp2pNode, onOpen: (peerId: PeerId) => void): void {
  const create = gossip.createOutboundStream.bind(gossip);
  /** The last of each peer's that are being opened. */
  const opening = new Map<string, Promise<void>>();

  async function open(peerId: PeerId, connection: Connection): Promise<void> {
    const id = peerId.toString();
    const wasOpen = gossip.streamsOutbound.has(id);
    await create(peerId, connection);
    const stream = gossip.streamsOutbound.get(id)?.rawStream;
    if (stream !== undefined && isOver(stream)) gossip.streamsOutbound.delete(id);
    if (!wasOpen && gossip.streamsOutbound.has(id)) onOpen(peerId);
  }

  /** Not waited for by gossipsub's queue. */
  gossip.createOutboundStream = async (peerId, connection) => {
    const id = peerId.toString();
    const opened = (opening.get(id) ?? Promise.resolve()).then(() => open(peerId, connection));
    opening.set(id, opened);
    void opened.finally(() => {
      if (opening.get(id) === opened) opening.delete(id);
    });
  };

  node.addEventListener("connection:close", ({ detail: { remotePeer } }) => {
    const left = bestConnection(node.getConnections(remotePeer));
    if (left !== undefined) gossip.onPeerConnected(remotePeer, left);
  });
}

/** One that is still closing tells its end itself. */
function isOver({ status }: Stream): boolean {
  return status !== "open" && status !== "closing";
}
