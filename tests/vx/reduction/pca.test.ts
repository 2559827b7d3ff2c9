/** PCA: its components against scikit-learn's and against what defines them, how many adaptive keeps, odd shapes. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { fitModel } from "../../../src/vx/reduction/fit.ts";
import { decodeModel, type ReductionSettings } from "../../../src/vx/reduction/model.ts";
import { DIMENSION, digits, oracle } from "./digits.ts";

const pca = (target: number, more: Partial<ReductionSettings> = {}): ReductionSettings => {
  return { method: "pca", target, adaptive: false, minVariance: 0.95, ...more };
};

/** Reduced vectors column by column. */
function columnsOf(reduced: Float32Array, target: number): number[][] {
  return Array.from({ length: target }, (_, d) => [...reduced].filter((_, i) => i % target === d));
}

function productOf(a: number[], b: number[]): number {
  return a.reduce((sum, x, i) => sum + x * (b[i] as number), 0);
}

test("finds scikit-learn's components of the digits, but for their signs", async () => {
  const { model } = await fitModel(digits, DIMENSION, pca(oracle.components.length));
  // The origin and each unit vector, reduced, are the model's components.
  const units = new Float32Array(DIMENSION * (DIMENSION + 1));
  for (let i = 0; i < DIMENSION; i++) units[(i + 1) * DIMENSION + i] = 1;
  const columns = columnsOf(model.reduce(units), model.target);
  for (const [i, expected] of oracle.components.entries()) {
    const [origin = 0, ...rest] = columns[i] as number[];
    const component = rest.map((x) => x - origin);
    expect(Math.abs(productOf(component, expected))).toBeCloseTo(1, 5);
    expect(Math.max(...component)).toBe(Math.max(...component.map(Math.abs)));
  }
});

test("reduces the vectors it was fitted to as it reduces them later, also once decoded", async () => {
  const { model, reduced } = await fitModel(digits, DIMENSION, pca(9));
  expect(reduced).toHaveLength((digits.length / DIMENSION) * 9);
  expect(model.reduce(digits)).toEqual(reduced);
  expect(decodeModel(model.encode()).reduce(digits)).toEqual(reduced);
  const one = digits.slice(70 * DIMENSION, 71 * DIMENSION);
  expect(model.reduce(one)).toEqual(reduced.slice(70 * 9, 71 * 9));
});

test.each([0, 0.5, 0.9, 0.99])(
  "keeps the fewest components that explain %d of the variance",
  async (share) => {
    const { model } = await fitModel(digits, DIMENSION, pca(2, { adaptive: true, minVariance: share }));
    let explained = 0;
    const fewest = oracle.explained.findIndex((part) => {
      explained += part;
      return explained >= share;
    });
    expect(model.target).toBe(fewest + 1);
  },
);

test("keeps as many components as are wanted at least, as far as there are as many", async () => {
  const least = { adaptive: true, minVariance: 0 };
  const { model } = await fitModel(digits, DIMENSION, pca(2, { ...least, minTarget: 3 }));
  expect(model.target).toBe(3);
  const plain = await fitModel(Float32Array.of(1, 2, 4), 1, pca(1, { ...least, minTarget: 2 }));
  expect(plain.model.target).toBe(1);
});

test("keeps no component that explains nothing when all variance is asked for", async () => {
  // Three of the digits' 64 grey values are 0 in all of them.
  const { model } = await fitModel(digits, DIMENSION, pca(2, { adaptive: true, minVariance: 1 }));
  expect(model.target).toBe(61);
});

test("keeps one component of equal vectors, or as many as are wanted at least", async () => {
  const equal = new Float32Array(40).fill(3);
  for (const minTarget of [1, 2]) {
    const adaptive = { adaptive: true, minTarget };
    expect((await fitModel(equal, 4, pca(3, adaptive))).model.target).toBe(minTarget);
  }
});

test("keeps distances and leaves columns uncorrelated, largest variance first, in every shape", async () => {
  const shape = fc.record({
    dimension: fc.integer({ min: 1, max: 40 }),
    // Of one block of rows, or of several, the last of which is shorter.
    count: fc.oneof(fc.integer({ min: 2, max: 60 }), fc.integer({ min: 257, max: 600 })),
    seed: fc.integer({ min: 1, max: 1e6 }),
  });
  await fc.assert(
    fc.asyncProperty(shape, async ({ dimension, count, seed }) => {
      const vectors = Float32Array.from({ length: count * dimension }, (_, i) => {
        return 5 + Math.sin(seed * 7919 + i * i * 0.7) * (1 + (i % dimension));
      });
      const { model, reduced } = await fitModel(vectors, dimension, pca(dimension));
      expect(model.reduce(vectors)).toEqual(reduced);
      const columns = columnsOf(reduced, dimension);
      const scale = productOf(columns[0] as number[], columns[0] as number[]);
      for (const [i, column] of columns.entries()) {
        const own = productOf(column, column) / scale;
        const worst = columns.slice(0, i).map((before) => {
          const other = productOf(before, before) / scale;
          return Math.max(Math.abs(productOf(column, before)) / scale, own - other);
        });
        expect(Math.max(0, ...worst)).toBeLessThan(1e-4);
        expect(column.reduce((sum, x) => sum + x, 0) / Math.sqrt(scale)).toBeCloseTo(0, 3);
      }
      const distance = (rows: Float32Array, a: number, b: number) => {
        const [x, y] = [a, b].map((row) => rows.subarray(row * dimension, (row + 1) * dimension));
        return Math.hypot(...[...(x ?? [])].map((value, i) => value - (y?.[i] as number)));
      };
      expect(distance(reduced, 0, count - 1)).toBeCloseTo(distance(vectors, 0, count - 1), 3);
    }),
    { numRuns: 40 },
  );
});

test("brings equal vectors to the origin", async () => {
  const { model, reduced } = await fitModel(new Float32Array(40).fill(3), 4, pca(2));
  expect(reduced).toEqual(new Float32Array(20));
  expect(model.reduce(Float32Array.of(3, 3, 3, 3))).toEqual(new Float32Array(2));
});
