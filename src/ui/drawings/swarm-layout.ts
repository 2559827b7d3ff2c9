/**
 * Where the peers of a swarm stand around this node: on rings, evenly, in an order that a newcomer changes little.
 * Called by swarm-map; calls nothing.
 */
import { MAX_DRAWN_PEERS, MAX_PEERS_A_RING } from "./limits.ts";

export interface Place {
  /** From the middle, in halves of the drawing: -1 is its left or top edge, 1 its right or bottom one. */
  x: number;
  y: number;
}

/** Places of the peers by id. Those beyond MAX_DRAWN_PEERS have none. */
export function placesOf(peerIds: readonly string[]): Map<string, Place> {
  const drawn = [...peerIds].sort().slice(0, MAX_DRAWN_PEERS);
  const ringCount = Math.max(1, Math.ceil(drawn.length / MAX_PEERS_A_RING));
  const places = new Map<string, Place>();
  for (let ring = 0; ring < ringCount; ring++) {
    const onRing = drawn.filter((_, index) => index % ringCount === ring);
    const radius = ringCount === 1 ? 0.72 : 0.46 + (0.4 * ring) / (ringCount - 1);
    onRing.forEach((peerId, index) => {
      // Rings are turned against each other, so that no line runs through a peer of an inner ring.
      const turn = (index + ring / ringCount) / onRing.length;
      const angle = turn * 2 * Math.PI - Math.PI / 2 + Math.PI / 7;
      places.set(peerId, { x: radius * Math.cos(angle), y: radius * Math.sin(angle) });
    });
  }
  return places;
}

/** How strongly a flow is drawn: 0 none, 1 a trickle, 2 a stream (over 1 MB/s), 3 a flood (over 10 MB/s). */
export function flowStrength(bytesPerSecond: number): 0 | 1 | 2 | 3 {
  if (bytesPerSecond < 1024) return 0;
  if (bytesPerSecond < 1e6) return 1;
  return bytesPerSecond < 1e7 ? 2 : 3;
}
