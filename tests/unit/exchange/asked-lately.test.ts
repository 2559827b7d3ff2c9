/** Whether a peer asks for a block again: src/exchange/serving/asked-lately. */
import { expect, it } from "vitest";
import { MAX_REMEMBERED_WANTS } from "../../../src/exchange/limits.ts";
import { AskedLately } from "../../../src/exchange/serving/asked-lately.ts";

it("a block is asked for again as long as no more than so many others were asked for since the last time", () => {
  const asked = new AskedLately();
  let others = 0;
  const askOthers = (count: number) => {
    for (let asking = 0; asking < count; asking++) asked.ask(`other ${others++}`);
  };
  expect(asked.ask("block")).toBe(false);
  askOthers(MAX_REMEMBERED_WANTS / 2);
  expect(asked.ask("block")).toBe(true);
  askOthers(MAX_REMEMBERED_WANTS - 1);
  expect(asked.ask("block")).toBe(true);
  askOthers(MAX_REMEMBERED_WANTS);
  expect(asked.ask("block")).toBe(false);
});
