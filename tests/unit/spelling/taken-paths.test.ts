/** Names for files whose path is another's already: src/spelling/taken-paths. */
import { expect, test } from "vitest";
import { TakenPaths } from "../../../src/spelling/taken-paths.ts";

test("the second file of a path gets a number before its ending, which is nobody's", () => {
  const taken = new TakenPaths();
  expect(taken.take("sea (3).jpg")).toBe(true);
  expect(
    ["sea.jpg", "sea.jpg", "sea.jpg", "a.b/sea", "a.b/sea"].map((path) => taken.takeOrNumber(path)),
  ).toEqual(["sea.jpg", "sea (2).jpg", "sea (4).jpg", "a.b/sea", "a.b/sea (2)"]);
  expect(taken.take("sea (2).jpg")).toBe(false);
});

test("what counts as the same path can be said, and what is given already", () => {
  const taken = new TakenPaths((path) => path.toLowerCase(), ["sea"]);
  expect(["Sea", "SEA", "reef", "Reef"].map((path) => taken.takeOrNumber(path))).toEqual([
    "Sea (2)",
    "SEA (3)",
    "reef",
    "Reef (2)",
  ]);
});
