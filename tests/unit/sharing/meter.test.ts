/** The speed of the last seconds: src/sharing/meter. */
import { describe, expect, it } from "vitest";
import { METER_TICK_MS, METER_TICKS } from "../../../src/sharing/limits.ts";
import { Meter } from "../../../src/sharing/meter.ts";

function openMeter() {
  let nowMs = 12_345;
  const meter = new Meter(() => nowMs);
  return { meter, pass: (ms: number) => (nowMs += ms) };
}

describe("a meter", () => {
  it("tells the speed of the last seconds and the total of all time", () => {
    const { meter, pass } = openMeter();
    for (let step = 0; step < 80; step += 1) {
      meter.add(100);
      pass(100);
    }
    expect(meter.totalBytes).toBe(8000);
    expect(meter.bytesPerSecond()).toBeGreaterThan(970);
    expect(meter.bytesPerSecond()).toBeLessThan(1030);
    pass(METER_TICK_MS * METER_TICKS);
    expect(meter.bytesPerSecond()).toBe(0);
    expect(meter.totalBytes).toBe(8000);
  });

  it("of a young age averages over its age, but not over less than a tick", () => {
    const { meter, pass } = openMeter();
    meter.add(METER_TICK_MS);
    expect(meter.bytesPerSecond()).toBe(1000);
    pass(2 * METER_TICK_MS);
    expect(meter.bytesPerSecond()).toBe(500);
  });
});
