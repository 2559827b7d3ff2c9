/** How lost blocks are told: src/sharing/catalog/loss-log. */
import { expect, it } from "vitest";
import { LossLog } from "../../../src/sharing/catalog/loss-log.ts";
import { LOSSES_LOGGED, LOSSES_LOGGED_MS } from "../../../src/sharing/limits.ts";
import { HandClock } from "../hand-clock.ts";

it("of blocks that are lost, so many are told of in a minute with the reason, and then how many others there were", async () => {
  const clock = new HandClock();
  const lines: [message: string, details: object | undefined][] = [];
  const losses = new LossLog({ warn: (message, details) => lines.push([message, details]) }, clock);
  const lose = (count: number) => {
    for (let at = 0; at < count; at++) losses.lost({ cid: `block ${at}`, why: "damaged" });
  };
  lose(LOSSES_LOGGED + 3);
  expect(lines).toHaveLength(LOSSES_LOGGED);
  expect(lines.at(-1)).toEqual(["a block was lost", { cid: `block ${LOSSES_LOGGED - 1}`, why: "damaged" }]);
  await clock.pass(LOSSES_LOGGED_MS);
  lose(1);
  expect(lines.slice(LOSSES_LOGGED)).toEqual([
    ["more blocks were lost", { blockCount: 3 }],
    ["a block was lost", { cid: "block 0", why: "damaged" }],
  ]);
  await clock.pass(LOSSES_LOGGED_MS);
  lose(1);
  expect(lines).toHaveLength(LOSSES_LOGGED + 3);
});
