/**
 * Who dials when two nodes hear of each other at the same moment: both would, and two pages then pay for two circuits
 * through their relay and two WebRTC handshakes. The one that started later dials, and the other waits for it a while,
 * so that one that can't dial is dialled all the same. Called by hearing and the dialer.
 */
import type { Connection, PeerId } from "@libp2p/interface";
import type { Multiaddr } from "@multiformats/multiaddr";
import { isRelayed } from "../announcing/author-addresses.ts";
import type { Libp2pNode } from "../libp2p-node.ts";
import { MEETING_PATIENCE_MS } from "./limits.ts";

/** A node's peer id, and when it started, in milliseconds since 1970. */
interface Start {
  peerId: string;
  epoch: number;
}

/**
 * Whether `other`, who is met at these addresses, is the one of the two that dials: the answer is the same on both sides. Only
 * where a dial is dear, through a relay: others are over before they could cross.
 */
export function isLeftToDial(own: Start, other: Start, addresses: Multiaddr[]): boolean {
  const startedLater = other.epoch > own.epoch || (other.epoch === own.epoch && other.peerId > own.peerId);
  return startedLater && addresses.length > 0 && addresses.every(isRelayed);
}

/** The first connection to the peer that `isWanted`, open already or to come; undefined when patience or signal end before. */
export function untilConnected(
  node: Pick<Libp2pNode, "getConnections" | "addEventListener" | "removeEventListener">,
  peerId: PeerId,
  isWanted: (connection: Connection) => boolean,
  { signal, patienceMs = MEETING_PATIENCE_MS }: { signal: AbortSignal; patienceMs?: number },
): Promise<Connection | undefined> {
  const over = AbortSignal.any([signal, AbortSignal.timeout(patienceMs)]);
  return new Promise((resolve) => {
    const end = (connection?: Connection) => {
      node.removeEventListener("connection:open", onOpen);
      over.removeEventListener("abort", onAbort);
      resolve(connection);
    };
    const onAbort = () => end();
    const onOpen = ({ detail }: CustomEvent<Connection>) => {
      if (detail.remotePeer.equals(peerId) && isWanted(detail)) end(detail);
    };
    node.addEventListener("connection:open", onOpen);
    over.addEventListener("abort", onAbort);
    const open = node.getConnections(peerId).find((it) => it.status === "open" && isWanted(it));
    if (open !== undefined || over.aborted) end(open);
  });
}
