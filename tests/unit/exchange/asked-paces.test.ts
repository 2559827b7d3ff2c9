/** How fast is read what the peers of one host ask: src/exchange/serving/asked-paces. */
import { expect, it } from "vitest";
import { MAX_REMEMBERED_PEERS } from "../../../src/exchange/limits.ts";
import { AskedPaces } from "../../../src/exchange/serving/asked-paces.ts";
import { HandClock } from "../hand-clock.ts";

it("a host that comes again and again has one pace, however many others come meanwhile", () => {
  const paces = new AskedPaces(new HandClock());
  const own = paces.of("own");
  for (let other = 0; other < 2 * MAX_REMEMBERED_PEERS; other++) {
    paces.of(`other ${other}`);
    if (other % 2 === 0) expect(paces.of("own")).toBe(own);
  }
});

it("so many hosts are remembered, and no more: the one is forgotten that came the longest ago", () => {
  const paces = new AskedPaces(new HandClock());
  const [first, second] = [paces.of("first"), paces.of("second")];
  for (let other = 1; other < MAX_REMEMBERED_PEERS; other++) paces.of(`other ${other}`);
  expect(paces.of("second")).toBe(second);
  expect(paces.of("first")).not.toBe(first);
});
