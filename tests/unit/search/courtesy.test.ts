/** How reading, embedding and storing give way to transfers. */
import { describe, expect, it } from "vitest";
import { Courtesy } from "../../../src/search/courtesy.ts";
import {
  BUSY_REST_FACTOR,
  FAST_BYTES_PER_SECOND,
  LEAST_REST_FACTOR,
  MAX_REST_MS,
  QUIET_MS,
  REST_STEP_MS,
} from "../../../src/search/limits.ts";

/** A clock that goes by what is slept and by what pieces take; a chunk moves every 10 ms, from the one time to the other. */
function timed(fromMs: number, toMs: number, bytesPerSecond = FAST_BYTES_PER_SECOND) {
  let nowMs = 0;
  const courtesy = new Courtesy({
    traffic: () => ({
      uploadedBytes: Math.max(0, Math.floor((Math.min(nowMs, toMs) - fromMs) / 10) + 1),
      downloadedBytes: 0,
      uploadBytesPerSecond: bytesPerSecond / 4,
      downloadBytesPerSecond: (bytesPerSecond * 3) / 4,
    }),
    clock: {
      now: () => nowMs,
      monotonic: () => nowMs,
      async sleep(ms, signal) {
        signal?.throwIfAborted();
        nowMs += ms;
      },
    },
  });
  /** Gives when the piece began. */
  return async (
    tookMs: number,
    { signal = new AbortController().signal, failed }: { signal?: AbortSignal; failed?: Error } = {},
  ) => {
    let beganMs = Number.NaN;
    const work = async () => {
      beganMs = nowMs;
      nowMs += tookMs;
      if (failed) throw failed;
      return "done";
    };
    expect(await courtesy.piece(signal, work)).toBe("done");
    return beganMs;
  };
}

const NEVER = Number.POSITIVE_INFINITY;

describe("work in the background", () => {
  it("goes on piece by piece where no transfer runs", async () => {
    const piece = timed(NEVER, NEVER);
    expect(await piece(40)).toBe(0);
    expect(await piece(40)).toBe(40);
  });

  it("stops at the first chunk that moves, whatever the speed is told to be", async () => {
    const piece = timed(30, NEVER, 0);
    await piece(20);
    await piece(20);
    expect(await piece(20)).toBe(40 + 20 * BUSY_REST_FACTOR);
  });

  it("takes a hundredth of the time while files go to or come from peers, and never none", async () => {
    const piece = timed(0, NEVER);
    for (let i = 0; i < 100; i++) await piece(10);
    expect(await piece(10)).toBe(100_000);
  });

  it("takes more of the time beside a slow transfer, and half of it beside the slowest", async () => {
    const slow = timed(0, NEVER, FAST_BYTES_PER_SECOND / 9);
    await slow(1000);
    expect(await slow(1000)).toBe(1000 + 1000 * (BUSY_REST_FACTOR / 9));
    const slowest = timed(0, NEVER, 1);
    await slowest(QUIET_MS);
    const beganMs = await slowest(1000);
    expect(await slowest(10)).toBe(beganMs + 1000 + 1000 * LEAST_REST_FACTOR);
  });

  it("rests for a bounded time after a long piece", async () => {
    const piece = timed(0, NEVER);
    await piece(60 * 60_000);
    expect(await piece(10)).toBe(60 * 60_000 + MAX_REST_MS);
  });

  it("goes on when no chunk has moved for a while", async () => {
    const endMs = 20_000;
    const piece = timed(0, endMs);
    await piece(1000);
    const beganMs = await piece(1000);
    expect(beganMs).toBeGreaterThanOrEqual(endMs + QUIET_MS);
    expect(beganMs).toBeLessThanOrEqual(endMs + QUIET_MS + REST_STEP_MS);
  });

  it("rests after work that failed, too", async () => {
    const piece = timed(0, NEVER);
    const failed = new Error("no room");
    await expect(piece(1000, { failed })).rejects.toBe(failed);
    expect(await piece(10)).toBe(1000 + 1000 * BUSY_REST_FACTOR);
  });

  it("ends its rest with the signal's reason", async () => {
    const piece = timed(0, NEVER);
    await piece(1000);
    const reason = new Error("closing");
    await expect(piece(1000, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  });
});
