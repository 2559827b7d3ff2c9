/** t-SNE and UMAP on the digits: as trustworthy as scikit-learn and umap-learn, repeatable, and what becomes of new vectors. */
import { beforeAll, describe, expect, test, vi } from "vitest";
import { fitModel } from "../../../src/vx/reduction/fit.ts";
import { decodeModel, type ReductionModel, type ReductionSettings } from "../../../src/vx/reduction/model.ts";
import { DIMENSION, digits, oracle, trustworthiness } from "./digits.ts";

// A second of one processor each, which is many on a busy machine.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const some = digits.slice(0, oracle.laidOut * DIMENSION);

function settings(method: ReductionSettings["method"], target: number): ReductionSettings {
  return { method, target, adaptive: false, minVariance: 0.95 };
}

test.each([
  { method: "tsne", target: 2, of: oracle.trustworthiness.tsne2 },
  { method: "tsne", target: 3, of: oracle.trustworthiness.tsne3 },
  { method: "tsne", target: 5, of: oracle.trustworthiness.tsne5 },
  { method: "umap", target: 2, of: oracle.trustworthiness.umap2 },
  { method: "umap", target: 5, of: oracle.trustworthiness.umap5 },
] as const)(
  "lays out by $method in $target dimensions as its oracle does: $of",
  async ({ method, target, of }) => {
    const { reduced } = await fitModel(some, DIMENSION, settings(method, target));
    expect(trustworthiness(some, reduced, DIMENSION)).toBeGreaterThan(of - 0.02);
  },
);

describe.each(["tsne", "umap"] as const)("%s", (method) => {
  const few = digits.slice(0, 250 * DIMENSION);
  let model: ReductionModel;
  let reduced: Float32Array;

  beforeAll(async () => {
    ({ model, reduced } = await fitModel(few, DIMENSION, settings(method, 2)));
  });

  test("gives the same layout for the same vectors, reduces them to it, and is the same once decoded", async () => {
    const again = await fitModel(few, DIMENSION, settings(method, 2));
    expect(again.reduced).toEqual(reduced);
    expect(model.reduce(few)).toEqual(reduced);
    const decoded = decodeModel(model.encode());
    expect(decoded.encode()).toEqual(model.encode());
    expect(decoded).toMatchObject({ method, dimension: DIMENSION, target: 2 });
    expect(decoded.reduce(few)).toEqual(reduced);
    const prepared = decodeModel(model.encode());
    await prepared.prepare();
    expect(prepared.reduce(few)).toEqual(reduced);
  });

  test("places what is new among what is like it", async () => {
    const fresh = digits.slice(250 * DIMENSION, 500 * DIMENSION);
    const together = new Float32Array(500 * DIMENSION);
    together.set(few);
    together.set(fresh, few.length);
    const places = new Float32Array(500 * 2);
    places.set(reduced);
    places.set(model.reduce(fresh), reduced.length);
    expect(trustworthiness(together, places, DIMENSION)).toBeGreaterThan(0.95);
  });

  test("is fitted to very few, to equal ones and to all but equal ones", async () => {
    for (const count of [2, 3, 20]) {
      const equal = new Float32Array(count * 6).fill(2);
      const scattered = Float32Array.from({ length: count * 6 }, (_, i) => Math.sin(i * i));
      const apart = equal.map((x, i) => (i < 6 ? x + 1 : x));
      for (const vectors of [equal, scattered, apart]) {
        for (const target of [1, 2, 4]) {
          const small = await fitModel(vectors, 6, settings(method, target));
          expect(small.reduced).toHaveLength(count * target);
          expect(small.reduced.every(Number.isFinite)).toBe(true);
        }
      }
    }
  });

  test("takes as many dimensions as the variance wants, where it is adaptive", async () => {
    const adaptive = { ...settings(method, 2), adaptive: true, minVariance: 0.2 };
    const pca = await fitModel(few, DIMENSION, { ...adaptive, method: "pca" });
    const chosen = await fitModel(few, DIMENSION, adaptive);
    expect(chosen.model.target).toBe(pca.model.target);
  });
});
