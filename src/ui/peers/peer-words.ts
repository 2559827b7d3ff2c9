/** Words for a peer. Called by the screens that name peers. */
import { byName } from "../elements/by-name.ts";
import { shortId } from "../elements/quantities.ts";
import type { Peer } from "../state/entries.ts";

/** What the peer says that it is called, or else its id. */
export function peerName({ id, name }: Pick<Peer, "id" | "name">): string {
  return name ?? shortId(id);
}

/** The order of peers that a person looks for by name: those who have none come last. */
export function namedFirst(one: Pick<Peer, "id" | "name">, other: Pick<Peer, "id" | "name">): number {
  const rank = ({ name }: Pick<Peer, "name">) => (name === null ? 1 : 0);
  return rank(one) - rank(other) || byName({ name: peerName(one) }, { name: peerName(other) });
}

/** How bytes travel, as a person asks it: straight, or through somebody. */
export const TRANSPORT_WORDS: Record<Peer["transport"], string> = {
  tcp: "TCP, direct",
  websocket: "WebSocket, direct",
  webrtc: "WebRTC, direct",
  "webrtc-direct": "WebRTC, direct",
  relay: "through a relay",
};
