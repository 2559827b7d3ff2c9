/** The clock of the machine is set while a node runs, or between two runs: by an hour ahead, or back by a day. */
import { describe, expect, it } from "vitest";
import { Bans } from "../../../src/sharing/bans.ts";
import {
  BAN_MS,
  CHUNK_BYTES,
  FIRST_PROVIDER_MS,
  STALL_MS,
  STRIKES_TO_BAN,
} from "../../../src/sharing/limits.ts";
import { MemoryRecords } from "../../../src/sharing/memory/memory-records.ts";
import type { Swarm } from "../../../src/sharing/ports.ts";
import { HandClock } from "../hand-clock.ts";
import { bytesOf, ended, Hub, randomFile } from "./hub.ts";

const HOUR_MS = 3_600_000;
const JUMPS = [HOUR_MS, -24 * HOUR_MS];
const NOBODY = "bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku";
const silent = { debug: () => {}, info: () => {}, warn: () => {} };

/** Of the bans that the swarm was told of, how long each is. */
async function openBans(records: MemoryRecords, clock: HandClock) {
  const told: number[] = [];
  const swarm = { ban: (_: string, forMs: number) => void told.push(forMs) } as unknown as Swarm;
  return { bans: await Bans.open(records, swarm, clock, silent), told };
}

describe("a ban", () => {
  it.each(JUMPS)("lasts as long when the clock is set by %i ms", async (byMs) => {
    const clock = new HandClock();
    const { bans, told } = await openBans(new MemoryRecords(), clock);
    for (let strike = 0; strike < STRIKES_TO_BAN; strike++) await bans.strike("p", new Error("lies"));
    clock.set(byMs);
    await clock.pass(BAN_MS - 1);
    expect(bans.isBanned("p")).toBe(true);
    await clock.pass(1);
    expect(bans.isBanned("p")).toBe(false);
    expect(told).toEqual([BAN_MS]);
  });

  it("has no longer to go in the next run than it had at first, though the clock was set back", async () => {
    const clock = new HandClock();
    const records = new MemoryRecords();
    const before = await openBans(records, clock);
    for (let strike = 0; strike < STRIKES_TO_BAN; strike++) await before.bans.strike("p", new Error("lies"));
    clock.set(-24 * HOUR_MS);
    const { bans, told } = await openBans(records, clock);
    expect(bans.isBanned("p")).toBe(true);
    expect(told).toEqual([BAN_MS]);
    await clock.pass(BAN_MS);
    expect(bans.isBanned("p")).toBe(false);
  });
});

describe("a transfer", () => {
  /** One chunk comes, and the next when it is let. */
  async function halfWay(clock: HandClock) {
    const hub = new Hub(clock);
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    let given = 0;
    const seeder = await hub.join("seeder", {
      manners: { answer: async (_, block) => (++given > 2 ? released.then(() => block) : block) },
    });
    const { file } = await seeder.node.share(bytesOf(randomFile(2 * CHUNK_BYTES)), { name: "x" });
    const { node } = await hub.join("leecher");
    const { id } = await node.download({ fileId: file.id });
    await expect.poll(() => node.transfer(id).progress).toBe(1 / 2);
    return { seeder, node, id, release };
  }

  it.each(JUMPS)("tells how long it took when the clock is set by %i ms", async (byMs) => {
    const clock = new HandClock();
    const { node, id, release } = await halfWay(clock);
    await clock.pass(3_000);
    clock.set(byMs);
    release();
    expect(await ended(node, id)).toBe("transfer_complete");
    const end = node.events.since(0).find(({ event }) => event === "transfer_complete");
    expect(end?.data).toMatchObject({ duration: 3 });
  });

  it("that a restart cut off took no less than no time, though the clock was set back meanwhile", async () => {
    const clock = new HandClock();
    const hub = new Hub(clock);
    const seeder = await hub.join("seeder", { manners: { isUnreachable: true } });
    const { file } = await seeder.node.share(bytesOf(randomFile(10)), { name: "x" });
    const records = new MemoryRecords();
    const before = await hub.join("leecher", { records });
    const { id } = await before.node.download({ fileId: file.id });
    await before.node.stop();
    clock.set(-24 * HOUR_MS);
    seeder.manners.isUnreachable = false;
    const { node } = await hub.join("leecher", { records, autoResume: true });
    expect(await ended(node, id)).toBe("transfer_complete");
    const end = node.events.since(0).find(({ event }) => event === "transfer_complete");
    expect(end?.data).toMatchObject({ duration: 0 });
  });

  it.each(JUMPS)("is expected to complete after now when the clock is set by %i ms", async (byMs) => {
    const clock = new HandClock();
    const { node, id, release } = await halfWay(clock);
    await clock.pass(1_000);
    clock.set(byMs);
    const leftMs = (node.transfer(id).estimatedCompletion?.getTime() ?? 0) - clock.now();
    expect(leftMs).toBeGreaterThan(0);
    expect(leftMs).toBeLessThan(60_000);
    release();
    await ended(node, id);
  });

  it.each(JUMPS)("waits as long for providers when the clock is set by %i ms", async (byMs) => {
    const clock = new HandClock();
    const { node } = await new Hub(clock).join("alone");
    const { id } = await node.download({ fileId: NOBODY });
    clock.set(byMs);
    const tookMs = await clock.passUntil(() => node.transfer(id).status === "failed");
    expect(tookMs).toBeGreaterThanOrEqual(FIRST_PROVIDER_MS);
    expect(tookMs).toBeLessThan(2 * FIRST_PROVIDER_MS);
  });

  it.each(JUMPS)("is interrupted as soon when the clock is set by %i ms", async (byMs) => {
    const clock = new HandClock();
    const { seeder, node, id, release } = await halfWay(clock);
    seeder.leave();
    clock.set(byMs);
    const tookMs = await clock.passUntil(() => node.transfer(id).status === "interrupted");
    expect(tookMs).toBeGreaterThanOrEqual(STALL_MS);
    expect(tookMs).toBeLessThan(2 * STALL_MS);
    release();
    await node.stop();
  });

  it("that began last is the newest, though the clock was set back before", async () => {
    const clock = new HandClock();
    const { node } = await new Hub(clock).join("alone");
    const first = await node.download({ fileId: NOBODY, outputPath: "first" });
    clock.set(-24 * HOUR_MS);
    const second = await node.download({ fileId: NOBODY, outputPath: "second" });
    expect(node.transfers().map(({ id }) => id)).toEqual([second.id, first.id]);
    for (const { id } of [first, second]) await node.pause(id);
    expect((await node.resume(NOBODY)).id).toBe(second.id);
    await node.stop();
  });
});
