/** What Node.js 20 lacks, as we add it: src/headless/node20-shims. */
import { setImmediate as turn } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import "../../../src/headless/node20-shims.ts";

setFlagsFromString("--expose-gc");
const collect: () => void = runInNewContext("gc");

/** How many signals made of it a signal keeps word of, in whatever way this Node.js does. */
function dependantCount(signal: AbortSignal): number {
  const symbol = Object.getOwnPropertySymbols(signal).find((key) => key.description === "kDependantSignals");
  return symbol ? ((signal as unknown as Record<symbol, Set<unknown>>)[symbol]?.size ?? 0) : 0;
}

describe("AbortSignal.any", () => {
  it("leaves nothing in a signal that lives long of those that are gone", async () => {
    const long = new AbortController().signal;
    const both = AbortSignal.any([long, new AbortController().signal]);
    for (let round = 0; round < 4; round++) {
      for (let i = 0; i < 500; i++) {
        const other = new AbortController();
        const made = AbortSignal.any([i % 2 ? long : both, other.signal]);
        if (i % 3 === 0) continue;
        made.addEventListener("abort", () => undefined, { once: true });
        other.abort();
      }
      await turn();
      collect();
    }
    expect(dependantCount(long)).toBeLessThan(1200);
  });

  it("keeps what is still listened to, however many come after it", async () => {
    const long = new AbortController();
    const heard: unknown[] = [];
    const listen = (signal: AbortSignal) =>
      signal.addEventListener("abort", () => heard.push(signal.reason), { once: true });
    for (let i = 0; i < 300; i++) listen(AbortSignal.any([long.signal, new AbortController().signal]));
    await turn();
    collect();
    for (let i = 0; i < 1000; i++) AbortSignal.any([long.signal, new AbortController().signal]);
    long.abort("over");
    expect(heard).toEqual(Array.from({ length: 300 }, () => "over"));
  });

  it("ends by a time limit that nobody else knows, also once garbage was collected", async () => {
    const long = new AbortController().signal;
    const LIMIT_MS = 100;
    const ends = Array.from(
      { length: 50 },
      () =>
        new Promise((resolve) => {
          const signal = AbortSignal.any([long, AbortSignal.timeout(LIMIT_MS)]);
          signal.addEventListener("abort", () => resolve(signal.reason), { once: true });
        }),
    );
    await turn();
    collect();
    for (const end of await Promise.all(ends)) expect(end).toMatchObject({ name: "TimeoutError" });
  });

  it("ends with one that ended before anybody looked, also once garbage was collected", async () => {
    const long = new AbortController().signal;
    const made = Array.from({ length: 50 }, () => {
      const other = new AbortController();
      const signal = AbortSignal.any([long, other.signal]);
      other.abort("over");
      return signal;
    });
    await turn();
    collect();
    for (const signal of made) expect(signal.reason).toBe("over");
  });
});
