import { expect, it } from "vitest";
import { isPagePath } from "../../../src/bridge/api-paths.ts";

it.each([
  ["/", true],
  ["/a.b/files", true],
  ["/docsx", true],
  ["/shoal.json", false],
  ["/a/b.png", false],
  ["/docs", false],
  ["/ipfs/bafkrei", false],
])("%s is of the page: %s", (pathname, isOfPage) => {
  expect(isPagePath(pathname)).toBe(isOfPage);
});

it("reads any path that somebody links to in no time", () => {
  expect(isPagePath(`/${".".repeat(200_000)}/x`)).toBe(true);
});
