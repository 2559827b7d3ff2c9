/** The picture of the vectors: src/ui/vectors/{principal-components,picture,point-hues}. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MAX_PICTURE_VECTORS } from "../../../src/ui/vectors/limits.ts";
import { samplePages } from "../../../src/ui/vectors/picture.ts";
import { hueKeys, huesBy } from "../../../src/ui/vectors/point-hues.ts";
import { principalComponents, projected } from "../../../src/ui/vectors/principal-components.ts";

function finish<T>(work: Generator<void, T>): T {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
  }
}

const componentsOf = (rows: Float32Array, dimension: number) => finish(principalComponents(rows, dimension));
const dot = (one: Float32Array, other: Float32Array) =>
  one.reduce((sum, value, at) => sum + value * (other[at] ?? 0), 0);

describe("principal components", () => {
  it("are the directions of a cloud that is long in one, shorter in another, and flat in the rest", () => {
    const rows: number[] = [];
    for (let turn = 0; turn < 100; turn++) {
      const angle = (turn / 100) * 2 * Math.PI;
      rows.push(7, 10 * Math.cos(angle), -2, 3 * Math.sin(angle), 0);
    }
    const { mean, axes, explained } = componentsOf(Float32Array.from(rows), 5);
    expect(Math.abs(axes[0][1] ?? 0)).toBeCloseTo(1, 4);
    expect(Math.abs(axes[1][3] ?? 0)).toBeCloseTo(1, 4);
    expect([...mean].map(Math.round)).toEqual([7, 0, -2, 0, 0]);
    expect(explained[0]).toBeCloseTo(100 / 109, 3);
    expect(explained[0] + explained[1]).toBeCloseTo(1, 4);
  });

  it("are unit vectors at right angles, for any cloud", () => {
    const value = fc.float({ min: -100, max: 100, noNaN: true });
    const cloud = fc.array(fc.tuple(value, value, value), { minLength: 4, maxLength: 40 });
    fc.assert(
      fc.property(cloud, (rows) => {
        const { axes, explained } = componentsOf(Float32Array.from(rows.flat()), 3);
        expect(dot(axes[0], axes[0])).toBeCloseTo(1, 4);
        expect(dot(axes[1], axes[1])).toBeCloseTo(1, 4);
        expect(dot(axes[0], axes[1])).toBeCloseTo(0, 4);
        expect(explained[0] + explained[1]).toBeLessThan(1.0001);
      }),
    );
  });

  it("put points apart that lie apart", () => {
    const rows = Float32Array.of(0, 0, 0, 10, 0, 0, 0, 0, 0, 10, 0, 0);
    const points = finish(projected(rows, componentsOf(rows, 3)));
    expect(Math.abs((points[0] ?? 0) - (points[2] ?? 0))).toBeCloseTo(10, 3);
    expect(points[0]).toBeCloseTo(points[4] ?? Number.NaN, 3);
  });

  it("explain nothing where all vectors are one", () => {
    expect(componentsOf(Float32Array.of(1, 2, 1, 2, 1, 2), 2).explained).toEqual([0, 0]);
  });
});

describe("the sample of an index", () => {
  it("is all of a small one, each record once", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: MAX_PICTURE_VECTORS }), (total) => {
        const places = samplePages(total).flatMap(({ limit, offset }) =>
          Array.from({ length: limit }, (_, at) => offset + at),
        );
        expect(places).toEqual(Array.from({ length: total }, (_, at) => at));
      }),
    );
  });

  it("is spread over a large one, without a record twice or beyond the end", () => {
    fc.assert(
      fc.property(fc.integer({ min: MAX_PICTURE_VECTORS, max: 5_000_000 }), (total) => {
        const pages = samplePages(total);
        expect(pages.reduce((sum, { limit }) => sum + limit, 0)).toBe(MAX_PICTURE_VECTORS);
        let end = 0;
        for (const { limit, offset } of pages) {
          expect(offset).toBeGreaterThanOrEqual(end);
          end = offset + limit;
        }
        expect(end).toBeLessThanOrEqual(total);
        expect(end).toBeGreaterThan(0.9 * total);
      }),
    );
  });
});

describe("the points' colours", () => {
  const entries = ["a", "b", "a", "c"].map((kind, id) => ({
    id,
    metadata: { kind, name: `n${id}`, one: 1 },
  }));

  it("go by keys with more than one value, and no more than there are colours", () => {
    const many = Array.from({ length: 9 }, (_, id) => ({ id, metadata: { name: `n${id}`, kind: id % 2 } }));
    expect(hueKeys(many)).toEqual(["kind"]);
    expect(hueKeys(entries)).toEqual(["kind", "name"]);
  });

  it("are one a value, in the order met, and none where the key is missing", () => {
    const { hues, names } = huesBy([...entries, { id: 9, metadata: {} }], "kind");
    expect([...(hues ?? [])]).toEqual([1, 2, 1, 3, 0]);
    expect(names).toEqual(["a", "b", "c"]);
  });

  it("take no name of the prototype for a key", () => {
    expect([...(huesBy([{ id: 1, metadata: {} }], "constructor").hues ?? [])]).toEqual([0]);
  });
});
