/** When a transfer counts as stalled, and looks for itself: src/sharing/download/stall-watch. */
import { expect, it } from "vitest";
import { StallWatch } from "../../../src/sharing/download/stall-watch.ts";
import { LAST_LOOK_MS, LONGEST_TICK_MS, STALL_MS, TICK_MS } from "../../../src/sharing/limits.ts";
import { HandClock } from "../hand-clock.ts";

it("each stall of a transfer is told once, and so is its end", async () => {
  const clock = new HandClock();
  const told: boolean[] = [];
  const watch = new StallWatch(clock, (isStalled) => told.push(isStalled));
  const idleAfter = async (ms: number) => {
    await clock.pass(ms);
    return watch.idle();
  };
  for (const before of [0, 2]) {
    watch.busy();
    for (let ms = TICK_MS; ms <= STALL_MS; ms += TICK_MS) expect(await idleAfter(TICK_MS)).toBe(ms);
    expect(told).toHaveLength(before);
    await idleAfter(1);
    watch.idle();
    expect(told.slice(before)).toEqual([true]);
    watch.busy();
    watch.busy();
    expect(told.slice(before)).toEqual([true, false]);
  }
});

it("the end of a stall that was told in an earlier run is told", async () => {
  const clock = new HandClock();
  const told: boolean[] = [];
  const watch = new StallWatch(clock, (isStalled) => told.push(isStalled), true);
  for (let ms = 0; ms < STALL_MS; ms += TICK_MS) {
    watch.idle();
    await clock.pass(TICK_MS);
  }
  expect(told).toEqual([]);
  watch.busy();
  watch.busy();
  expect(told).toEqual([false]);
});

it("a stall is told of a transfer for which nobody was ever at work", async () => {
  const clock = new HandClock();
  const told: boolean[] = [];
  const watch = new StallWatch(clock, (isStalled) => told.push(isStalled));
  for (let ms = 0; ms <= STALL_MS; ms += TICK_MS) {
    await clock.pass(TICK_MS);
    watch.idle();
  }
  expect(told).toEqual([true]);
});

it("a transfer looks for itself after a stall, then less and less often until somebody is at work", async () => {
  const clock = new HandClock();
  const watch = new StallWatch(clock, () => {});
  const looksWithin = async (ms: number) => {
    const at: number[] = [];
    for (let passed = TICK_MS; passed <= ms; passed += TICK_MS) {
      await clock.pass(TICK_MS);
      watch.idle();
      if (watch.isLookDue()) at.push(passed);
    }
    return at;
  };
  expect(await looksWithin(5 * STALL_MS)).toEqual([STALL_MS, 2 * STALL_MS, 4 * STALL_MS]);
  watch.busy();
  expect(await looksWithin(STALL_MS)).toEqual([STALL_MS]);
});

it("a process that was suspended has waited for nobody", async () => {
  const clock = new HandClock();
  const told: boolean[] = [];
  const watch = new StallWatch(clock, (isStalled) => told.push(isStalled));
  await clock.suspend(3_600_000);
  expect([watch.idle(), told]).toEqual([LONGEST_TICK_MS, []]);
});

it("a transfer that was brought something all the time has waited only since then", async () => {
  const clock = new HandClock();
  const watch = new StallWatch(clock, () => {});
  await clock.pass(STALL_MS);
  watch.busy();
  await clock.pass(TICK_MS);
  expect(watch.idle()).toBe(TICK_MS);
});

it("a transfer is worth waiting on no longer than it is said to be, nor once somebody was at work", async () => {
  const clock = new HandClock();
  const watch = new StallWatch(clock, () => {});
  const isInVainAfter = async (ms: number) => {
    await clock.pass(ms);
    watch.idle();
    return watch.isInVain;
  };
  expect(await isInVainAfter(TICK_MS)).toBe(true);
  watch.mayGoOn();
  for (let ms = TICK_MS; ms <= LAST_LOOK_MS; ms += TICK_MS) expect(await isInVainAfter(TICK_MS)).toBe(false);
  expect(await isInVainAfter(1)).toBe(true);
  watch.mayGoOn();
  watch.busy();
  expect(await isInVainAfter(TICK_MS)).toBe(true);
});
