import { expect, it } from "vitest";
import { STALL_MS } from "../../../src/sharing/limits.ts";
import { StallWatch } from "../../../src/sharing/stall-watch.ts";
import { HandClock } from "../hand-clock.ts";

it("each stall of a transfer is told once, and so is its end", async () => {
  const clock = new HandClock();
  const told: boolean[] = [];
  const watch = new StallWatch(clock, (isStalled) => told.push(isStalled));
  for (const before of [0, 2]) {
    watch.busy();
    await clock.pass(STALL_MS);
    expect([watch.idle(), told.length]).toEqual([STALL_MS, before]);
    await clock.pass(1);
    watch.idle();
    watch.idle();
    expect(told.slice(before)).toEqual([true]);
    watch.busy();
    watch.busy();
    expect(told.slice(before)).toEqual([true, false]);
  }
});
