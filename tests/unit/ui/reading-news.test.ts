/** When the same words are looked for once more. */
import { expect, test } from "vitest";
import { isNews } from "../../../src/ui/finding/reading-news.ts";

const before = { state: "ready", indexed: 3, pending: 2 };

test("words are looked for anew when search gets ready, and when all is read", () => {
  expect(isNews({ ...before, state: "loading" }, before, false)).toBe(true);
  expect(isNews(before, { state: "ready", indexed: 5, pending: 0 }, false)).toBe(true);
});

test("while more is read they are so only where nothing was found", () => {
  const more = { ...before, indexed: 4, pending: 1 };
  expect(isNews(before, more, false)).toBe(false);
  expect(isNews(before, more, true)).toBe(true);
  expect(isNews(before, before, true)).toBe(false);
});
