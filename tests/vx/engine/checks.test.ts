/** What a model makes of a vector is always something that the graph takes. */
import { describe, expect, it } from "vitest";
import { checkVector, soundVector } from "../../../src/vx/engine/checks.ts";

const lengthOf = (vector: Float32Array) => Math.hypot(...vector);

describe.each(["l2", "cosine"] as const)("a reduced vector, under %s", (metric) => {
  it("stays what it is where the graph takes it", () => {
    for (const size of [1, 1e-30, 1.8e19]) {
      const vector = Float32Array.of(size, 0);
      expect(soundVector(vector, metric)).toBe(vector);
      checkVector(vector, metric);
    }
  });

  it("is shortened where it is too long, and keeps its direction", () => {
    for (const size of [1.9e19, 3e38]) {
      const vector = Float32Array.of(size, -size / 2);
      expect(() => checkVector(vector, metric)).toThrow(expect.objectContaining({ code: "invalid_vector" }));
      const sound = soundVector(vector, metric);
      checkVector(sound, metric);
      expect(lengthOf(sound)).toBeGreaterThan(1.84e19);
      expect((sound[1] as number) / (sound[0] as number)).toBeCloseTo(-0.5, 6);
    }
  });
});

it("without a direction, has that of the first axis under cosine, and stays where it is under L2", () => {
  for (const size of [0, 1e-40]) {
    const vector = Float32Array.of(0, size, 0);
    expect(soundVector(vector, "l2")).toBe(vector);
    const sound = soundVector(vector, "cosine");
    checkVector(sound, "cosine");
    expect(sound).toEqual(Float32Array.of(1, 0, 0));
  }
});

it("that is refused learns which length it may have", () => {
  expect(() => checkVector(Float32Array.of(1e30), "l2")).toThrow(
    "The vector's numbers must be finite, and its length 1.8e+19 at most",
  );
  expect(() => checkVector(Float32Array.of(1e-39), "cosine")).toThrow(
    "The vector's numbers must be finite and not all zero, and its length from 1.0e-38 to 1.8e+19",
  );
});
