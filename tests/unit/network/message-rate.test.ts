/** So many messages a second, by key: src/network/message-rate. */
import { beforeEach, describe, expect, it } from "vitest";
import { MessageRate } from "../../../src/network/message-rate.ts";
import { HandClock } from "../hand-clock.ts";

describe("a message rate", () => {
  let clock: HandClock;
  let rate: MessageRate;

  beforeEach(() => {
    clock = new HandClock();
    rate = new MessageRate(clock, { burst: 3, perSecond: 2, maxKeys: 2 });
  });

  const takeAll = (key: string) => {
    let taken = 0;
    while (rate.take(key)) taken += 1;
    return taken;
  };

  it("gives a burst, then so many a second, to each key apart", async () => {
    expect(takeAll("a")).toBe(3);
    expect(takeAll("b")).toBe(3);
    await clock.pass(1_000);
    expect(takeAll("a")).toBe(2);
    await clock.pass(60_000);
    expect(takeAll("a")).toBe(3);
  });

  it("says how long to wait for the next", async () => {
    expect(rate.waitMs("a")).toBe(0);
    takeAll("a");
    expect(rate.waitMs("a")).toBe(500);
    await clock.pass(500);
    expect(rate.take("a")).toBe(true);
  });

  it("remembers no more keys than its cap, and hears a new one in place of the one that was quiet for longest", () => {
    for (const key of ["a", "b"]) takeAll(key);
    expect(rate.take("a")).toBe(false);
    expect(takeAll("c")).toBe(3);
    expect(rate.take("a")).toBe(false);
    expect(takeAll("b")).toBe(3);
  });
});
