/** Words for a peer. Called by the screens that name peers. */
import { calledName } from "../../client/called-name.ts";
import { byName } from "../elements/by-name.ts";
import type { Peer } from "../state/entries.ts";

/** The order of peers that a person looks for by name: those who gave themselves none come last. */
export function namedFirst(one: Pick<Peer, "id" | "name">, other: Pick<Peer, "id" | "name">): number {
  const rank = ({ name }: Pick<Peer, "name">) => (name === null ? 1 : 0);
  return rank(one) - rank(other) || byName({ name: calledName(one) }, { name: calledName(other) });
}

/** How bytes travel, as a person asks it: straight, or through somebody. */
export const TRANSPORT_WORDS: Record<Peer["transport"], string> = {
  tcp: "TCP, direct",
  websocket: "WebSocket, direct",
  webrtc: "WebRTC, direct",
  "webrtc-direct": "WebRTC, direct",
  relay: "through a relay",
};

/** How a file comes from those peers, as far as all of them are connected. */
export function wayText(
  holders: readonly string[],
  peers: readonly Pick<Peer, "id" | "transport">[],
): string {
  const ways = holders.map((id) => peers.find((peer) => peer.id === id)?.transport);
  if (ways.includes(undefined)) return "";
  if (!ways.includes("relay")) return "It comes straight from them to you.";
  if (ways.every((way) => way === "relay")) return "It comes from them to you through a relay.";
  return "It comes from them to you, in part through a relay.";
}
