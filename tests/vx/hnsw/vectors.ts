/** Vectors for the graph's tests, the same at every run, and how much of the truth a search finds. */
import type { Neighbours, VectorGraph } from "../../../src/vx/hnsw/graph.ts";
import type { HnswGraph } from "../../../src/vx/hnsw/hnsw-graph.ts";
import { randomOf } from "../../../src/vx/reduction/random.ts";

/** A normally distributed number. */
function normal(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

/** Vectors around `clusters` centres, in turn: vector i belongs to cluster i % clusters. */
export function clustered(count: number, dimension: number, seed: number, clusters = 20): Float32Array[] {
  const random = randomOf(seed);
  const centres = Array.from({ length: clusters }, () =>
    Array.from({ length: dimension }, () => normal(random)),
  );
  return Array.from({ length: count }, (_, i) =>
    Float32Array.from(centres[i % clusters] ?? [], (centre) => centre + 0.6 * normal(random)),
  );
}

/** Vectors with no structure at all: the hard case. */
export function scattered(count: number, dimension: number, seed: number): Float32Array[] {
  const random = randomOf(seed);
  return Array.from({ length: count }, () => Float32Array.from({ length: dimension }, () => normal(random)));
}

/** Adds vectors to every graph under the ids from `firstId` on. */
export function addAll(graphs: VectorGraph[], vectors: Float32Array[], firstId = 0): void {
  for (const graph of graphs) for (const [i, vector] of vectors.entries()) graph.add(firstId + i, vector);
}

/** The share of true results that were found, where any as near as the farthest true one counts. */
export function recallOf(found: Neighbours[], truth: Neighbours[]): number {
  let hits = 0;
  let wanted = 0;
  for (const [i, { distances }] of truth.entries()) {
    const farthest = (distances.at(-1) ?? 0) * (1 + 1e-5) + 1e-6;
    wanted += distances.length;
    hits += found[i]?.distances.filter((distance) => distance <= farthest).length ?? 0;
  }
  return hits / wanted;
}

/** Results as plain data. */
export function listOf({ ids, distances }: Neighbours): { id: bigint; distance: number }[] {
  return Array.from(ids, (id, i) => ({ id, distance: distances[i] ?? Number.NaN }));
}

/** Where each slot leads to on level 0. */
export function linksOf(graph: HnswGraph): Uint32Array[] {
  const { parts, release } = graph.exportState();
  const part = parts.find(({ name }) => name === "links");
  const links = new Uint32Array((part?.byteLength ?? 0) / 4);
  part?.read(0, new Uint8Array(links.buffer));
  release();
  const length = links.length / graph.slotLimit;
  return Array.from({ length: graph.slotLimit }, (_, slot) =>
    links.subarray(slot * length, (slot + 1) * length).filter((to) => to < graph.slotLimit),
  );
}
