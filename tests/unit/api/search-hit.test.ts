/** A hit of a search as the API tells it: src/api/search. */
import { expect, it } from "vitest";
import { hitBody } from "../../../src/api/search.ts";

it("tells a score between 0 and 1 in four decimals", () => {
  const told = (score: number) => hitBody({ score, why: [], excerpt: "" }).score;
  expect([0.1 * 3 * 0.8, 0.98765, -1e-9, 1.0000001].map(told)).toEqual([0.24, 0.9877, 0, 1]);
});
