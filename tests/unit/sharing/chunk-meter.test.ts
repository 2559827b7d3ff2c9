/** The speed of chunks that come seldom or all the time: src/sharing/download/chunk-meter. */
import { describe, expect, it } from "vitest";
import { ChunkMeter } from "../../../src/sharing/download/chunk-meter.ts";
import { CHUNK_BYTES, LONGEST_RHYTHM_MS, METER_TICK_MS, METER_TICKS } from "../../../src/sharing/limits.ts";

const WINDOW_MS = METER_TICK_MS * METER_TICKS;
const PARTS = 16;

function openMeter() {
  let nowMs = 12_345;
  const meter = new ChunkMeter(() => nowMs);
  const pass = (ms: number) => {
    nowMs += ms;
  };
  /** A chunk in parts, within a tenth of a second. */
  const bring = () => {
    for (let part = 0; part < PARTS; part++) {
      meter.add(CHUNK_BYTES / PARTS);
      pass(100 / PARTS);
    }
  };
  return { meter, pass, bring };
}

describe("the speed of chunks", () => {
  it("that come further apart than the window is the mean from one to the next, at any time between", () => {
    const { meter, pass, bring } = openMeter();
    const periodMs = 2.5 * WINDOW_MS;
    bring();
    pass(periodMs - 100);
    for (let chunk = 0; chunk < 3; chunk++) {
      bring();
      for (let part = 0; part < PARTS; part++) {
        expect(meter.bytesPerSecond()).toBe(Math.round((CHUNK_BYTES * 1000) / periodMs));
        pass((periodMs - 100) / PARTS);
      }
    }
  });

  it("is that of the window once they come steadily, though before only a few bytes came now and then", () => {
    const { meter, pass } = openMeter();
    for (let sign = 0; sign < 5; sign++) {
      meter.add(16);
      pass(1.25 * WINDOW_MS);
    }
    expect(meter.bytesPerSecond()).toBeLessThan(16);
    for (let part = 0; part < 2 * METER_TICKS; part++) {
      meter.add(5000);
      pass(METER_TICK_MS);
    }
    expect(Math.abs(meter.bytesPerSecond() - 20_000)).toBeLessThan(2000);
  });

  it("falls the later the next one is, and is nothing after the longest time between two", () => {
    const { meter, pass, bring } = openMeter();
    const periodMs = 2 * WINDOW_MS;
    bring();
    pass(periodMs - 100);
    bring();
    pass(2 * periodMs - 100);
    expect(meter.bytesPerSecond()).toBe(Math.round((CHUNK_BYTES * 1000) / (2 * periodMs)));
    pass(LONGEST_RHYTHM_MS);
    expect(meter.bytesPerSecond()).toBe(0);
  });

  it("is that of the window where they come all the time, before and after a pause", () => {
    const { meter, pass, bring } = openMeter();
    for (let chunk = 0; chunk < 50; chunk++) bring();
    expect(meter.bytesPerSecond()).toBeGreaterThan(9 * CHUNK_BYTES);
    pass(WINDOW_MS);
    expect(meter.bytesPerSecond()).toBe(0);
    pass(WINDOW_MS);
    for (let chunk = 0; chunk < 3; chunk++) bring();
    expect(meter.bytesPerSecond()).toBeGreaterThan((CHUNK_BYTES * 1000) / WINDOW_MS / 2);
    pass(WINDOW_MS);
    expect(meter.bytesPerSecond()).toBe(0);
  });

  it("is that of the window once they come faster", () => {
    const { meter, pass, bring } = openMeter();
    for (let chunk = 0; chunk < 3; chunk++) {
      bring();
      pass(2 * WINDOW_MS);
    }
    for (let chunk = 0; chunk < 50; chunk++) bring();
    expect(meter.bytesPerSecond()).toBeGreaterThan(9 * CHUNK_BYTES);
  });

  it.each([
    ["a short one", CHUNK_BYTES / 8, 0],
    ["two at once, of which the next is late", 2 * CHUNK_BYTES, 2 * WINDOW_MS],
  ])("stays the mean up to %s", (_, bytes, laterMs) => {
    const { meter, pass, bring } = openMeter();
    const periodMs = 2.5 * WINDOW_MS;
    bring();
    pass(periodMs - 100);
    meter.add(bytes);
    pass(WINDOW_MS + laterMs);
    expect(meter.bytesPerSecond()).toBe(Math.round((CHUNK_BYTES * 1000) / periodMs));
  });

  it("is the mean also after one whose parts came for longer than the window", () => {
    const { meter, pass, bring } = openMeter();
    bring();
    pass(2 * WINDOW_MS);
    for (let part = 0; part < PARTS; part++) {
      meter.add(CHUNK_BYTES / PARTS);
      pass(WINDOW_MS / 8);
    }
    pass(WINDOW_MS);
    expect(meter.bytesPerSecond()).toBe(Math.round((CHUNK_BYTES * 1000) / (3 * WINDOW_MS)));
  });

  it.each([
    ["nothing yet", 0, WINDOW_MS],
    ["many at once", 3, WINDOW_MS],
    ["the longest time between two", 1, LONGEST_RHYTHM_MS + 1],
  ])("is that of the window after %s", (_, chunks, pauseMs) => {
    const { meter, pass, bring } = openMeter();
    for (let chunk = 0; chunk < chunks; chunk++) bring();
    pass(pauseMs);
    bring();
    const ofWindow = (CHUNK_BYTES * 1000) / WINDOW_MS;
    expect(meter.bytesPerSecond() / ofWindow).toBeGreaterThan(0.8);
    expect(meter.bytesPerSecond() / ofWindow).toBeLessThan(1.2);
  });
});
