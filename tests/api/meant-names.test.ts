/** Which names are refused for what their sender means, and which are passed over. */
import { expect, test } from "vitest";
import { refuseMistyped } from "../../src/api/meant-names.ts";

const OWN = ["file_path", "unlisted", "name"];

test.each([
  ["filePath", "file_path"],
  ["file-path", "file_path"],
  ["Unlisted", "unlisted"],
  ["unlistd", "unlisted"],
  ["NAME", "name"],
])("%s is refused where %s is meant", (name, meant) => {
  expect(() => refuseMistyped([name], OWN)).toThrow(`${name}: is not taken here, but ${meant} is`);
});

test.each([
  { given: ["unlisted", "unlistd"], why: "beside what it would mean" },
  { given: ["nam", "names", "x", "description"], why: "not near, or short" },
  { given: ["constructor", "toString", "__proto__"], why: "of every object" },
  { given: [], why: "of nobody" },
])("names that are $why are passed over: $given", ({ given }) => {
  refuseMistyped(given, OWN);
});
