/** Strikes and bans of peers: src/sharing/bans. */
import { expect, it } from "vitest";
import { Bans } from "../../../src/sharing/bans.ts";
import { BAN_MS, MAX_STRIKING_PEERS, STRIKES_TO_BAN } from "../../../src/sharing/limits.ts";
import { MemoryRecords } from "../../../src/sharing/memory/memory-records.ts";
import type { Swarm } from "../../../src/sharing/ports.ts";
import { HandClock } from "../hand-clock.ts";

const silent = { debug: () => {}, info: () => {}, warn: () => {} };

async function openBans(records = new MemoryRecords(), clock = new HandClock()) {
  const told: string[] = [];
  const swarm = { ban: (peerId: string) => void told.push(peerId) } as unknown as Swarm;
  const bans = await Bans.open(records, swarm, clock, silent);
  const strike = async (peerId: string, times: number) => {
    for (let nth = 0; nth < times; nth++) await bans.strike(peerId, new Error("lies"));
  };
  return { bans, strike, told, records, clock };
}

it("a peer whose ban is over begins anew, also after a restart", async () => {
  const { strike, records, clock, told } = await openBans();
  await strike("p", STRIKES_TO_BAN);
  await clock.pass(BAN_MS);
  await strike("p", STRIKES_TO_BAN - 1);
  expect(told).toEqual(["p"]);
  const next = await openBans(records, clock);
  expect([next.bans.isBanned("p"), next.told]).toEqual([false, []]);
  await next.strike("p", 1);
  expect([next.bans.isBanned("p"), next.told]).toEqual([true, ["p"]]);
});

it("a breach that several tell of is one strike", async () => {
  const { bans, strike } = await openBans();
  const breach = new Error("lies");
  for (let transfer = 0; transfer < STRIKES_TO_BAN; transfer++) await bans.strike("p", breach);
  await strike("p", STRIKES_TO_BAN - 2);
  expect(bans.isBanned("p")).toBe(false);
  await strike("p", 1);
  expect(bans.isBanned("p")).toBe(true);
});

it("a ban stands though the peer is struck again for what was under way when it began", async () => {
  const { bans, strike, records, clock, told } = await openBans();
  await strike("p", STRIKES_TO_BAN);
  await clock.pass(BAN_MS / 2);
  await strike("p", 1);
  expect([bans.isBanned("p"), told]).toEqual([true, ["p"]]);
  const next = await openBans(records, clock);
  expect([next.bans.isBanned("p"), next.told]).toEqual([true, ["p"]]);
  await clock.pass(BAN_MS / 2);
  expect([bans.isBanned("p"), next.bans.isBanned("p")]).toEqual([false, false]);
});

it("of very many peers those are remembered that were struck last", async () => {
  const { bans, strike, records } = await openBans();
  await strike("p", 1);
  for (let peer = 1; peer < MAX_STRIKING_PEERS; peer++) await strike(`${peer}`, 1);
  await strike("p", 1);
  await strike("new", 1);
  await strike("1", STRIKES_TO_BAN - 1);
  await strike("p", STRIKES_TO_BAN - 2);
  expect([bans.isBanned("1"), bans.isBanned("p")]).toEqual([false, true]);
  let count = 0;
  for await (const _ of records.entries("bans")) count += 1;
  expect(count).toBe(MAX_STRIKING_PEERS);
});
