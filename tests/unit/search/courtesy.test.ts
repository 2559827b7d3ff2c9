/** How reading and embedding give way to transfers. */
import { describe, expect, it } from "vitest";
import { Courtesy } from "../../../src/search/courtesy.ts";
import { BUSY_BYTES_PER_SECOND, MAX_REST_MS } from "../../../src/search/limits.ts";

/** A clock that goes by what is slept and by what `work` says. */
function timed(bytesPerSecond: number) {
  let nowMs = 0;
  const rests: number[] = [];
  const courtesy = new Courtesy({
    traffic: () => ({
      ...{ uploadedBytes: 0, downloadedBytes: 0, uploadBytesPerSecond: 0 },
      downloadBytesPerSecond: bytesPerSecond,
    }),
    clock: {
      now: () => nowMs,
      monotonic: () => nowMs,
      async sleep(ms) {
        rests.push(ms);
        nowMs += ms;
      },
    },
  });
  const work = (ms: number) =>
    courtesy.after(new AbortController().signal, async () => {
      nowMs += ms;
      return "done";
    });
  return { rests, work };
}

describe("work in the background", () => {
  it("takes a 25th of the time while files go to or come from peers", async () => {
    const { rests, work } = timed(BUSY_BYTES_PER_SECOND);
    expect(await work(100)).toBe("done");
    await work(10);
    expect(rests).toEqual([2400, 240]);
  });

  it("rests for a bounded time after a long piece", async () => {
    const { rests, work } = timed(BUSY_BYTES_PER_SECOND);
    await work(60_000);
    expect(rests).toEqual([MAX_REST_MS]);
  });

  it("goes on at once where no transfer runs", async () => {
    const { rests, work } = timed(0);
    await work(100);
    expect(rests).toEqual([]);
  });
});
