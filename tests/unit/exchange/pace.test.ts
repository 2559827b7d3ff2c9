/** What may be moved, when and for whom: src/exchange/rates, and who is watched meanwhile: src/exchange/watchdog. */
import { describe, expect, it, vi } from "vitest";
import {
  BULK_SEND_BYTES,
  BURST_SECONDS,
  MAX_DATA_BYTES,
  MAX_REMEMBERED_PEERS,
  MIN_TURN_BYTES,
  SLOT_BYTES_PER_SECOND,
} from "../../../src/exchange/limits.ts";
import { FairShare, type Lane } from "../../../src/exchange/rates/fair-share.ts";
import { TokenBucket } from "../../../src/exchange/rates/token-bucket.ts";
import { Traffic } from "../../../src/exchange/rates/traffic.ts";
import { Watchdog, type Watched } from "../../../src/exchange/watchdog.ts";
import { HandClock, settled } from "../hand-clock.ts";

describe("traffic", () => {
  it("remembers a bounded number of peers, those met last", () => {
    const traffic = new Traffic(new HandClock());
    for (let peer = 0; peer <= MAX_REMEMBERED_PEERS; peer += 1) traffic.peer(`peer ${peer}`).uploaded(1);
    expect(traffic.of("peer 0").uploadedBytes).toBe(0);
    expect(traffic.of("peer 1").uploadedBytes).toBe(1);
    expect(traffic.totals().uploadedBytes).toBe(MAX_REMEMBERED_PEERS + 1);
  });
});

describe("a fair share", () => {
  function greedy(log: string[], name: string, turns: number): Lane {
    let left = turns;
    return {
      takeTurn: (turnBytes) => {
        if (left === 0) return 0;
        left -= 1;
        log.push(name);
        return turnBytes;
      },
    };
  }

  it("gives every lane a turn in each round, and leaves out those with nothing to move", () => {
    const clock = new HandClock();
    const share = new FairShare(new TokenBucket(Number.POSITIVE_INFINITY, clock), clock);
    const log: string[] = [];
    const b = greedy(log, "b", 1);
    const c = greedy(log, "c", 2);
    let isFirst = true;
    share.wake({
      takeTurn: (turnBytes) => {
        expect(turnBytes).toBe(BULK_SEND_BYTES);
        if (log.length >= 5) return 0;
        log.push("a");
        if (isFirst) for (const lane of [b, c]) share.wake(lane);
        isFirst = false;
        return turnBytes;
      },
    });
    expect(log).toEqual(["a", "b", "c", "a", "c"]);
  });

  it("serves one at a time where a rate is not enough for more, and all in turn once it is", async () => {
    const clock = new HandClock();
    const share = new FairShare(new TokenBucket(SLOT_BYTES_PER_SECOND, clock), clock);
    const log: string[] = [];
    for (const name of ["a", "b", "c"]) share.wake(greedy(log, name, 1000));
    await clock.pass(10_000);
    expect(new Set(log)).toEqual(new Set(["a"]));
    log.length = 0;
    share.setRate(100 * SLOT_BYTES_PER_SECOND);
    await clock.pass(100);
    expect(new Set(log)).toEqual(new Set(["a", "b", "c"]));
    share.stop();
  });

  it("never moves more than the rate and its burst allow", async () => {
    const clock = new HandClock();
    const share = new FairShare(new TokenBucket(1_000_000, clock), clock);
    const log: string[] = [];
    let movedBytes = 0;
    share.wake({
      takeTurn: (turnBytes) => {
        movedBytes += turnBytes;
        return turnBytes;
      },
    });
    share.wake(greedy(log, "rare", 3));
    await clock.pass(10_000);
    expect(movedBytes).toBeGreaterThan(9_500_000);
    expect(movedBytes).toBeLessThanOrEqual(10_000_000 + 100_000 + 64 * 1024);
    expect(log).toHaveLength(3);
    share.stop();
    await clock.pass(10_000);
    expect(movedBytes).toBeLessThanOrEqual(10_000_000 + 100_000 + 64 * 1024);
  });
});

describe("a fair share that waits for its rate", () => {
  /** One lane that has always something to move, and what it was offered. */
  function waiting(bytesPerSecond: number) {
    const clock = new HandClock();
    const sleep = vi.spyOn(clock, "sleep");
    const share = new FairShare(new TokenBucket(bytesPerSecond, clock), clock);
    const offered: number[] = [];
    const lane: Lane = {
      takeTurn: (turnBytes) => {
        offered.push(turnBytes);
        return turnBytes;
      },
    };
    const pendingSleeps = () => sleep.mock.calls.filter(([, signal]) => !signal?.aborted).length;
    return { clock, share, lane, offered, sleep, pendingSleeps };
  }

  it.each([
    [1000, MIN_TURN_BYTES],
    [32 * 10_000, 10_000],
    [1e9, MAX_DATA_BYTES],
  ])("gives turns that suit %d bytes a second", (bytesPerSecond, turnBytes) => {
    const { share, lane, offered } = waiting(bytesPerSecond);
    share.wake(lane);
    expect(offered[0]).toBe(turnBytes);
    share.stop();
  });

  it("counts what was moved out of turn", async () => {
    const { clock, share, lane, offered } = waiting(1000);
    share.charge(1000 * BURST_SECONDS + 500);
    share.wake(lane);
    expect(offered).toHaveLength(0);
    await clock.pass(501);
    expect(offered).toHaveLength(1);
    share.stop();
  });

  it("sleeps once, however many wake it", () => {
    const { share, lane, offered, sleep } = waiting(1000);
    share.wake(lane);
    for (let times = 0; times < 5; times++) share.wake({ takeTurn: () => 0 });
    expect([offered.length, sleep.mock.calls.length]).toEqual([1, 1]);
    share.stop();
  });

  it("goes on with what is given back, and leaves no sleep behind", async () => {
    const { clock, share, lane, offered, pendingSleeps } = waiting(1000);
    share.wake(lane);
    share.refund(MIN_TURN_BYTES);
    expect([offered.length, pendingSleeps()]).toEqual([2, 1]);
    share.setRate(2000);
    await settled();
    expect([offered.length, pendingSleeps()]).toEqual([3, 1]);
    await clock.pass(1000);
    expect(offered).toHaveLength(3);
    share.stop();
  });

  it("moves nothing more for a lane that was removed meanwhile", async () => {
    const { clock, share, lane, offered } = waiting(1000);
    share.wake(lane);
    share.remove(lane);
    await clock.pass(60_000);
    expect(offered).toHaveLength(1);
  });

  it("moves nothing more once it is stopped, and leaves no sleep behind", async () => {
    const { clock, share, lane, offered, pendingSleeps } = waiting(1000);
    share.wake(lane);
    share.stop();
    expect(pendingSleeps()).toBe(0);
    share.wake(lane);
    share.refund(1_000_000);
    await clock.pass(60_000);
    expect(offered).toHaveLength(1);
  });
});

describe("a token bucket", () => {
  it("saves up no more than its burst, however long nothing moves", async () => {
    const clock = new HandClock();
    const bucket = new TokenBucket(1000, clock);
    await clock.pass(3_600_000);
    expect(bucket.waitMs()).toBe(0);
    bucket.charge(1000 * BURST_SECONDS + 500);
    expect(bucket.waitMs()).toBe(500);
  });

  it("forgets at another rate what was used too much before", () => {
    const bucket = new TokenBucket(1000, new HandClock());
    bucket.charge(1_000_000);
    bucket.setRate(2000);
    expect(bucket.waitMs()).toBe(0);
    bucket.charge(2000 * BURST_SECONDS + 500);
    expect(bucket.waitMs()).toBe(250);
  });

  it("saves up nothing at another rate for the time before it", async () => {
    const clock = new HandClock();
    const bucket = new TokenBucket(Number.POSITIVE_INFINITY, clock);
    await clock.pass(3_600_000);
    bucket.setRate(1000);
    bucket.charge(1000 * BURST_SECONDS + 500);
    expect(bucket.waitMs()).toBe(500);
  });
});

describe("the watchdog", () => {
  function counted(): Watched & { ticks: number } {
    const watched = {
      ticks: 0,
      onTick: () => {
        watched.ticks += 1;
      },
    };
    return watched;
  }

  it("counts the time that the process lived, not the time that it was suspended", async () => {
    const clock = new HandClock();
    const watchdog = new Watchdog(clock);
    let seenMs = 0;
    watchdog.add({
      onTick: (awakeMs) => {
        seenMs = awakeMs;
      },
    });
    await clock.pass(5_000);
    expect(seenMs).toBe(5_000);
    await clock.suspend(3_600_000);
    expect(seenMs).toBe(7_000);
    watchdog.stop();
  });

  it("counts the same time however many it watches, and wakes nobody while there are none", async () => {
    const clock = new HandClock();
    const sleep = vi.spyOn(clock, "sleep");
    const watchdog = new Watchdog(clock);
    const [one, other] = [counted(), counted()];
    for (const watched of [one, other]) watchdog.add(watched);
    await clock.pass(3_000);
    expect([watchdog.awakeMs, one.ticks, other.ticks]).toEqual([3_000, 3, 3]);
    watchdog.remove(one);
    await clock.pass(1_000);
    expect([one.ticks, other.ticks]).toEqual([3, 4]);
    watchdog.remove(other);
    await clock.pass(1_000);
    sleep.mockClear();
    await clock.pass(10_000);
    expect(sleep).not.toHaveBeenCalled();
    watchdog.add(other);
    await clock.pass(1_000);
    expect([one.ticks, other.ticks]).toEqual([3, 5]);
    watchdog.stop();
    await clock.pass(5_000);
    expect([watchdog.awakeMs, other.ticks]).toEqual([6_000, 5]);
    expect(sleep.mock.lastCall?.[1]?.aborted).toBe(true);
  });
});
