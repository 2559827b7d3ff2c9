/**
 * Embeddings of the labelled documents' passages, kept in 8 bits: the benchmark makes and keeps them, so that a test need
 * not take the time of embedding them all. Of other passages or another model they are refused.
 */
import { createHash } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Library } from "./recall.ts";

const FILE = join(import.meta.dirname, "../fixtures/quality-vectors.json");

interface Kept {
  modelId: string;
  dimension: number;
  /** SHA-256 of the passages. */
  passages: string;
  /** Base64 of a signed byte a number, row by row, each row scaled to its largest. */
  vectors: string;
}

export async function keepVectors(
  { passages }: Library,
  { modelId, dimension, vectors }: { modelId: string; dimension: number; vectors: Float32Array },
): Promise<void> {
  const bytes = new Int8Array(vectors.length);
  for (let from = 0; from < vectors.length; from += dimension) {
    const row = vectors.subarray(from, from + dimension);
    const largest = row.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
    bytes.set(
      row.map((value) => Math.round((value / largest) * 127)),
      from,
    );
  }
  const text = Buffer.from(bytes.buffer).toString("base64");
  const kept: Kept = { modelId, dimension, passages: digestOf(passages), vectors: text };
  await writeFile(FILE, `${JSON.stringify(kept, null, 2)}\n`);
}

/** Of unit length. @throws Error where they are of other passages or another model */
export async function keptVectors({ passages }: Library, modelId: string): Promise<Float32Array> {
  const kept: Kept = JSON.parse(await readFile(FILE, "utf8"));
  if (kept.modelId !== modelId || kept.passages !== digestOf(passages)) {
    throw new Error("The kept embeddings are of other passages or another model: npm run bench search");
  }
  const vectors = Float32Array.from(new Int8Array(Buffer.from(kept.vectors, "base64")));
  for (let from = 0; from < vectors.length; from += kept.dimension) {
    const row = vectors.subarray(from, from + kept.dimension);
    const length = Math.hypot(...row);
    row.set(row.map((value) => value / length));
  }
  return vectors;
}

function digestOf(passages: Library["passages"]): string {
  const hash = createHash("sha256");
  for (const { name, text } of passages) hash.update(JSON.stringify([name, text]));
  return hash.digest("hex");
}
