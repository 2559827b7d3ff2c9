/** Where models of t-SNE and UMAP place what is new: the weighted geometric median of its three nearest. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { medianPlace } from "../../../src/vx/reduction/median-place.ts";
import { PlacingModel } from "../../../src/vx/reduction/placing-model.ts";

function distanceOf(a: ArrayLike<number>, b: ArrayLike<number>): number {
  return Math.hypot(...Array.from(a, (x, d) => x - (b[d] as number)));
}

test("the median is hardly farther from all places, as they weigh, than anything around it", () => {
  const number = fc.integer({ min: -50, max: 50 });
  const place = fc.tuple(number, number);
  const weighed = fc.array(fc.tuple(place, fc.integer({ min: 1, max: 9 })), { minLength: 1, maxLength: 5 });
  const unit = fc.constantFrom(1e-4, 1, 1e4);
  fc.assert(
    fc.property(weighed, unit, (given, scale) => {
      const sum = given.reduce((all, [, weight]) => all + weight, 0);
      const places = given.map(([at]) => at.map((x) => x * scale));
      const farness = (at: ArrayLike<number>) => {
        return given.reduce(
          (all, [, weight], i) => all + (weight / sum) * distanceOf(at, places[i] as number[]),
          0,
        );
      };
      const median = medianPlace(
        places,
        given.map(([, weight]) => weight / sum),
      );
      const spread = Math.max(...places.map((one) => distanceOf(one, median)));
      const steps = Array.from({ length: 16 }, (_, i) => (i * Math.PI) / 8);
      const around = [0.02, 0.1, 0.4].flatMap((part) =>
        steps.map((angle) => [
          (median[0] as number) + part * spread * Math.cos(angle),
          (median[1] as number) + part * spread * Math.sin(angle),
        ]),
      );
      const least = Math.min(...[...places, ...around].map(farness));
      expect(farness(median)).toBeLessThanOrEqual(least + 0.03 * spread + 1e-9 * scale);
    }),
  );
});

test("the median is the place of more than half of all weight, and of equal places that place", () => {
  const places = [
    [0, 0],
    [8, 0],
    [0, 6],
  ];
  for (const [i, place] of places.entries()) {
    const median = medianPlace(
      places,
      places.map((_, j) => (i === j ? 0.8 : 0.1)),
    );
    expect(distanceOf(median, place)).toBeLessThan(0.01);
  }
  expect([...medianPlace([places[1] as number[], places[1] as number[]], [0.5, 0.5])]).toEqual([8, 0]);
});

test("what weighs nothing does not count, however far it is", () => {
  const [near, far] = [
    [1, 2],
    [1000, -1000],
  ];
  expect(distanceOf(medianPlace([near, far], [1, 0]), near)).toBeLessThan(0.01);
});

/** Rows along an axis, each placed somewhere of its own. */
const rows = [0, 1, 3, 10, 20];
const places = [
  [5, 5],
  [9, -2],
  [-4, 1],
  [70, 70],
  [-90, 40],
];
const newModel = () =>
  new PlacingModel({
    ...{ method: "umap", dimension: 2, target: 2 },
    first: Float32Array.from(rows.flatMap((x) => [x, 0])),
    second: Float32Array.from(places.flat()),
  });

test.each([
  { x: 0.5, nearest: [0, 1, 2] },
  { x: 2.5, nearest: [2, 1, 0] },
  { x: 9, nearest: [3, 2, 1] },
  { x: 21, nearest: [4, 3, 2] },
])("a vector at $x comes to its three nearest, by the inverse square of its distance", ({ x, nearest }) => {
  const weights = nearest.map((row) => 1 / (x - (rows[row] as number)) ** 2);
  const sum = weights.reduce((all, weight) => all + weight, 0);
  const expected = medianPlace(
    nearest.map((row) => places[row] as number[]),
    weights.map((weight) => weight / sum),
  );
  const [a = 0, b = 0] = newModel().reduce(Float32Array.of(x, 0));
  expect(a).toBeCloseTo(expected[0] as number, 3);
  expect(b).toBeCloseTo(expected[1] as number, 3);
});

test("several vectors come to where each comes alone, and fitted ones to where they are", () => {
  const model = newModel();
  const several = model.reduce(Float32Array.of(3, 0, 0.5, 0, 20, 0));
  expect(several.subarray(2, 4)).toEqual(model.reduce(Float32Array.of(0.5, 0)));
  expect([...several.subarray(0, 2), ...several.subarray(4)]).toEqual(
    [-4, 1, -90, 40].map((number) => expect.closeTo(number, 3)),
  );
});

test("of equal fitted vectors all count alike, and nothing else does", () => {
  const twice = new PlacingModel({
    ...{ method: "tsne", dimension: 1, target: 1 },
    first: Float32Array.of(2, 2, 3),
    second: Float32Array.of(10, 20, 1000),
  });
  expect(twice.reduce(Float32Array.of(2))[0]).toBeCloseTo(15, 3);
});
