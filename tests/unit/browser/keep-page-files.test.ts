/** When the page keeps its own files for use without a network. */
import { expect, it } from "vitest";
import { keepPageFiles } from "../../../src/browser/keep-page-files.ts";
import {
  KEEP_AGAIN_MS,
  KEEP_FILES_AFTER_MS,
  KEEP_PAUSE_MS,
  MAX_KEEP_AGAIN_MS,
} from "../../../src/browser/limits.ts";
import { HandClock } from "../hand-clock.ts";

const never = new AbortController().signal;

function keeping(asksUntilAll: number, signal = never) {
  const clock = new HandClock();
  const state = { isBusy: false, asks: 0 };
  const done = keepPageFiles({
    keepSome: async () => ++state.asks === asksUntilAll,
    isBusy: () => state.isBusy,
    onFailure: () => {},
    clock,
    signal,
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

it("ends with the tab's lead, and asks for no more", async () => {
  const leading = new AbortController();
  const { clock, state, done } = keeping(Number.POSITIVE_INFINITY, leading.signal);
  await clock.pass(KEEP_FILES_AFTER_MS);
  expect(state.asks).toBe(1);
  const over = new Error("another tab leads");
  const reason = done.catch((error: unknown) => error);
  leading.abort(over);
  await clock.pass(10 * KEEP_PAUSE_MS);
  expect(state.asks).toBe(1);
  expect(await reason).toBe(over);
});

it("goes on after a line that was cut, later each time that it still is, and tells of each", async () => {
  const clock = new HandClock();
  const cut = new Error("no network");
  const [asks, told]: [boolean[], unknown[]] = [[], []];
  let isCut = true;
  const done = keepPageFiles({
    keepSome: async () => {
      asks.push(isCut);
      if (isCut) throw cut;
      return asks.filter((wasCut) => !wasCut).length === 2;
    },
    isBusy: () => false,
    onFailure: (error) => told.push(error),
    clock,
    signal: never,
  });
  await clock.pass(KEEP_FILES_AFTER_MS);
  expect(asks).toHaveLength(1);
  await clock.pass(KEEP_AGAIN_MS - 1);
  expect(asks).toHaveLength(1);
  await clock.pass(1);
  expect(asks).toHaveLength(2);
  await clock.pass(2 * KEEP_AGAIN_MS);
  expect(asks).toHaveLength(3);
  isCut = false;
  await clock.pass(MAX_KEEP_AGAIN_MS);
  await done;
  expect(asks).toEqual([true, true, true, false, false]);
  expect(told).toEqual([cut, cut, cut]);
});
