/**
 * Gives each peer one of the theme's peer colours, in the order in which peers are first seen, so that all drawings and
 * lists agree. Called by the drawings and by lists of peers; calls nothing.
 */
import { MAX_REMEMBERED_PEERS, PEER_HUES } from "./limits.ts";

/** Oldest first. */
const hueByPeer = new Map<string, number>();
let nextHue = 0;

/** Which of the theme's peer colours, from 1. */
export function peerHue(peerId: string): number {
  const known = hueByPeer.get(peerId);
  if (known !== undefined) return known;
  const hue = (nextHue % PEER_HUES) + 1;
  nextHue += 1;
  hueByPeer.set(peerId, hue);
  const [oldest] = hueByPeer.keys();
  if (hueByPeer.size > MAX_REMEMBERED_PEERS && oldest !== undefined) hueByPeer.delete(oldest);
  return hue;
}

/** A CSS colour. */
export function peerColour(peerId: string): string {
  return `var(--peer-${peerHue(peerId)})`;
}
