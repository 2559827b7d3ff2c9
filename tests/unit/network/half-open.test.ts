/** How much of what strangers have begun is left open: src/network/libp2p/half-open. */
import { expect, it } from "vitest";
import { HalfOpen } from "../../../src/network/libp2p/half-open.ts";

it("who has begun as much as it may begins one more for each that ends", () => {
  const halfOpen = new HalfOpen(2);
  const end = halfOpen.begin("a");
  expect([halfOpen.begin("a"), halfOpen.begin("a")]).toEqual([expect.any(Function), undefined]);
  end?.();
  expect([halfOpen.begin("a"), halfOpen.begin("a")]).toEqual([expect.any(Function), undefined]);
});
