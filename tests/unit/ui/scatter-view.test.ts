/** The geometry of the scatter: src/ui/drawings/scatter-view. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MAX_ZOOM } from "../../../src/ui/drawings/limits.ts";
import {
  neighbourOf,
  panned,
  pointAt,
  toScreen,
  wholeView,
  zoomed,
} from "../../../src/ui/drawings/scatter-view.ts";

/** The buttons' height, and their distance from the edge. */
const BUTTONS_PIXELS = 38 + 8;

const size = { width: 400, height: 200 };
const square = Float32Array.of(-1, -1, 1, -1, 1, 1, -1, 1);

const coordinate = fc.float({ min: -1000, max: 1000, noNaN: true });
const somePoints = fc
  .array(fc.tuple(coordinate, coordinate), { minLength: 1, maxLength: 50 })
  .map((pairs) => Float32Array.from(pairs.flat()));

describe("the whole view", () => {
  it("shows every point, and none beneath the buttons at the foot", () => {
    fc.assert(
      fc.property(somePoints, fc.integer({ min: 0, max: 150 }), (points, buttons) => {
        const view = wholeView(points, size, buttons);
        for (let at = 0; at < points.length; at += 2) {
          const { x, y } = toScreen(view, size, points[at] ?? 0, points[at + 1] ?? 0);
          expect(x).toBeGreaterThanOrEqual(0);
          expect(x).toBeLessThanOrEqual(size.width);
          expect(y).toBeGreaterThanOrEqual(0);
          expect(y).toBeLessThanOrEqual(size.height - buttons);
        }
      }),
    );
  });

  it("has a scale even where all points are one", () => {
    expect(Number.isFinite(wholeView(Float32Array.of(3, 4, 3, 4), size, BUTTONS_PIXELS).scale)).toBe(true);
    expect(wholeView(new Float32Array(), size, BUTTONS_PIXELS)).toEqual({ x: 0, y: 0, scale: 1 });
  });

  it("has up on the plane up on the screen", () => {
    const view = wholeView(square, size, BUTTONS_PIXELS);
    expect(toScreen(view, size, 0, 1).y).toBeLessThan(toScreen(view, size, 0, -1).y);
  });
});

describe("zoom and pan", () => {
  const whole = wholeView(square, size, BUTTONS_PIXELS);

  it("leaves the spot under the pointer where it is", () => {
    const spot = toScreen(whole, size, 1, 1);
    const after = toScreen(zoomed(whole, whole, size, spot, 3), size, 1, 1);
    expect(after.x).toBeCloseTo(spot.x);
    expect(after.y).toBeCloseTo(spot.y);
  });

  it("ends at its limit", () => {
    const spot = { x: 0, y: 0 };
    expect(zoomed(whole, whole, size, spot, 1e9).scale).toBeCloseTo(whole.scale * MAX_ZOOM);
  });

  it("takes the points along with the finger", () => {
    const before = toScreen(whole, size, 0, 0);
    const after = toScreen(panned(whole, 10, -7), size, 0, 0);
    expect(after.x).toBeCloseTo(before.x + 10);
    expect(after.y).toBeCloseTo(before.y - 7);
  });
});

describe("the point under a pointer", () => {
  const whole = wholeView(square, size, BUTTONS_PIXELS);

  it("is the nearest one", () => {
    const { x, y } = toScreen(whole, size, 1, -1);
    expect(pointAt(square, whole, size, { x: x + 3, y: y - 3 })).toBe(1);
  });

  it("is none where no point is near", () => {
    expect(pointAt(square, whole, size, { x: size.width / 2, y: size.height / 2 })).toBeUndefined();
  });
});

describe("the neighbour of a point", () => {
  const right = { x: 1, y: 0 };

  it("lies in the direction asked for", () => {
    expect(neighbourOf(square, 0, right, { x: 0, y: 0 })).toBe(1);
    expect(neighbourOf(square, 0, { x: 0, y: 1 }, { x: 0, y: 0 })).toBe(3);
  });

  it("is none at the rim", () => {
    expect(neighbourOf(square, 1, right, { x: 0, y: 0 })).toBeUndefined();
  });

  it("is the point nearest to the middle where none is picked yet", () => {
    expect(neighbourOf(Float32Array.of(5, 5, 1, 0, -9, 2), undefined, right, { x: 0, y: 0 })).toBe(1);
  });
});
