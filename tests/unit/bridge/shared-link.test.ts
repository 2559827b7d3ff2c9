import { expect, it } from "vitest";
import { linkIn } from "../../../src/bridge/shared-link.ts";

it.each([
  [
    "Look: https://share.example/#/get/bafkrei?name=a%20b.txt\nthere",
    "https://share.example/#/get/bafkrei?name=a%20b.txt",
  ],
  ["see (web+shoal:bafkrei)", "web+shoal:bafkrei)"],
  ["IPFS://bafkrei and ipfs://other", "IPFS://bafkrei"],
  ["https://example.com/#/getting", undefined],
  ["", undefined],
])("finds the link in %j", (text, link) => {
  expect(linkIn(text)).toBe(link);
});

it("reads a text without a space as fast as others", () => {
  expect(linkIn("a".repeat(100_000))).toBeUndefined();
});
