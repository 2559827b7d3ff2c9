/** Fitting as its caller sees it: what it refuses, how it tells its progress, ends when told to, and lets others work. */
import { setImmediate } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { fitModel } from "../../../src/vx/reduction/fit.ts";
import type { ReductionSettings } from "../../../src/vx/reduction/model.ts";
import { DIMENSION, digits } from "./digits.ts";

const settings: ReductionSettings = { method: "pca", target: 2, adaptive: false, minVariance: 0.95 };
const umap: ReductionSettings = { ...settings, method: "umap" };

test.each([
  { why: "a target of 0", settings: { target: 0 }, code: "invalid_request" },
  { why: "a target above the dimension", settings: { target: 65 }, code: "invalid_request" },
  { why: "a target that is no integer", settings: { target: 1.5 }, code: "invalid_request" },
  { why: "more variance than there is", settings: { minVariance: 1.1 }, code: "invalid_request" },
  { why: "no number of variance", settings: { minVariance: Number.NaN }, code: "invalid_request" },
])("refuses $why", async ({ settings: wrong, code }) => {
  await expect(fitModel(digits, DIMENSION, { ...settings, ...wrong })).rejects.toMatchObject({ code });
});

test("refuses vectors of more numbers than it reduces", async () => {
  const long = fitModel(new Float32Array(2 * 4097), 4097, settings);
  await expect(long).rejects.toMatchObject({
    code: "invalid_request",
    message: expect.stringMatching(/from 1 to 4096/),
  });
});

test("refuses vectors that cannot be fitted to", async () => {
  const fitted = (vectors: Float32Array) => fitModel(vectors, 4, settings);
  await expect(fitted(new Float32Array(6))).rejects.toMatchObject({ code: "dimension_mismatch" });
  await expect(fitted(new Float32Array(4))).rejects.toMatchObject({ code: "invalid_request" });
  const infinite = new Float32Array(8).fill(1);
  infinite[5] = Number.POSITIVE_INFINITY;
  await expect(fitted(new Float32Array(8).map((_, i) => i * 1e30))).rejects.toThrow(/too large/);
  await expect(fitted(infinite)).rejects.toMatchObject({ code: "invalid_vector" });
});

test("refuses to reduce what it cannot", async () => {
  for (const method of ["pca", "umap", "tsne"] as const) {
    const { model } = await fitModel(digits.slice(0, DIMENSION * 20), DIMENSION, { ...settings, method });
    const wrong = new Float32Array(DIMENSION).fill(Number.NaN);
    expect(() => model.reduce(wrong)).toThrow(expect.objectContaining({ code: "invalid_vector" }));
    expect(() => model.reduce(new Float32Array(63))).toThrow(/expected 64, got 63/);
    expect(model.reduce(new Float32Array(0))).toHaveLength(0);
  }
});

describe("a fit under way", () => {
  const some = digits.slice(0, 500 * DIMENSION);

  test("tells its progress, ever more, up to 1", async () => {
    const told: number[] = [];
    await fitModel(some, DIMENSION, umap, { onProgress: (fraction) => told.push(fraction) });
    expect(told.length).toBeGreaterThan(3);
    expect(told).toEqual(told.toSorted((a, b) => a - b));
    expect(told.at(-1)).toBe(1);
    expect(told.filter((fraction) => fraction === 1)).toHaveLength(1);
  });

  test("lets others of its thread work", async () => {
    let turns = 0;
    let isOver = false;
    const fitted = fitModel(some, DIMENSION, umap).finally(() => {
      isOver = true;
    });
    while (!isOver) {
      await setImmediate();
      turns++;
    }
    await fitted;
    expect(turns).toBeGreaterThan(5);
  });

  test.each(["umap", "tsne"] as const)("ends with the reason it is given, in %s", async (method) => {
    const stop = new AbortController();
    const reason = new Error("enough");
    const fitted = fitModel(
      digits,
      DIMENSION,
      { ...settings, method, target: 40 },
      {
        signal: stop.signal,
        onProgress: () => stop.abort(reason),
      },
    );
    await expect(fitted).rejects.toBe(reason);
  });

  test("does not begin where it was aborted before", async () => {
    const signal = AbortSignal.abort(new Error("before"));
    await expect(fitModel(some, DIMENSION, umap, { signal })).rejects.toThrow("before");
  });
});
