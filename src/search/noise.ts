/**
 * How near a file must be to be a hit: nearer than texts are that have nothing in common, and nearer than strings that say
 * nothing are to the query or to the file. Each model has its own measure, from 0.1 to 0.7, so it is taken once with texts of our
 * own, unless it is known. Called by meaning; calls known-noise and the embedder.
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

/** What is typed without a meaning; what is like it is like every short text, too. */
const GIBBERISH = [
  ...["qzvkx jwpf", "fhgjdk", "wqpoeiru", "tzuiop"],
  ...["7f3a9c1e5b2d8046", "Zm9vYmFyIHF1eA", "83 17 5 902", "q7w2x9"],
  ...["?!", "- - -", "= + *", ":;,."],
  "😊 🚗 🌳",
];

export interface Noise {
  /** The similarity that a tenth of unrelated pairs reaches. */
  floor: number;
  /** The mean of gibberish's embeddings: its scalar product with a query is how near that is to gibberish. */
  gibberish: Float32Array;
}

/** @throws as Embedder.embed */
export async function noiseOf(embedder: Embedder, signal?: AbortSignal): Promise<Noise> {
  const { knownNoise } = await import("./known-noise.ts");
  return knownNoise(embedder.modelId) ?? (await measureNoise(embedder, signal));
}

export async function measureNoise(embedder: Embedder, signal?: AbortSignal): Promise<Noise> {
  const vectors = await embedder.embed([...QUERIES, ...PASSAGES, ...GIBBERISH], signal);
  const { dimension } = embedder;
  const vector = (i: number) => vectors.subarray(i * dimension, (i + 1) * dimension);
  const similarities = QUERIES.flatMap((_, q) =>
    PASSAGES.map((_, p) => dot(vector(q), vector(QUERIES.length + p))),
  ).sort((a, b) => a - b);
  const gibberish = new Float32Array(dimension);
  for (const at of GIBBERISH.keys()) {
    const one = vector(QUERIES.length + PASSAGES.length + at);
    for (const [i, value] of one.entries()) gibberish[i] = (gibberish[i] ?? 0) + value / GIBBERISH.length;
  }
  return { floor: similarities[Math.floor(similarities.length * 0.9)] ?? 0, gibberish };
}

/** The similarity at or below which a query finds nothing and a passage is not found, by the vector of either. */
export function floorOf(vector: Float32Array, { floor, gibberish }: Noise): number {
  return Math.max(floor, dot(vector, gibberish));
}

function dot(a: Float32Array, b: Float32Array): number {
  return a.reduce((sum, value, i) => sum + value * (b[i] ?? 0), 0);
}
