/** Which paths of the origin are the page's, and which the API's: src/bridge/api-paths. */
import { expect, it } from "vitest";
import { isApiPath, isPagePath } from "../../../src/bridge/api-paths.ts";

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

it.each(["api", "vectors", "search", "metadata", "reduce", "admin", "metrics", "health"])(
  "/%s is of the API with all beneath it, and no other that begins so",
  (root) => {
    expect(["", "/", "/a.b"].map((rest) => isApiPath(`/${root}${rest}`))).toEqual([true, true, true]);
    expect([`/${root}x`, `/${root}.js`, `/a/${root}`, root].map(isApiPath)).not.toContain(true);
  },
);
