/** Words for a peer. Called by the screens that name peers. */
import { shortId } from "../elements/quantities.ts";
import type { Peer } from "../state/entries.ts";

/** What the peer says that it is called, or else its id. */
export function peerName({ id, name }: Pick<Peer, "id" | "name">): string {
  return name ?? shortId(id);
}

/** How bytes travel, as a person asks it: straight, or through somebody. */
export const TRANSPORT_WORDS: Record<Peer["transport"], string> = {
  tcp: "TCP, direct",
  websocket: "WebSocket, direct",
  webrtc: "WebRTC, direct",
  "webrtc-direct": "WebRTC, direct",
  relay: "through a relay",
};
