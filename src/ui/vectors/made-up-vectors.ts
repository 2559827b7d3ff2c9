/** Vectors to try the index with: clusters, each with a name in the metadata. Called by empty-index; calls nothing. */
import type { NewVector } from "../../client/vx-client.ts";
import { MADE_UP_VECTORS } from "./limits.ts";

const SHOALS = ["herring", "sardine", "mackerel", "anchovy", "sprat"];

/** How far a vector strays from its cluster's middle, against the distance between middles. */
const SPREAD = 0.45;

export function madeUpVectors(dimension: number): NewVector[] {
  const middles = SHOALS.map(() => direction(dimension));
  return Array.from({ length: MADE_UP_VECTORS }, (_, id) => {
    const shoal = id % SHOALS.length;
    const stray = direction(dimension);
    const vector = (middles[shoal] ?? []).map((value, at) => value + SPREAD * (stray[at] ?? 0));
    return {
      id: id + 1,
      vector,
      metadata: {
        name: `${SHOALS[shoal]} ${Math.floor(id / SHOALS.length) + 1}`,
        kind: SHOALS[shoal],
        length_cm: Math.round(80 + 320 * Math.random()) / 10,
      },
    };
  });
}

/** A random unit vector: sums of uniforms are near enough to normal. */
function direction(dimension: number): number[] {
  const values = Array.from({ length: dimension }, () => Math.random() + Math.random() + Math.random() - 1.5);
  const length = Math.hypot(...values) || 1;
  return values.map((value) => value / length);
}
