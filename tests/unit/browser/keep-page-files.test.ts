/** When the page keeps its own files for use without a network. */
import { expect, it } from "vitest";
import { keepPageFiles } from "../../../src/browser/keep-page-files.ts";
import { KEEP_FILES_AFTER_MS, KEEP_PAUSE_MS } from "../../../src/browser/limits.ts";
import { HandClock } from "../hand-clock.ts";

function keeping(asksUntilAll: number) {
  const clock = new HandClock();
  const state = { isBusy: false, asks: 0 };
  const done = keepPageFiles({
    keepSome: async () => ++state.asks === asksUntilAll,
    isBusy: () => state.isBusy,
    clock,
  });
  return { clock, state, done };
}

it("is some at a time, from a while after the node runs until all are there", async () => {
  const { clock, state, done } = keeping(3);
  await clock.pass(KEEP_FILES_AFTER_MS - 1);
  expect(state.asks).toBe(0);
  await clock.pass(1);
  expect(state.asks).toBe(1);
  await clock.pass(KEEP_PAUSE_MS);
  expect(state.asks).toBe(2);
  await clock.pass(KEEP_PAUSE_MS);
  await done;
  await clock.pass(10 * KEEP_PAUSE_MS);
  expect(state.asks).toBe(3);
});

it("waits while files are on their way", async () => {
  const { clock, state, done } = keeping(2);
  state.isBusy = true;
  await clock.pass(KEEP_FILES_AFTER_MS + 10 * KEEP_PAUSE_MS);
  expect(state.asks).toBe(0);
  state.isBusy = false;
  await clock.pass(KEEP_PAUSE_MS);
  expect(state.asks).toBe(1);
  state.isBusy = true;
  await clock.pass(10 * KEEP_PAUSE_MS);
  expect(state.asks).toBe(1);
  state.isBusy = false;
  await clock.pass(KEEP_PAUSE_MS);
  await done;
  expect(state.asks).toBe(2);
});

it("ends with what it can't have", async () => {
  const clock = new HandClock();
  const done = keepPageFiles({
    keepSome: () => Promise.reject(new Error("no network")),
    isBusy: () => false,
    clock,
  });
  const ended = expect(done).rejects.toThrow("no network");
  await clock.pass(KEEP_FILES_AFTER_MS);
  await ended;
});
