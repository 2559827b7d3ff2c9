/** How it is noticed that a process, or its device, has slept. */
import { expect, it, onTestFinished } from "vitest";
import { SLEEP_LOOK_MS, SLEEP_SUSPECTED_MS } from "../../../src/network/connecting/limits.ts";
import { watchSleeps } from "../../../src/network/connecting/sleeps.ts";
import { HandClock } from "../hand-clock.ts";

const NIGHT_MS = 8 * 3_600_000;

async function watched() {
  const clock = new HandClock(1);
  const stop = new AbortController();
  let wakes = 0;
  const onWake = () => {
    wakes += 1;
  };
  const ended = watchSleeps(clock, onWake, stop.signal);
  onTestFinished(async () => {
    stop.abort();
    await ended;
    expect(clock.sleeperCount).toBe(0);
  });
  await clock.pass(3 * SLEEP_LOOK_MS);
  return { clock, wakeCount: () => wakes };
}

it("a night in which the process was suspended is told of once", async () => {
  const { clock, wakeCount } = await watched();
  expect(wakeCount()).toBe(0);
  await clock.suspend(NIGHT_MS);
  await clock.pass(SLEEP_LOOK_MS);
  expect(wakeCount()).toBe(1);
  await clock.pass(10 * SLEEP_LOOK_MS);
  expect(wakeCount()).toBe(1);
});

it("so is one of a device whose steady clock stood still meanwhile", async () => {
  const { clock, wakeCount } = await watched();
  clock.set(NIGHT_MS);
  await clock.pass(2 * SLEEP_LOOK_MS);
  expect(wakeCount()).toBe(1);
});

it("timers that are late, as those of hidden pages, are no sleep, nor is a date that is set back", async () => {
  const { clock, wakeCount } = await watched();
  for (let look = 0; look < 5; look++) await clock.suspend(SLEEP_SUSPECTED_MS);
  clock.set(-NIGHT_MS);
  await clock.pass(2 * SLEEP_LOOK_MS);
  expect(wakeCount()).toBe(0);
});
