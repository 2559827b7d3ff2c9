/** Which blocks were given to anybody: src/exchange/serving/given-blocks. */
import { expect, it } from "vitest";
import { MAX_REMEMBERED_BLOCKS } from "../../../src/exchange/limits.ts";
import { GivenBlocks } from "../../../src/exchange/serving/given-blocks.ts";

it("of very many blocks it is forgotten first when those were given that were given the longest ago", () => {
  const given = new GivenBlocks();
  const names = Array.from({ length: MAX_REMEMBERED_BLOCKS }, (_, nth) => `${nth}`);
  for (const name of [...names, "0", "new"]) given.give(name);
  const order = ["never", "1", "2", "3", "0", "new"].map((name) => given.givenAt(name));
  expect(order.slice(0, 2)).toEqual([0, 0]);
  expect(order.slice(1)).toEqual([...new Set(order)].sort((a, b) => a - b));
});
