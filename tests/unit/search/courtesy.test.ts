/** How reading and embedding give way to transfers. */
import { describe, expect, it } from "vitest";
import { Courtesy } from "../../../src/search/courtesy.ts";
import { BUSY_BYTES_PER_SECOND, MAX_REST_MS, REST_STEP_MS } from "../../../src/search/limits.ts";

/** A clock that goes by what is slept and by what `work` says; a transfer runs until `endMs`. */
function timed(bytesPerSecond: number, endMs = Number.POSITIVE_INFINITY) {
  let nowMs = 0;
  const courtesy = new Courtesy({
    traffic: () => ({
      ...{ uploadedBytes: 0, downloadedBytes: 0, uploadBytesPerSecond: 0 },
      downloadBytesPerSecond: nowMs < endMs ? bytesPerSecond : 0,
    }),
    clock: {
      now: () => nowMs,
      monotonic: () => nowMs,
      async sleep(ms) {
        nowMs += ms;
      },
    },
  });
  /** Gives how long the work rested. */
  const restAfter = async (workMs: number) => {
    const startMs = nowMs;
    const work = async () => {
      nowMs += workMs;
      return "done";
    };
    expect(await courtesy.after(new AbortController().signal, work)).toBe("done");
    return nowMs - startMs - workMs;
  };
  return restAfter;
}

describe("work in the background", () => {
  it("takes a 25th of the time while files go to or come from peers", async () => {
    const restAfter = timed(BUSY_BYTES_PER_SECOND);
    expect(await restAfter(100)).toBe(2400);
    expect(await restAfter(10)).toBe(240);
  });

  it("rests for a bounded time after a long piece", async () => {
    expect(await timed(BUSY_BYTES_PER_SECOND)(60 * 60_000)).toBe(MAX_REST_MS);
  });

  it("goes on at once where no transfer runs", async () => {
    expect(await timed(0)(100)).toBe(0);
  });

  it("goes on soon after a transfer has ended", async () => {
    const endMs = 5000;
    const restMs = await timed(BUSY_BYTES_PER_SECOND, endMs)(1000);
    expect(1000 + restMs).toBeGreaterThanOrEqual(endMs);
    expect(1000 + restMs).toBeLessThan(endMs + REST_STEP_MS);
  });
});
