/** Bytes that go to others than peers, under the limit of the upload rate. */
import { expect, it } from "vitest";
import { FairShare } from "../../../src/exchange/rates/fair-share.ts";
import { Outsiders } from "../../../src/exchange/rates/outsiders.ts";
import { TokenBucket } from "../../../src/exchange/rates/token-bucket.ts";
import { HandClock } from "../hand-clock.ts";
import { KIB, MIB } from "./loopback.ts";

const never = new AbortController().signal;

function open(bytesPerSecond: number) {
  const clock = new HandClock();
  const share = new FairShare(new TokenBucket(bytesPerSecond, clock), clock);
  const outsiders = new Outsiders(share);
  const gone: string[] = [];
  const ask = (name: string, sizeBytes = MIB, signal = never, reader = name) =>
    outsiders.wait(reader, sizeBytes, signal).then(
      () => void gone.push(name),
      (error) => void gone.push(`${name}: ${error.message}`),
    );
  return { clock, share, gone, ask };
}

it("they go at that rate, one after the other", async () => {
  const { clock, gone, ask } = open(MIB);
  for (const name of ["a", "b"]) void ask(name);
  await clock.pass(800);
  expect(gone).toEqual([]);
  await clock.pass(200);
  expect(gone).toEqual(["a"]);
  await clock.pass(1000);
  expect(gone).toEqual(["a", "b"]);
});

it("they have one peer's share, however many wait for them", async () => {
  const { clock, share, gone, ask } = open(MIB);
  let givenBytes = 0;
  share.wake({
    takeTurn: (turnBytes) => {
      givenBytes += turnBytes;
      return turnBytes;
    },
  });
  for (let nth = 0; nth < 10; nth++) void ask("outsider");
  await clock.pass(10_000);
  expect(gone).toHaveLength(5);
  expect(Math.abs(givenBytes - 5 * MIB)).toBeLessThan(MIB);
});

it("readers have their turns, whatever else one of them waits for", async () => {
  const { clock, gone, ask } = open(MIB);
  for (const name of ["a1", "a2", "a3", "a4"]) void ask(name, MIB, never, "a");
  for (const name of ["b1", "b2"]) void ask(name, MIB, never, "b");
  await clock.pass(1000);
  void ask("c");
  await clock.pass(6000);
  expect(gone).toEqual(["a1", "b1", "a2", "c", "b2", "a3", "a4"]);
});

it("nobody waits where there is no limit, or no longer one, or nothing to give", async () => {
  const free = open(Infinity);
  await free.ask("a");
  const { clock, share, gone, ask } = open(KIB);
  await ask("nothing", 0);
  void ask("b");
  await clock.pass(1000);
  expect(gone).toEqual(["nothing"]);
  share.setRate(Infinity);
  await clock.pass(0);
  expect(gone).toEqual(["nothing", "b"]);
});

it("who leaves keeps nobody waiting", async () => {
  const { clock, gone, ask } = open(MIB);
  const leaving = new AbortController();
  void ask("a", 100 * MIB, leaving.signal);
  void ask("b");
  await clock.pass(1000);
  leaving.abort(new Error("left"));
  await clock.pass(1000);
  expect(gone).toEqual(["a: left", "b"]);
  await ask("c", 1, leaving.signal);
  expect(gone.at(-1)).toBe("c: left");
});

it("what was kept for one who leaves is there for the next at once", async () => {
  const { clock, gone, ask } = open(MIB);
  const leaving = new AbortController();
  void ask("a", 100 * MIB, leaving.signal);
  void ask("b", MIB / 16);
  await clock.pass(1000);
  leaving.abort(new Error("left"));
  await clock.pass(0);
  expect(gone).toEqual(["a: left", "b"]);
});
