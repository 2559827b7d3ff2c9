/** The condition that a filter of vectors is shown by. */
import { expect, test } from "vitest";
import { exampleFilter } from "../../../src/ui/vectors/example-filter.ts";

test.each([
  ["no metadata", [{}, {}], "id < 100"],
  ["a text", [{ year: 2024 }, { kind: "book" }], "\"kind\" = 'book'"],
  ["a text with a quote", [{ title: "Ada's boat" }], "\"title\" = 'Ada''s boat'"],
  ["a key that is no name", [{ 'a "b"': "c" }], '"a ""b""" = \'c\''],
  ["no text that is short", [{ year: 2024, text: "x".repeat(500), none: "" }], '"year" IS NOT NULL'],
])("of records with %s", (_, records, filter) => {
  expect(exampleFilter(records)).toBe(filter);
});
