/** One request for each of many: src/ui/state/some-at-a-time. */
import { describe, expect, test, vi } from "vitest";
import { ASKED_AT_ONCE } from "../../../src/ui/limits.ts";
import { someAtATime } from "../../../src/ui/state/some-at-a-time.ts";
import { deferred } from "../../deferred.ts";
import { eventually } from "../../eventually.ts";

describe("requests for each of many", () => {
  function begun(count: number) {
    const asked: ReturnType<typeof deferred<void>>[] = [];
    const over = someAtATime(
      Array.from({ length: count }, (_, at) => at),
      (one) => {
        expect(one).toBe(asked.length);
        asked.push(deferred());
        return asked[one]?.promise ?? Promise.reject(new Error("it is there"));
      },
    );
    return { asked, over };
  }

  test("are begun in order, some at a time", async () => {
    const { asked, over } = begun(ASKED_AT_ONCE + 2);
    expect(asked).toHaveLength(ASKED_AT_ONCE);
    asked[1]?.resolve();
    await eventually(() => expect(asked).toHaveLength(ASKED_AT_ONCE + 1));
    asked[0]?.resolve();
    await eventually(() => expect(asked).toHaveLength(ASKED_AT_ONCE + 2));
    for (const { resolve } of asked) resolve();
    await over;
  });

  test("are none after one that failed, and it is told of once the others are over", async () => {
    const { asked, over } = begun(2 * ASKED_AT_ONCE);
    const told = vi.fn();
    const failed = over.catch(told);
    asked[1]?.reject(new Error("no room"));
    for (const one of [0, 2]) asked[one]?.resolve();
    await Promise.all([asked[0]?.promise, asked[2]?.promise]);
    expect(told).not.toHaveBeenCalled();
    for (const { resolve } of asked) resolve();
    await failed;
    expect(told).toHaveBeenCalledExactlyOnceWith(new Error("no room"));
    expect(asked).toHaveLength(ASKED_AT_ONCE);
  });
});
