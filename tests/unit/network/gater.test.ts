import { describe, expect, it } from "vitest";
import { Bans } from "../../../src/network/gater.ts";
import { MAX_BANS } from "../../../src/network/limits.ts";
import { HandClock } from "../hand-clock.ts";

const HOUR_MS = 3_600_000;

describe("bans", () => {
  it("end when their time is over", async () => {
    const clock = new HandClock();
    const bans = new Bans(clock);
    bans.add("p", 1_000);
    expect(bans.has("p")).toBe(true);
    await clock.pass(1_000);
    expect(bans.has("p")).toBe(false);
  });

  it.each([HOUR_MS, -24 * HOUR_MS])("last as long when the clock is set by %i ms", async (byMs) => {
    const clock = new HandClock();
    const bans = new Bans(clock);
    bans.add("p", 1_000);
    clock.set(byMs);
    expect(bans.has("p")).toBe(true);
    await clock.pass(1_000);
    expect(bans.has("p")).toBe(false);
  });

  it("beyond the cap push out the one that ends first", () => {
    const clock = new HandClock();
    const bans = new Bans(clock);
    for (let i = 0; i <= MAX_BANS; i++) bans.add(`peer ${i}`, 1_000 + i);
    expect(bans.has("peer 0")).toBe(false);
    expect(bans.has("peer 1")).toBe(true);
    expect(bans.has(`peer ${MAX_BANS}`)).toBe(true);
  });
});
