/** PCA: what its components are, how many adaptive keeps, and what becomes of vectors. */
import { expect, test } from "vitest";
import { fitModel } from "../../../src/vx/reduction/fit.ts";
import { decodeModel } from "../../../src/vx/reduction/model.ts";
import { clustered } from "../hnsw/vectors.ts";

const DIMENSION = 24;
const COUNT = 500;

function joined(rows: Float32Array[]): Float32Array {
  const all = new Float32Array(rows.length * DIMENSION);
  for (const [i, row] of rows.entries()) all.set(row, i * DIMENSION);
  return all;
}

const vectors = joined(clustered(COUNT, DIMENSION, 1));
const settings = { method: "pca", target: 8, adaptive: false, minVariance: 0.95 } as const;

test("reduces the vectors it was fitted to as it reduces them later, also once decoded", async () => {
  const { model, reduced } = await fitModel(vectors, DIMENSION, settings);
  expect(reduced).toHaveLength(COUNT * 8);
  expect(model.reduce(vectors)).toEqual(reduced);
  expect(decodeModel(model.encode()).reduce(vectors)).toEqual(reduced);
});
