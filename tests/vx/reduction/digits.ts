/** The digits and what scikit-learn and umap-learn make of them (fixtures/reduction), and how good a layout of them is. */
import { readFileSync } from "node:fs";

interface Oracle {
  /** Neighbours that trustworthiness looks at. */
  neighbours: number;
  /** How many of the digits, the first, were laid out. */
  laidOut: number;
  /** Share of the variance along each component. */
  explained: number[];
  components: number[][];
  trustworthiness: Record<"tsne2" | "tsne3" | "tsne5" | "umap2" | "umap5", number>;
}

const folder = new URL("../../fixtures/reduction/", import.meta.url);

export const DIMENSION = 64;

export const oracle = JSON.parse(readFileSync(new URL("oracle.json", folder), "utf8")) as Oracle;

/** Row-major [1797, 64], grey values from 0 to 16. */
export const digits = Float32Array.from(readFileSync(new URL("digits.u8", folder)));

/**
 * How far the nearest in a layout are near in the original too, 0 to 1: less for each neighbour there by how many steps it
 * is too far away here (Venna and Kaski, 2001). Row-major [count, dimension] and [count, target].
 */
export function trustworthiness(
  vectors: Float32Array,
  places: Float32Array,
  dimension: number,
  k = oracle.neighbours,
): number {
  const count = vectors.length / dimension;
  const target = places.length / count;
  let penalty = 0;
  for (let row = 0; row < count; row++) {
    const here = squaresFrom(vectors, dimension, row);
    const there = squaresFrom(places, target, row);
    const ranked = Array.from(there.keys()).filter((other) => other !== row);
    const near = ranked.sort((a, b) => (there[a] as number) - (there[b] as number)).slice(0, k);
    for (const other of near) {
      const reach = here[other] as number;
      const nearer = here.reduce((sum, square, i) => sum + Number(square < reach && i !== row), 0);
      penalty += Math.max(0, nearer + 1 - k);
    }
  }
  return 1 - (2 * penalty) / (count * k * (2 * count - 3 * k - 1));
}

function squaresFrom(rows: Float32Array, width: number, row: number): Float64Array {
  return Float64Array.from({ length: rows.length / width }, (_, other) => {
    let sum = 0;
    for (let i = 0; i < width; i++) {
      sum += ((rows[row * width + i] as number) - (rows[other * width + i] as number)) ** 2;
    }
    return sum;
  });
}
