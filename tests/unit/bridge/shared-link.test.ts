/** Links of ours in what other programs hand to the page: src/bridge/shared-link. */
import { expect, it } from "vitest";
import { MAX_SHARED_LINKS } from "../../../src/bridge/limits.ts";
import { linksIn } from "../../../src/bridge/shared-link.ts";

it.each([
  [
    "Look: https://share.example/#/get/bafkrei?name=a%20b.txt\nthere",
    ["https://share.example/#/get/bafkrei?name=a%20b.txt"],
  ],
  ["see (web+shoal:bafkrei)", ["web+shoal:bafkrei)"]],
  ["IPFS://bafkrei and ipfs://other", ["IPFS://bafkrei", "ipfs://other"]],
  ["https://example.com/#/getting", []],
  ["", []],
])("finds the links in %j", (text, links) => {
  expect(linksIn(text)).toEqual(links);
});

it("finds no more of them than an address holds", () => {
  expect(linksIn("web+shoal:bafkrei ".repeat(MAX_SHARED_LINKS + 1))).toHaveLength(MAX_SHARED_LINKS);
});

it("reads a text without a space as fast as others", () => {
  expect(linksIn("a".repeat(100_000))).toEqual([]);
});
