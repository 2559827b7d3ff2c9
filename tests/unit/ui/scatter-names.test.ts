/** Names beside the points of a scatter: src/ui/drawings/scatter-names. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type NamedPoint, namePlaces } from "../../../src/ui/drawings/scatter-names.ts";

const size = { width: 400, height: 300 };
const RADIUS = 4;
const HEIGHT = 16;
const point = (x: number, y: number, width = 60): NamedPoint => ({
  spot: { x, y },
  name: "a",
  width,
  height: HEIGHT,
});

describe("the name of a point", () => {
  it("stands to its right, and where the edge is near to its left", () => {
    const [alone, atTheEdge] = namePlaces([point(100, 50), point(390, 150)], RADIUS, size, []);
    expect(alone).toEqual({ x: expect.closeTo(108), y: 50 });
    expect(atTheEdge).toEqual({ x: expect.closeTo(322), y: 150 });
  });

  it("stands above or below where it has room on neither side, or nowhere", () => {
    const [above, below, nowhere] = [150, 8, 150].map(
      (y, at) => namePlaces([point(200, y, at === 2 ? 500 : 300)], RADIUS, size, [])[0],
    );
    expect(above).toEqual({ x: 50, y: 138 });
    expect(below).toEqual({ x: 50, y: 20 });
    expect(nowhere).toBeUndefined();
  });

  it("stands nowhere beneath what covers the picture", () => {
    const covered = [{ left: 110, right: 400, top: 0, bottom: 300 }];
    const [aside] = namePlaces([point(100, 50)], RADIUS, size, covered);
    expect(aside).toEqual({ x: 32, y: 50 });
  });

  it("goes to the point that matters more", () => {
    const [first, second] = namePlaces([point(100, 50), point(100, 58)], RADIUS, size, []);
    expect(first?.x).toBeGreaterThan(100);
    expect(second?.x).toBeLessThan(100);
  });

  it("covers no point, no other name and no edge", () => {
    const some = fc.record({
      spot: fc.record({ x: fc.integer({ min: 0, max: 400 }), y: fc.integer({ min: 0, max: 300 }) }),
      name: fc.constant("a"),
      width: fc.integer({ min: 1, max: 150 }),
      height: fc.constant(HEIGHT),
    });
    fc.assert(
      fc.property(fc.array(some, { maxLength: 40 }), (points) => {
        const boxes = namePlaces(points, RADIUS, size, []).flatMap((place, at) =>
          place === undefined ? [] : [{ ...place, width: points[at]?.width ?? 0 }],
        );
        for (const [at, { x, y, width }] of boxes.entries()) {
          expect(x >= 0 && x + width <= size.width).toBe(true);
          expect(Math.abs(y - size.height / 2)).toBeLessThanOrEqual((size.height - HEIGHT) / 2);
          const covers = (left: number, right: number, middle: number, height: number) =>
            x < right && left < x + width && Math.abs(y - middle) < (HEIGHT + height) / 2;
          for (const { spot } of points)
            expect(covers(spot.x - RADIUS, spot.x + RADIUS, spot.y, 2 * RADIUS)).toBe(false);
          for (const other of boxes.slice(at + 1))
            expect(covers(other.x, other.x + other.width, other.y, HEIGHT)).toBe(false);
        }
      }),
    );
  });
});
