import { expect, it } from "vitest";
import { MAX_CHUNKS_UNDER_WAY } from "../../../src/sharing/limits.ts";
import { RequestBudget } from "../../../src/sharing/request-budget.ts";

it("so many chunks are under way in all downloads, and one more for each that has none", () => {
  const budget = new RequestBudget();
  for (let count = 0; count < MAX_CHUNKS_UNDER_WAY; count++) {
    expect(budget.hasRoom(count)).toBe(true);
    budget.begin();
  }
  expect([budget.hasRoom(1), budget.hasRoom(0)]).toEqual([false, true]);
  budget.end();
  expect(budget.hasRoom(1)).toBe(true);
});
