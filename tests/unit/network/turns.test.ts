/** Who is asked, of many that may bring nothing: src/network/turns. */
import { expect, it } from "vitest";
import { MAX_PARALLEL_PULLS, MAX_WAITING_PULLS, PULL_PATIENCE_MS } from "../../../src/network/limits.ts";
import { type Turn, Turns } from "../../../src/network/turns.ts";
import { HandClock } from "../hand-clock.ts";

/** Turns of peers that say nothing until they are told to, and end when they have to. */
function silentTurns() {
  const clock = new HandClock();
  const taken: string[] = [];
  const under = new Map<string, { turn: Turn; end: () => void }>();
  const turns = new Turns(clock, async (peerId, turn) => {
    taken.push(peerId);
    await new Promise<void>((end) => {
      under.set(peerId, { turn, end });
      turn.signal.addEventListener("abort", () => end());
    });
    under.delete(peerId);
  });
  const joinMany = (name: string, count: number) => {
    for (let nth = 0; nth < count; nth++) turns.join(`${name} ${nth}`);
  };
  return { clock, turns, taken, under, joinMany };
}

it("go to one that waits when those that have them bring nothing, and to no more than wait", async () => {
  const { clock, turns, taken, under, joinMany } = silentTurns();
  joinMany("silent", MAX_PARALLEL_PULLS);
  turns.join("waiting");
  await clock.pass(PULL_PATIENCE_MS - 1);
  expect(taken).not.toContain("waiting");
  await clock.pass(1);
  expect(taken).toContain("waiting");
  expect([...under.keys()].filter((peerId) => /^silent/.test(peerId))).toHaveLength(MAX_PARALLEL_PULLS - 1);
});

it("go at once to one that comes when they were kept for long", async () => {
  const { clock, turns, taken, under, joinMany } = silentTurns();
  joinMany("silent", MAX_PARALLEL_PULLS);
  await clock.pass(PULL_PATIENCE_MS);
  expect(under.size).toBe(MAX_PARALLEL_PULLS);
  turns.join("late");
  await clock.pass(0);
  expect(taken.at(-1)).toBe("late");
  expect(under.size).toBe(MAX_PARALLEL_PULLS);
});

it("go at once to each that comes then, also to two that come together", async () => {
  const { clock, turns, taken, joinMany } = silentTurns();
  joinMany("silent", MAX_PARALLEL_PULLS);
  await clock.pass(PULL_PATIENCE_MS);
  turns.join("late");
  await clock.pass(0);
  turns.join("later");
  turns.join("too");
  await clock.pass(0);
  expect(taken.slice(MAX_PARALLEL_PULLS)).toEqual(["late", "later", "too"]);
});

it("stay with who brings something", async () => {
  const { clock, turns, taken, under, joinMany } = silentTurns();
  joinMany("slow", MAX_PARALLEL_PULLS);
  turns.join("waiting");
  for (let times = 0; times < 5; times++) {
    for (const { turn } of under.values()) turn.brought();
    await clock.pass(PULL_PATIENCE_MS);
  }
  expect(taken).not.toContain("waiting");
  under.get("slow 3")?.end();
  await clock.pass(0);
  expect(taken.at(-1)).toBe("waiting");
});

it("stay with who brings something at last, if nobody waited meanwhile", async () => {
  const { clock, turns, taken, under, joinMany } = silentTurns();
  joinMany("slow", MAX_PARALLEL_PULLS);
  await clock.pass(2 * PULL_PATIENCE_MS);
  for (const { turn } of under.values()) turn.brought();
  turns.join("late");
  await clock.pass(PULL_PATIENCE_MS - 1);
  expect(taken).not.toContain("late");
  await clock.pass(1);
  expect(taken.at(-1)).toBe("late");
});

it("come last to those that failed before", async () => {
  const { clock, turns, taken, under, joinMany } = silentTurns();
  joinMany("first", MAX_PARALLEL_PULLS);
  turns.join("failed", 1);
  turns.join("new");
  under.get("first 0")?.end();
  await clock.pass(0);
  under.get("first 1")?.end();
  await clock.pass(0);
  expect(taken.slice(MAX_PARALLEL_PULLS)).toEqual(["new", "failed"]);
});

it("are waited for by so many, of which one may leave", async () => {
  const { turns, taken, under, clock, joinMany } = silentTurns();
  joinMany("first", MAX_PARALLEL_PULLS);
  turns.join("leaving", 2);
  joinMany("more", MAX_WAITING_PULLS - 1);
  expect(turns.join("one too many")).toBe(false);
  expect([turns.leave("leaving"), turns.leave("leaving")]).toEqual([2, undefined]);
  expect(turns.join("one more")).toBe(true);
  under.get("first 0")?.end();
  await clock.pass(0);
  expect(taken.at(-1)).toBe("more 0");
});
