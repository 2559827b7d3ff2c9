/** The kernel's loops against what they stand for: eigenvectors by their equation, the tree against all pairs. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { Kernel, padded } from "../../../src/vx/reduction/kernel.ts";
import { startProgress } from "../../../src/vx/reduction/progress.ts";
import { randomOf, sampleOf } from "../../../src/vx/reduction/random.ts";
import { symmetric } from "../../../src/vx/reduction/sparse.ts";
import { symmetricEigen } from "../../../src/vx/reduction/symmetric-eigen.ts";

const progress = startProgress({});

test("finds values and vectors that a symmetric matrix only stretches", async () => {
  const shape = fc.record({
    n: fc.integer({ min: 1, max: 30 }),
    seed: fc.integer({ min: 1, max: 1e6 }),
    kind: fc.constantFrom("dense", "diagonal", "equal", "zero", "tiny"),
  });
  await fc.assert(
    fc.asyncProperty(shape, async ({ n, seed, kind }) => {
      const random = randomOf(seed);
      const stride = padded(n, 8);
      const kernel = new Kernel();
      const address = kernel.take(stride * n * 8);
      const matrix = kernel.doubles(address, stride * n);
      for (let i = 0; i < n; i++) {
        for (let j = 0; j <= i; j++) {
          const value = { dense: random() - 0.5, diagonal: 0, equal: 1, zero: 0, tiny: random() * 1e-90 }[
            kind
          ];
          matrix[i * stride + j] = kind === "diagonal" && i === j ? random() : value;
          matrix[j * stride + i] = matrix[i * stride + j] as number;
        }
      }
      const before = matrix.slice();
      const { values, vectors } = await symmetricEigen(kernel, { address, size: n }, progress);
      const rows = await vectors(n);
      const scale = Math.max(...before.map(Math.abs), Number.MIN_VALUE) * n;
      expect(values).toEqual(values.toSorted((a, b) => b - a));
      let error = 0;
      for (let v = 0; v < n; v++) {
        const vector = rows.subarray(v * n, (v + 1) * n);
        error = Math.max(error, Math.abs(Math.hypot(...vector) - 1));
        for (let i = 0; i < n; i++) {
          const image = vector.reduce((sum, x, j) => sum + x * (before[i * stride + j] as number), 0);
          error = Math.max(error, Math.abs(image - (values[v] as number) * (vector[i] as number)) / scale);
        }
      }
      expect(error).toBeLessThan(1e-11);
    }),
    { numRuns: 100 },
  );
});

test.each([
  { target: 1, freedom: 1 },
  { target: 2, freedom: 1 },
  { target: 3, freedom: 2 },
])("pushes by the tree as by all pairs, in $target dimensions", ({ target, freedom }) => {
  const random = randomOf(3);
  for (const count of [1, 2, 3, 5, 400, 403]) {
    const rows = new Float32Array(count * 4);
    for (let i = 0; i < rows.length; i++) if (i % 4 < target) rows[i] = Math.round(random() * 200) / 10;
    // Some at one place.
    rows.copyWithin(4, 0, Math.min(count - 1, 3) * 4);
    const kernel = new Kernel();
    const places = kernel.put(rows);
    const [byTree, byPairs] = [kernel.take(count * 16), kernel.take(count * 16)];
    const cells = kernel.take(count * 25 * 32);
    const bytes = kernel.loops.growTree(
      places,
      count,
      0.2,
      kernel.take(count * 4),
      kernel.take(count * 4),
      cells,
    );
    expect(bytes).toBeLessThanOrEqual(count * 25 * 32);
    const total = kernel.loops.repelByTree(cells, bytes, 0, count, freedom, byTree);
    const groups = new Float32Array(padded(count, 4) * target).fill(1e18);
    for (let row = 0; row < count; row++) {
      for (let d = 0; d < target; d++) {
        groups[(row >> 2) * target * 4 + d * 4 + (row & 3)] = rows[row * 4 + d] as number;
      }
    }
    const all = kernel.loops.repelAll(
      ...([places, 16, kernel.put(groups), target, count, 0, count, freedom] as const),
      kernel.take(64),
      byPairs,
    );
    expect(total / all).toBeCloseTo(1, 2);
    const [tree, pairs] = [byTree, byPairs].map((address) => kernel.floats(address, count * 4)) as [
      Float32Array,
      Float32Array,
    ];
    const largest = pairs.reduce((most, x) => Math.max(most, Math.abs(x)), 1e-9);
    for (const [i, push] of tree.entries())
      expect((push - (pairs[i] as number)) / largest).toBeCloseTo(0, 1.5);
  }
});

test("joins what two rows weigh each other, in the order of columns", async () => {
  const nearest = { k: 2, rows: Uint32Array.of(2, 1, 0, 2, 1, 3, 0, 1), distances: new Float32Array(8) };
  const weights = Float32Array.of(1, 2, 4, 8, 16, 32, 64, 128);
  const joined = await symmetric(nearest, weights, (a, b) => a + b, progress);
  const rows = Array.from({ length: 4 }, (_, row) => {
    const [from, to] = [joined.starts[row], joined.starts[row + 1]];
    const columns = [...joined.columns.slice(from, to)];
    return Object.fromEntries(columns.map((column, i) => [column, joined.weights[(from ?? 0) + i]]));
  });
  expect(rows).toEqual([
    { 1: 6, 2: 1, 3: 64 },
    { 0: 6, 2: 24, 3: 128 },
    { 0: 1, 1: 24, 3: 32 },
    { 0: 64, 1: 128, 2: 32 },
  ]);
});

test("draws as many as asked for, in order, each once", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 200 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (end, share) => {
        const count = Math.floor(end * share);
        const sample = [...sampleOf(end, count, randomOf(end))];
        expect(sample).toEqual([...new Set(sample)].sort((a, b) => a - b));
        expect(sample).toHaveLength(count);
        expect(sample.every((row) => row < end)).toBe(true);
      },
    ),
  );
});

test("says when there is no memory for more", () => {
  const kernel = new Kernel();
  expect(() => kernel.take(2 ** 33)).toThrow(expect.objectContaining({ code: "capacity_exceeded" }));
  expect(kernel.take(64)).toBeGreaterThan(0);
});
