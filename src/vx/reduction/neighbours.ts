/**
 * Nearest neighbours among fitted vectors, by the index's own graph. Called by the fits of t-SNE and UMAP, and by their
 * models to place what is new. Rows are the graph's ids; distances are Euclidean.
 */
import { HnswGraph } from "../hnsw/hnsw-graph.ts";
import type { Progress } from "./progress.ts";

/** Candidates of an insertion, the index's default. */
const EF_CONSTRUCTION = 200;

/**
 * Candidates of a search, for each neighbour wanted, and at least: several times what most vectors need, for those of words lie
 * so evenly that layouts show each neighbour that was missed.
 */
const EF_PER_NEIGHBOUR = 4;
const MIN_EF = 400;

export interface NearestRows {
  /** Neighbours of each row. */
  k: number;
  /** Row-major [count, k], nearest first. */
  rows: Uint32Array;
  distances: Float32Array;
}

/** A graph that has yet to be filled. */
export function emptyGraph(dimension: number): HnswGraph {
  return new HnswGraph({ dimension, metric: "l2", efConstruction: EF_CONSTRUCTION });
}

/** A graph of row-major vectors. @throws VxError `invalid_vector`, `capacity_exceeded` */
export async function graphOf(
  vectors: Float32Array,
  dimension: number,
  progress: Progress,
): Promise<HnswGraph> {
  const graph = emptyGraph(dimension);
  const count = vectors.length / dimension;
  for (let row = 0; row < count; row++) {
    graph.add(row, vectors.subarray(row * dimension, (row + 1) * dimension));
    await progress.at(row / count);
  }
  return graph;
}

/** The k nearest, fewer where fewer are held. */
export function nearest(graph: HnswGraph, vector: Float32Array, k: number) {
  return graph.search(vector, k, { ef: Math.max(MIN_EF, Math.ceil(k * EF_PER_NEIGHBOUR)) });
}

/** The k nearest of every row but itself; the graph holds more than k rows. */
export async function nearestRows(
  graph: HnswGraph,
  vectors: Float32Array,
  k: number,
  progress: Progress,
): Promise<NearestRows> {
  const { dimension, count } = graph;
  const rows = new Uint32Array(count * k);
  const distances = new Float32Array(count * k);
  for (let row = 0; row < count; row++) {
    const found = nearest(graph, vectors.subarray(row * dimension, (row + 1) * dimension), k + 1);
    // Where many are equal, it may not be among its own nearest: then the last one is left out.
    let to = row * k;
    for (let i = 0; i < found.ids.length && to < (row + 1) * k; i++) {
      const other = Number(found.ids[i]);
      if (other === row) continue;
      rows[to] = other;
      distances[to] = found.distances[i] as number;
      to++;
    }
    await progress.at(row / count);
  }
  return { k, rows, distances };
}
