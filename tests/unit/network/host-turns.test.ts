/** Whose turn it is where hosts come under many ids. */
import { expect, it } from "vitest";
import { HostTurns } from "../../../src/network/host-turns.ts";
import { MAX_WAITING_PER_HOST } from "../../../src/network/limits.ts";
import { HandClock } from "../hand-clock.ts";

const BURST = 2;

/** `ask` notes in `turns` who has had its turn, by the name of its host, or "host peer". */
function open(burst = BURST) {
  const clock = new HandClock();
  const hosts = new HostTurns(clock, { burst, perSecond: 1 });
  const turns: string[] = [];
  const ask = (who: string, signal?: AbortSignal) => {
    const [origin = "", peerId = ""] = who.split(" ");
    return hosts.next(origin, peerId, signal).then(
      () => void turns.push(who),
      (error: Error) => error,
    );
  };
  return { clock, turns, ask };
}

it("one from each host has its turn, then a second from each, however many a host sends", async () => {
  const { clock, turns, ask } = open();
  for (let count = 0; count < BURST + 8; count++) void ask("many");
  await clock.pass(0);
  expect(turns).toEqual(["many", "many"]);
  for (const origin of ["one", "two", "two"]) void ask(origin);
  await clock.pass(6_000);
  expect(turns.slice(BURST)).toEqual(["many", "one", "two", "many", "two", "many"]);
});

it("of one host, one of each peer has its turn, then a second of each", async () => {
  const { clock, turns, ask } = open();
  for (let count = 0; count < BURST + 8; count++) void ask("relay many");
  await clock.pass(0);
  for (const peer of ["one", "two", "two"]) void ask(`relay ${peer}`);
  await clock.pass(6_000);
  const peers = ["many", "one", "two", "many", "two", "many"];
  expect(turns.slice(BURST)).toEqual(peers.map((peer) => `relay ${peer}`));
});

it("who asks little is not refused for what others of its host ask, and these keep all that came first", async () => {
  const { clock, turns, ask } = open();
  for (let count = 0; count < BURST; count++) await ask("relay many");
  const many = Array.from({ length: MAX_WAITING_PER_HOST }, (_, nth) => ask(`relay many ${nth}`));
  const one = ask("relay one");
  await clock.pass(MAX_WAITING_PER_HOST * 1_000);
  expect(await one).toBeUndefined();
  expect(await many.at(-1)).toMatchObject({ name: "protocol_error" });
  expect(turns.indexOf("relay one")).toBeLessThan(BURST + 2);
  expect(turns).toHaveLength(BURST + MAX_WAITING_PER_HOST);
});

it("where each peer of a host waits for as much, the host's next request is refused", async () => {
  const { ask } = open();
  for (let count = 0; count < BURST; count++) await ask("relay first");
  const half = MAX_WAITING_PER_HOST / 2;
  const asked = ["one", "two"].flatMap((peer) => Array.from({ length: half }, () => ask(`relay ${peer}`)));
  for (const peer of ["one", "two"])
    expect(await ask(`relay ${peer}`)).toMatchObject({ name: "protocol_error" });
  expect(await Promise.race([...asked, Promise.resolve("all wait")])).toBe("all wait");
});

it("who waits for one request less than another of its host takes no place of the other's", async () => {
  const { ask } = open();
  for (let count = 0; count < BURST; count++) await ask("relay first");
  const some = (peer: string, count: number) => Array.from({ length: count }, () => ask(`relay ${peer}`));
  const half = MAX_WAITING_PER_HOST / 2;
  const waiting = [...some("one", half), ...some("two", half - 1), ...some("three", 1)];
  const next = ask("relay two").then(() => "the next");
  expect(await Promise.race([...waiting, next])).toBe("the next");
});

it("nobody waits while there are turns for all", async () => {
  const { clock, turns, ask } = open();
  for (let second = 0; second < 5; second++) {
    await ask("host");
    await clock.pass(1_000);
  }
  expect(turns).toHaveLength(5);
});

it("who has gone has no turn, and those of a host that would be too many are refused", async () => {
  const { clock, turns, ask } = open();
  for (let count = 0; count < BURST; count++) await ask("many");
  const gone = new AbortController();
  const asked = Array.from({ length: MAX_WAITING_PER_HOST }, () => ask("many", gone.signal));
  expect(await ask("many")).toMatchObject({ name: "protocol_error" });
  void ask("one");
  gone.abort(new Error("it has gone"));
  expect(new Set(await Promise.all(asked))).toEqual(new Set([gone.signal.reason]));
  await clock.pass(1_000);
  expect(turns.slice(BURST)).toEqual(["one"]);
});

it("what else has come has its turn between any two, though a hundred ask at once", async () => {
  const { turns, ask } = open(100);
  for (let count = 0; count < 100; count++) void ask("many");
  await new Promise((resolve) => setImmediate(resolve));
  expect(turns.length).toBeLessThan(5);
});
