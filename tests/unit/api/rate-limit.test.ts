/** The rate limit against a log of all that it served: src/api/rate-limit. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MAX_RATE_TIMESTAMPS } from "../../../src/api/limits.ts";
import { clientKey, createRateLimit, type RateLimit, rateLimitHeaders } from "../../../src/api/rate-limit.ts";
import type { Clock } from "../../../src/sharing/ports.ts";

const WINDOW_MS = 60_000;

class SteppedClock implements Clock {
  nowMs = 0;
  now = () => this.nowMs;
  monotonic = () => this.nowMs;
  sleep = () => Promise.reject(new Error("nothing sleeps here"));
}

const requests = (clients: number) =>
  fc.array(
    fc.record({
      client: fc.integer({ min: 0, max: clients - 1 }),
      afterMs: fc.integer({ min: 0, max: 25_000 }),
    }),
    { maxLength: 200 },
  );

const addressOf = (client: number) => `192.0.2.${client}`;

describe("the rate limit", () => {
  it("serves exactly what a log of all served requests allows", () => {
    fc.assert(
      fc.property(requests(3), fc.integer({ min: 1, max: 6 }), (steps, limit) => {
        const clock = new SteppedClock();
        const rateLimit = createRateLimit(limit, clock);
        const served: { client: number; atMs: number }[] = [];
        for (const { client, afterMs } of steps) {
          clock.nowMs += afterMs;
          const counted = served.filter(
            (past) => past.client === client && past.atMs > clock.nowMs - WINDOW_MS,
          );
          const quota = rateLimit.take(addressOf(client));
          expect(quota.allowed).toBe(counted.length < limit);
          expect(quota.remaining).toBe(Math.max(0, limit - counted.length - 1));
          if (quota.allowed) served.push({ client, atMs: clock.nowMs });
          else
            expect(quota.retryAfterSeconds).toBe(
              Math.ceil(((counted[0]?.atMs ?? 0) + WINDOW_MS - clock.nowMs) / 1000),
            );
        }
      }),
    );
  });

  it("never serves a client more than the limit in any 60 s, however few places it remembers", () => {
    fc.assert(
      fc.property(
        requests(12),
        fc.integer({ min: 1, max: 4 }),
        fc.integer({ min: 1, max: 4 }),
        (steps, limit, places) => {
          const clock = new SteppedClock();
          const rateLimit = createRateLimit(limit, clock, places);
          const served = new Map<number, number[]>();
          for (const { client, afterMs } of steps) {
            clock.nowMs += afterMs;
            if (!rateLimit.take(addressOf(client)).allowed) continue;
            const times = [...(served.get(client) ?? []), clock.nowMs];
            served.set(client, times);
            expect(times.filter((time) => time > clock.nowMs - WINDOW_MS).length).toBeLessThanOrEqual(limit);
          }
        },
      ),
    );
  });

  it("still serves newcomers, together, when all places are taken", () => {
    const clock = new SteppedClock();
    const rateLimit = createRateLimit(2, clock, 1);
    rateLimit.take("192.0.2.1");
    expect([2, 3, 4].map((client) => rateLimit.take(addressOf(client)).allowed)).toEqual([true, true, false]);
    expect(rateLimit.take("192.0.2.1").allowed).toBe(true);
  });

  describe("where all places are taken", () => {
    /** Whether two clients that come now share one window, since there is no place for either. */
    function newcomersShare(rateLimit: RateLimit): boolean {
      const [first, second] = [101, 102].map((client) => rateLimit.take(addressOf(client)).remaining);
      return first !== second;
    }

    it("gives those of clients that are out of their window to newcomers", () => {
      const clock = new SteppedClock();
      const rateLimit = createRateLimit(9, clock, 2);
      for (const client of [1, 2]) rateLimit.take(addressOf(client));
      clock.nowMs = WINDOW_MS - 1;
      expect(newcomersShare(rateLimit)).toBe(true);
      clock.nowMs = 2 * WINDOW_MS;
      expect(newcomersShare(rateLimit)).toBe(false);
    });

    it("does so though a client that came before them is still here", () => {
      const clock = new SteppedClock();
      const rateLimit = createRateLimit(9, clock, 3);
      for (const client of [1, 2, 3]) rateLimit.take(addressOf(client));
      clock.nowMs = WINDOW_MS / 2;
      rateLimit.take(addressOf(1));
      clock.nowMs = WINDOW_MS + 1;
      expect(newcomersShare(rateLimit)).toBe(false);
    });

    it.each([
      ["as many as times are kept for", MAX_RATE_TIMESTAMPS / 2, 2],
      ["one, though all times are not enough for it", MAX_RATE_TIMESTAMPS * 2, 1],
    ])("has them for %s", (_how, limit, places) => {
      const rateLimit = createRateLimit(limit, new SteppedClock());
      for (let client = 0; client < places; client += 1)
        expect(rateLimit.take(addressOf(client)).remaining).toBe(limit - 1);
      expect(newcomersShare(rateLimit)).toBe(true);
      expect(rateLimit.take(addressOf(0)).remaining).toBe(limit - 2);
    });
  });

  it("serves again once it said, and says nothing of that while it serves", () => {
    const clock = new SteppedClock();
    const rateLimit = createRateLimit(1, clock);
    expect(rateLimit.take("192.0.2.1")).toMatchObject({ allowed: true, retryAfterSeconds: 0 });
    expect(rateLimit.take("192.0.2.1")).toMatchObject({ allowed: false, retryAfterSeconds: 60 });
    clock.nowMs = 60_000;
    expect(rateLimit.take("192.0.2.1").allowed).toBe(true);
  });

  it("tells policy and rest as structured fields", () => {
    const quota = { allowed: true, remaining: 42, retryAfterSeconds: 0, resetSeconds: 17 };
    expect(rateLimitHeaders(100, quota)).toEqual({
      "RateLimit-Policy": '"default";q=100;w=60',
      RateLimit: '"default";r=42;t=17',
    });
  });

  it("knows one client by any spelling and a page by its id", () => {
    expect(clientKey("::ffff:127.0.0.1")).toBe(clientKey("127.0.0.1"));
    expect(clientKey("2001:db8::1")).toBe(clientKey("2001:DB8:0:0:ffff::%en0"));
    expect(clientKey("2001:db8:0:1::")).not.toBe(clientKey("2001:db8::"));
    expect(clientKey("page-a")).not.toBe(clientKey("page-b"));
    expect(clientKey("p".repeat(10_000)).length).toBeLessThan(100);
  });
});
