/** When lists are loaded anew because of events: src/ui/state/soon. */
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { LISTS_REST_MS, MAX_LISTS_REST_MS, RESTS_A_LOAD } from "../../../src/ui/limits.ts";
import { createSoon } from "../../../src/ui/state/soon.ts";

describe("events of a list", () => {
  test("have it loaded at once, and once more for all that come while it rests", async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const refresh = vi.fn(async () => {});
    const soon = createSoon();
    const list = { refresh };
    soon(list);
    expect(refresh).toHaveBeenCalledTimes(1);
    for (let event = 0; event < 20; event++) soon(list);
    expect(refresh).toHaveBeenCalledTimes(1);
    await vi.advanceTimersByTimeAsync(LISTS_REST_MS);
    expect(refresh).toHaveBeenCalledTimes(2);
    await vi.advanceTimersByTimeAsync(10 * LISTS_REST_MS);
    expect(refresh).toHaveBeenCalledTimes(2);
    soon(list);
    expect(refresh).toHaveBeenCalledTimes(3);
  });

  test("leave one that is slow to load the longer rest, up to a bound, though it can't be had", async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    let loadMs = LISTS_REST_MS;
    const refresh = vi.fn(async () => {
      await new Promise((resolve) => setTimeout(resolve, loadMs));
      throw new Error("gone");
    });
    const soon = createSoon();
    const list = { refresh };
    soon(list);
    for (const [duration, restMs] of [
      [LISTS_REST_MS, RESTS_A_LOAD * LISTS_REST_MS],
      [MAX_LISTS_REST_MS, MAX_LISTS_REST_MS],
    ] as const) {
      refresh.mockClear();
      soon(list);
      await vi.advanceTimersByTimeAsync(duration + restMs - 1);
      expect(refresh).not.toHaveBeenCalled();
      loadMs = MAX_LISTS_REST_MS;
      await vi.advanceTimersByTimeAsync(1);
      expect(refresh).toHaveBeenCalledTimes(1);
    }
  });
});
