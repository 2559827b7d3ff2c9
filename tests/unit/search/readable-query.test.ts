/** Which queries a model is asked. */
import { expect, test } from "vitest";
import { modelId } from "../../../src/search/model/build/model-card.ts";
import { isReadable } from "../../../src/search/readable-query.ts";

test.each([
  ["tax return", true],
  ["Überschwemmung", true],
  ["2024", true],
  ["party 🎉", true],
  ["report отчёт", true],
  ["отчёт", false],
  ["휴가", false],
  ["写真 2024", false],
  ["🎉", false],
])("the model that comes with Shoal, %s: %s", (query, isAsked) => {
  expect(isReadable(query, modelId)).toBe(isAsked);
});

test("another model, whatever is asked", () => {
  expect(isReadable("отчёт", "multilingual-0123456789ab-0123456789ab")).toBe(true);
});
