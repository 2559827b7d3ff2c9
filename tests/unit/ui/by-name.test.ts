/** The order of names: src/ui/elements/by-name. */
import { expect, it } from "vitest";
import { byName } from "../../../src/ui/elements/by-name.ts";

it("names are in the order in which people count", () => {
  const names = ["part 10", "Part 2", "part 1", "other"].map((name) => ({ name }));
  expect(names.sort(byName).map(({ name }) => name)).toEqual(["other", "part 1", "Part 2", "part 10"]);
});
