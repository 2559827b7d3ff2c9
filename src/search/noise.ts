/**
 * How similar texts are to a model that have nothing in common: what is no nearer to a query is no hit. Each model has its
 * own, from 0.1 to 0.7, so it is measured once with texts of our own. Called by meaning; calls the embedder.
 */
import type { Embedder } from "./embedding/embedder.ts";

/** As people search, and what could stand in files; no query is about any of the passages. */
const QUERIES = [
  "how to bake bread",
  "tax return 2023",
  "football results",
  "guitar chords",
  "dentist appointment",
  "train timetable",
];
const PASSAGES = [
  "The telescope's primary mirror is made of 18 hexagonal segments of gold-plated beryllium.",
  "Returns the index of the first element for which the predicate holds, or -1 if there is none.",
  "She had left the village before dawn and did not look back until the river was behind her.",
  "IMG 4127, image",
  "Symptoms of the plant disease are yellow spots on the upper side of older leaves.",
  "Chapter three deals with the treaty of 1648 and what it meant for smaller states.",
];

/** The similarity that a tenth of unrelated pairs reaches. */
export async function noiseFloor(embedder: Embedder, signal?: AbortSignal): Promise<number> {
  const vectors = await embedder.embed([...QUERIES, ...PASSAGES], signal);
  const { dimension } = embedder;
  const vector = (i: number) => vectors.subarray(i * dimension, (i + 1) * dimension);
  const similarities = QUERIES.flatMap((_, q) =>
    PASSAGES.map((_, p) => dot(vector(q), vector(QUERIES.length + p))),
  ).sort((a, b) => a - b);
  return similarities[Math.floor(similarities.length * 0.9)] ?? 0;
}

function dot(a: Float32Array, b: Float32Array): number {
  return a.reduce((sum, value, i) => sum + value * (b[i] ?? 0), 0);
}
