/** The bell that wakes a loop: a ring, a time, or the end. */
import { describe, expect, it } from "vitest";
import { Bell } from "../../../src/sharing/bell.ts";
import { systemClock } from "../../../src/sharing/system-clock.ts";

const { signal } = new AbortController();

describe("a loop that waits until a time", () => {
  it("is woken by a ring before it, also by one that was kept", async () => {
    const bell = new Bell();
    const waiting = bell.waitUntil(Number.POSITIVE_INFINITY, systemClock, signal);
    bell.ring();
    expect(await waiting).toBe(true);
    bell.ring();
    expect(await bell.waitUntil(systemClock.monotonic() + 60_000, systemClock, signal)).toBe(true);
  });

  it("goes on without a ring once it has come, and takes none from the next wait", async () => {
    const bell = new Bell();
    expect(await bell.waitUntil(systemClock.monotonic() - 1, systemClock, signal)).toBe(false);
    const next = bell.waitUntil(Number.POSITIVE_INFINITY, systemClock, signal);
    bell.ring();
    expect(await next).toBe(true);
  });

  it("is given the reason where it should end", async () => {
    const stop = new AbortController();
    const waiting = new Bell().waitUntil(Number.POSITIVE_INFINITY, systemClock, stop.signal);
    stop.abort(new Error("enough"));
    await expect(waiting).rejects.toThrow("enough");
  });
});
