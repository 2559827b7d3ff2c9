/** Who of a download's peers is asked next, who is left alone, and what the pool leaves behind. */
import { defaultMaxListeners, getEventListeners } from "node:events";
import { describe, expect, it, onTestFinished } from "vitest";
import { PeerPool } from "../../../src/sharing/download/peer-pool.ts";
import { SharingError } from "../../../src/sharing/errors.ts";
import {
  FREE_AGAIN_MS,
  MAX_KNOWN_PROVIDERS,
  PROVIDER_SEARCH_EVERY_MS,
  REDIAL_MAX_MS,
  REDIAL_MIN_MS,
} from "../../../src/sharing/limits.ts";
import type { Exchange, PeerSession, Swarm } from "../../../src/sharing/ports.ts";
import { deferred } from "../../deferred.ts";
import { HandClock, settled } from "../hand-clock.ts";
import { silentSession } from "./silent-session.ts";

interface Dial {
  peerId: string;
  atMs: number;
  succeed(): void;
  fail(): void;
}

/** A pool whose dials end when told to, or at once where `reach` says how, and whose searches when `searched` has settled. */
function openPool({
  maxPeers = 2,
  remembered = [] as string[],
  random = (): number => 1,
  searched = Promise.resolve(),
} = {}) {
  const clock = new HandClock();
  const startMs = clock.monotonic();
  const ended = new AbortController();
  const seen = {
    dials: [] as Dial[],
    sessions: [] as PeerSession[],
    /** Of each session whether its peer was in vain before. */
    inVain: [] as boolean[],
    closed: [] as string[],
    searches: 0,
    banned: new Set<string>(),
    busy: new Set<string>(),
    reach: undefined as undefined | ((dial: Dial) => void),
    /** Rounds of searching that were cut off. */
    cut: 0,
    /** What the log says of those who can't be reached. */
    unreached: [] as unknown[],
    /** How often somebody was to make room for who has just come. */
    newcomers: 0,
  };
  let tell = (_: string) => {};
  const swarm: Pick<Swarm, "nodeId" | "isMet" | "providers"> = {
    nodeId: "self",
    isMet: (peerId) => !peerId.startsWith("told of"),
    async *providers(_, signal) {
      seen.searches += 1;
      signal.addEventListener("abort", () => seen.cut++);
      while (!signal.aborted) {
        const found = await new Promise<string | undefined>((resolve) => {
          const onAbort = () => resolve(undefined);
          signal.addEventListener("abort", onAbort);
          tell = (peerId) => {
            signal.removeEventListener("abort", onAbort);
            resolve(peerId);
          };
        });
        if (found !== undefined) yield found;
      }
      await searched;
    },
  };
  const exchange: Pick<Exchange, "openSession"> = {
    openSession: (peerId, signal) =>
      new Promise((resolve, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason));
        const session = { ...silentSession(peerId), close: () => seen.closed.push(peerId) };
        const dial: Dial = {
          peerId,
          atMs: clock.monotonic() - startMs,
          succeed: () => resolve(session),
          fail: () => reject(new SharingError("peer_unreachable", peerId)),
        };
        seen.dials.push(dial);
        seen.reach?.(dial);
      }),
  };
  const pool = new PeerPool({
    ...{ fileId: "file", maxPeers: () => maxPeers, remembered, clock, random, signal: ended.signal },
    ...{ swarm: swarm as Swarm, exchange: exchange as Exchange },
    bans: { isBanned: (peerId: string) => seen.banned.has(peerId) } as never,
    isUnlisted: () => false,
    isFree: (peerId) => !seen.busy.has(peerId),
    log: { debug: (_, details) => seen.unreached.push(details), info: () => {}, warn: () => {} },
    onSession: (session, wasInVain) => {
      seen.sessions.push(session);
      seen.inVain.push(wasInVain);
    },
    onNewcomer: () => {
      seen.newcomers += 1;
    },
  });
  const end = async () => {
    ended.abort(new Error("over"));
    await pool.closed();
  };
  onTestFinished(end);
  const find = async (...peerIds: string[]) => {
    for (const peerId of peerIds) {
      await settled();
      tell(peerId);
      await settled();
    }
  };
  const dialled = () => seen.dials.map(({ peerId }) => peerId);
  const inUse = () => seen.sessions.map(({ peerId }) => peerId);
  const session = (peerId: string) => seen.sessions.findLast((one) => one.peerId === peerId) as PeerSession;
  const { signal } = ended;
  return { pool, seen, clock, find, dialled, inUse, session, signal, end };
}

const answer = (dial: Dial) => dial.succeed();

describe("those that are only told of", () => {
  it("come after those that were met, however many they are", async () => {
    const { seen, find, dialled } = openPool({ maxPeers: 2 });
    await find(...Array.from({ length: MAX_KNOWN_PROVIDERS + 1 }, (_, nth) => `told of ${nth}`), "met");
    expect(dialled()).toEqual(["told of 0", "told of 1"]);
    seen.dials[0]?.fail();
    await find("met later");
    expect(dialled().slice(2)).toEqual(["met"]);
    seen.dials[1]?.fail();
    await settled();
    expect(dialled().slice(3)).toEqual(["met later"]);
  });

  it("leave a place of several to one that was met and could not be reached, until it is in use", async () => {
    const { pool, seen, clock, find, dialled } = openPool({ maxPeers: 2 });
    await find("met");
    seen.dials[0]?.fail();
    await find("told of 0", "told of 1");
    expect(dialled()).toEqual(["met", "told of 0"]);
    await clock.pass(REDIAL_MIN_MS);
    pool.fill();
    expect(dialled().slice(2)).toEqual(["met"]);
    seen.dials[1]?.fail();
    await settled();
    expect(dialled().slice(3)).toEqual(["told of 1"]);
  });

  it("leave it that place also where several could have one at the same time", async () => {
    const { pool, seen, clock, find, dialled } = openPool({ maxPeers: 2 });
    await find("met", "told of 0", "told of 1");
    for (const nth of [1, 2]) {
      seen.dials[nth]?.fail();
      await settled();
    }
    await clock.pass(1);
    seen.dials[0]?.fail();
    await clock.pass(REDIAL_MIN_MS - 1);
    expect(dialled()).toEqual(["met", "told of 0", "told of 1"]);
    pool.fill();
    expect(dialled().slice(3)).toEqual(["told of 0"]);
  });

  it("have the others in the moment in which one that was met has that one", async () => {
    const { pool, seen, clock, find, dialled } = openPool({ maxPeers: 2 });
    await find("met", "told of 0");
    for (const dial of seen.dials) dial.fail();
    await settled();
    await clock.pass(REDIAL_MIN_MS);
    pool.fill();
    expect(dialled().slice(2)).toEqual(["met", "told of 0"]);
  });

  it("have each second turn of a single place, where one that was met could not be reached", async () => {
    const { pool, seen, clock, find, dialled } = openPool({ maxPeers: 1 });
    await find("met", "told of 0", "told of 1", "told of 2");
    for (const nth of [0, 1, 2]) {
      seen.dials[2 * nth]?.fail();
      await settled();
      await clock.pass(REDIAL_MAX_MS);
      seen.dials[2 * nth + 1]?.fail();
      await settled();
    }
    pool.fill();
    const turns = ["met", "told of 0", "met", "told of 1", "met", "told of 2", "met"];
    expect(dialled()).toEqual(turns);
  });

  it("have one of several places before one that was met and failed, where another that was met has one", async () => {
    const { seen, clock, find, dialled } = openPool({ maxPeers: 2 });
    await find("met 0", "met 1");
    seen.dials[0]?.succeed();
    seen.dials[1]?.fail();
    await find("told of 0", "told of 1");
    await clock.pass(REDIAL_MIN_MS);
    seen.dials[2]?.fail();
    await settled();
    expect(dialled()).toEqual(["met 0", "met 1", "told of 0", "told of 1"]);
  });

  it("have a single place before one that was met and had it, and after one that had none", async () => {
    const { pool, seen, find, dialled, session } = openPool({ maxPeers: 1 });
    await find("told of 0", "told of 1", "met");
    seen.reach = answer;
    seen.dials[0]?.fail();
    await settled();
    expect(dialled()).toEqual(["told of 0", "met"]);
    pool.drop(session("met"), "reserve");
    expect(dialled().slice(2)).toEqual(["told of 1"]);
  });

  it("have nobody forgotten who was met, and are forgotten before those", async () => {
    const { pool, seen, clock, find, dialled } = openPool({ maxPeers: 2 });
    await find("met 0");
    seen.dials[0]?.fail();
    await find(...Array.from({ length: MAX_KNOWN_PROVIDERS }, (_, nth) => `told of ${nth}`), "met 1");
    expect(dialled()).toEqual(["met 0", "told of 0", "met 1"]);
    seen.dials[2]?.fail();
    await clock.pass(REDIAL_MIN_MS);
    pool.fill();
    seen.dials[3]?.fail();
    pool.fill();
    await settled();
    expect(dialled().slice(3)).toEqual(["met 0", "met 1"]);
  });

  it("are drawn one at a time, until it is in use or can't be reached, and who was met always", async () => {
    const { pool, seen, find, dialled, session } = openPool({ maxPeers: 2, random: () => 0 });
    seen.reach = (dial) => void (dial.peerId.startsWith("told of") || dial.succeed());
    await find("met 0", "met 1", "told of 0", "told of 1");
    expect(seen.newcomers).toBe(1);
    pool.drop(session("met 0"), "reserve");
    await find("told of 2", "met 2");
    expect([dialled().at(-1), seen.newcomers]).toEqual(["told of 0", 2]);
    seen.dials.at(-1)?.fail();
    await find("told of 3");
    expect(seen.newcomers).toBe(3);
    pool.drop(session("met 1"), "reserve");
    seen.dials.at(-1)?.succeed();
    await find("told of 4");
    expect([dialled().at(-1), seen.newcomers]).toEqual(["told of 3", 4]);
  });

  it("have all places where nobody was met, or all of those are banned", async () => {
    const { seen, find, dialled } = openPool({ maxPeers: 2 });
    await find("met");
    seen.banned.add("met");
    seen.dials[0]?.fail();
    await find("told of 0", "told of 1");
    expect(dialled()).toEqual(["met", "told of 0", "told of 1"]);
  });
});

describe("those who brought chunks before", () => {
  it("are asked at once, the best first, as many as there are places", async () => {
    const { pool, seen, dialled } = openPool({ maxPeers: 2, remembered: ["a", "b", "c"] });
    expect(dialled()).toEqual(["a", "b"]);
    expect([pool.isEmpty, pool.hasReserve]).toEqual([true, false]);
    seen.dials[0]?.succeed();
    await settled();
    expect(pool.isEmpty).toBe(false);
  });

  it("are forgotten when they can't be reached, unless they are heard of", async () => {
    const { pool, seen, clock, find, dialled } = openPool({ maxPeers: 2, remembered: ["a", "b"] });
    await find("b");
    for (const dial of seen.dials) dial.fail();
    await clock.pass(REDIAL_MIN_MS);
    pool.fill();
    expect([dialled(), pool.isEmpty]).toEqual([["a", "b", "b"], false]);
  });

  it("take the place of nobody who is found while they are dialled", async () => {
    const { seen, find, inUse } = openPool({ maxPeers: 1, remembered: ["old"] });
    await find("new");
    seen.dials[1]?.succeed();
    await settled();
    seen.dials[0]?.succeed();
    await settled();
    expect([inUse(), seen.closed]).toEqual([["new"], ["old"]]);
  });

  it("have a place when they are the first to answer, though so many are dialled that were heard of", async () => {
    const { pool, seen, find, inUse, dialled } = openPool({ maxPeers: 1, remembered: ["old"] });
    await find("new", "old");
    for (const dial of seen.dials) {
      dial.succeed();
      await settled();
    }
    pool.fill();
    expect([inUse(), seen.closed, dialled()]).toEqual([["old"], ["new"], ["old", "new"]]);
  });

  it("leave nobody else a place when they are heard of while more are dialled than there are places", async () => {
    const { find, dialled } = openPool({ maxPeers: 1, remembered: ["old"] });
    await find("new", "old", "x", "y", "z");
    expect(dialled()).toEqual(["old", "new"]);
  });

  it("come before those who are found after they could not be asked", async () => {
    const { pool, seen, find, inUse, session } = openPool({ maxPeers: 1, remembered: ["old"] });
    await find("new", "other");
    for (const dial of seen.dials.toReversed()) dial.succeed();
    await settled();
    expect([inUse(), pool.hasReserve]).toEqual([["new"], true]);
    seen.reach = answer;
    pool.drop(session("new"), "reserve");
    await settled();
    expect(inUse()).toEqual(["new", "old"]);
  });

  it("come before those who were found before and wait, in their order", async () => {
    const { pool, seen, find, inUse, session } = openPool({ maxPeers: 2, remembered: ["best", "second"] });
    await find("x", "y", "z");
    for (const dial of seen.dials.toReversed()) {
      dial.succeed();
      await settled();
    }
    seen.reach = answer;
    for (const peerId of ["x", "y"]) {
      pool.drop(session(peerId), "reserve");
      await settled();
    }
    expect(inUse()).toEqual(["y", "x", "best", "second"]);
  });
});

describe("the row of peers", () => {
  it("has neither this node nor who is banned", async () => {
    const { pool, seen, find, dialled } = openPool();
    seen.banned.add("bad");
    await find("self", "bad");
    expect([dialled(), pool.hasReserve, pool.isEmpty]).toEqual([[], false, false]);
    seen.banned.clear();
    expect(pool.hasReserve).toBe(true);
    pool.fill();
    expect(dialled()).toEqual(["bad"]);
  });

  it("dials each once at a time, and no more than there are places", async () => {
    const { pool, find, dialled } = openPool({ maxPeers: 2 });
    await find("a", "a", "b", "c");
    for (let times = 0; times < 3; times++) pool.fill();
    expect([dialled(), pool.hasReserve]).toEqual([["a", "b"], true]);
  });

  it("has nobody make room while there is a place, then for a third in two cases of three, and for a fourth in one of two", async () => {
    const { seen, find, dialled } = openPool({ maxPeers: 2, random: () => 0.6 });
    await find("a", "b");
    expect([dialled(), seen.newcomers]).toEqual([["a", "b"], 0]);
    await find("c");
    expect(seen.newcomers).toBe(1);
    await find("d");
    expect(seen.newcomers).toBe(1);
  });

  it("has before those who wait a newcomer on whom the lot fell", async () => {
    const lots = [1, 0];
    const { pool, seen, find, dialled, session } = openPool({ maxPeers: 1, random: () => lots.shift() ?? 1 });
    seen.reach = answer;
    await find("a", "waits", "drawn");
    pool.drop(session("a"), "reserve");
    expect(dialled()).toEqual(["a", "drawn"]);
  });

  it("keeps nobody waiting who is heard of once more", async () => {
    const { pool, seen, find, dialled, session } = openPool({ maxPeers: 1 });
    seen.reach = answer;
    await find("a", "b", "b");
    pool.drop(session("a"), "reserve");
    expect(dialled()).toEqual(["a", "b"]);
  });

  it("has one untried in it unless that was given up having brought nothing, and none for a single place", async () => {
    const row = openPool({ maxPeers: 2 });
    row.seen.reach = answer;
    await row.find("a", "b");
    expect(row.pool.hasUntried).toBe(false);
    row.pool.drop(row.session("a"), "failed");
    await row.clock.pass(REDIAL_MIN_MS);
    expect([row.pool.hasReserve, row.pool.hasUntried]).toEqual([true, false]);
    await row.find("c", "d");
    expect(row.pool.hasUntried).toBe(true);

    const single = openPool({ maxPeers: 1 });
    single.seen.reach = answer;
    await single.find("a", "b");
    expect([single.pool.hasReserve, single.pool.hasUntried]).toEqual([true, false]);
  });

  it("knows of a peer that it was given up having brought nothing, until it has brought something", async () => {
    const { pool, seen, clock, find, session } = openPool({ maxPeers: 1 });
    seen.reach = answer;
    await find("a");
    const ends = [
      ["failed", "nothing"],
      ["reserve", "nothing"],
      ["reserve", "bytes"],
      ["reserve", "nothing"],
      ["failed", "chunks"],
    ] as const;
    for (const [why, brought] of ends) {
      pool.drop(session("a"), why, brought);
      await clock.pass(REDIAL_MIN_MS);
      pool.fill();
      await settled();
    }
    expect(seen.inVain).toEqual([false, true, true, false, false, false]);
  });

  it("has at its end who is put in reserve, and its session closed", async () => {
    const { pool, seen, find, inUse, session } = openPool({ maxPeers: 1 });
    seen.reach = answer;
    await find("a", "b", "c");
    for (const peerId of ["a", "b", "c"]) {
      pool.drop(session(peerId), "reserve");
      await settled();
    }
    expect([inUse(), seen.closed]).toEqual([
      ["a", "b", "c", "a"],
      ["a", "b", "c"],
    ]);
  });

  it("is passed over for who is free, once, where the one in use brings other files first", async () => {
    const { pool, seen, clock, find, dialled, session } = openPool({ maxPeers: 1 });
    seen.reach = answer;
    seen.busy.add("b");
    await find("a", "b");
    expect(pool.hasFree).toBe(false);
    await find("c");
    expect(pool.hasFree).toBe(true);
    pool.drop(session("a"), "waits");
    expect(dialled()).toEqual(["a", "c"]);
    await settled();
    expect(pool.hasFree).toBe(false);
    pool.drop(session("c"), "waits");
    expect(dialled()).toEqual(["a", "c", "b"]);
    await clock.pass(FREE_AGAIN_MS);
    expect(pool.hasFree).toBe(true);
  });

  it("is followed by the first of those who are free", async () => {
    const { pool, seen, find, dialled, session } = openPool({ maxPeers: 1 });
    seen.reach = answer;
    seen.busy.add("b");
    await find("a", "b", "c", "d");
    pool.drop(session("a"), "waits");
    expect(dialled()).toEqual(["a", "c"]);
  });

  it("has nobody free who could just not be reached", async () => {
    const { pool, seen, clock, find } = openPool({ maxPeers: 1 });
    await find("a");
    seen.dials[0]?.fail();
    seen.reach = answer;
    await find("b");
    await clock.pass(REDIAL_MIN_MS);
    expect([pool.hasReserve, pool.hasFree]).toEqual([true, false]);
    await clock.pass(FREE_AGAIN_MS);
    expect(pool.hasFree).toBe(true);
  });

  it("has before all others who failed the least", async () => {
    const { pool, seen, clock, find, inUse, session } = openPool({ maxPeers: 1 });
    seen.reach = answer;
    await find("a", "b");
    pool.drop(session("a"), "failed");
    await settled();
    await clock.pass(REDIAL_MIN_MS);
    pool.drop(session("b"), "reserve");
    await settled();
    expect(inUse()).toEqual(["a", "b", "b"]);
  });

  it("waits twice as long after each failure to reach a peer, a minute at most", async () => {
    const { pool, seen, clock, find } = openPool();
    seen.reach = (dial) => dial.fail();
    await find("a");
    for (let second = 0; second < 300; second++) {
      await clock.pass(500);
      pool.fill();
    }
    await settled();
    const waitsMs = seen.dials.map(({ atMs }, at) => atMs - (seen.dials[at - 1]?.atMs ?? 0));
    expect(waitsMs.slice(1)).toEqual([500, 1000, 2000, 4000, 8000, 16_000, 32_000, REDIAL_MAX_MS]);
  });

  it("tries a peer soon that is heard of again", async () => {
    const { pool, seen, clock, find, dialled } = openPool();
    seen.reach = (dial) => dial.fail();
    await find("a");
    for (let second = 0; second < 30; second++) {
      await clock.pass(1000);
      pool.fill();
    }
    await settled();
    const before = dialled().length;
    await find("a");
    await clock.pass(REDIAL_MIN_MS);
    pool.fill();
    expect(dialled()).toHaveLength(before + 1);
  });
});

describe("those who are known", () => {
  const many = Array.from({ length: MAX_KNOWN_PROVIDERS - 1 }, (_, at) => `p${at}`);

  /** All but these are banned: whom the pool knows of them it dials once there is room. */
  async function knownOf(own: ReturnType<typeof openPool>, ...peerIds: string[]): Promise<string[]> {
    const { pool, seen, dialled } = own;
    for (const peerId of [...many, "last"]) if (!peerIds.includes(peerId)) seen.banned.add(peerId);
    const before = dialled().length;
    for (const dial of seen.dials) dial.fail();
    await settled();
    pool.fill();
    return dialled().slice(before);
  }

  it("are so many at most, of whom none that may be of use is forgotten", async () => {
    const own = openPool({ maxPeers: 1 });
    await own.find(...many, "last", "one more");
    expect(await knownOf(own, "one more")).toEqual([]);
    own.seen.banned.delete("last");
    expect(await knownOf(own, "last", "one more")).toEqual(["last"]);
  });

  it("make room for one more where one could not be reached, unless it is dialled right now", async () => {
    const own = openPool({ maxPeers: 1 });
    await own.find("gone");
    own.seen.dials[0]?.fail();
    await own.clock.pass(REDIAL_MIN_MS);
    own.pool.fill();
    await own.find(...many, "one more");
    expect(own.dialled()).toEqual(["gone", "gone"]);
    own.seen.dials[1]?.fail();
    await own.find("another");
    expect(await knownOf(own, "one more", "another")).toEqual(["another"]);
  });

  it("are forgotten first who failed the most often", async () => {
    const own = openPool({ maxPeers: 1 });
    const { pool, seen, clock, find, dialled } = own;
    seen.reach = (dial) => dial.fail();
    seen.banned.add("once");
    await find("once", "twice");
    await clock.pass(REDIAL_MIN_MS);
    pool.fill();
    await settled();
    seen.banned.delete("once");
    pool.fill();
    await settled();
    seen.reach = undefined;
    await find(...many.slice(1), "one more");
    const before = dialled();
    for (const dial of seen.dials) dial.fail();
    for (const peerId of [...many, "last"]) seen.banned.add(peerId);
    await settled();
    expect(dialled().slice(before.length)).toEqual(["one more"]);
    seen.dials.at(-1)?.fail();
    // Still known, it is dialled after its wait; one that was forgotten would be at once.
    await find("once");
    expect(dialled().slice(before.length + 1)).toEqual([]);
    await clock.pass(REDIAL_MAX_MS);
    pool.fill();
    expect(dialled().slice(before.length + 1)).toEqual(["once"]);
  });
});

describe("a pool", () => {
  it("has few listen to its own end, however many are dialled", async () => {
    const { find, dialled, signal } = openPool({ maxPeers: 100 });
    await find(...Array.from({ length: 20 }, (_, at) => `peer ${at}`));
    expect(dialled()).toHaveLength(20);
    expect(getEventListeners(signal, "abort").length).toBeLessThan(defaultMaxListeners);
  });

  it("searches anew each minute, also where a search does not end by itself", async () => {
    const { seen, clock } = openPool();
    await clock.pass(PROVIDER_SEARCH_EVERY_MS - 1);
    expect([seen.searches, seen.cut]).toEqual([1, 0]);
    await clock.pass(2 * PROVIDER_SEARCH_EVERY_MS);
    expect([seen.searches, seen.cut]).toEqual([3, 2]);
  });

  it("leaves no rejection to nobody where its search ends later than it should", async () => {
    const searched = deferred();
    const { end } = openPool({ searched: searched.promise });
    const ending = end();
    // The runner fails for what nobody handles.
    await settled();
    searched.resolve();
    await ending;
  });

  it("notes who can't be reached, and of those not whom its end breaks off", async () => {
    const { seen, find, end } = openPool({ maxPeers: 2 });
    await find("gone", "dialled");
    seen.dials[0]?.fail();
    await settled();
    await end();
    expect(seen.unreached).toMatchObject([{ peerId: "gone" }]);
  });

  it("closes at its end what is in use and was not dropped, and dials nobody any more", async () => {
    const { pool, seen, find, dialled, session, end } = openPool({ maxPeers: 2 });
    seen.reach = answer;
    await find("a", "b", "c", "d");
    pool.drop(session("a"), "failed");
    await settled();
    await end();
    expect(seen.closed.toSorted()).toEqual(["a", "b", "c"]);
    expect(pool.hasReserve).toBe(true);
    pool.drop(session("b"), "reserve");
    pool.fill();
    expect(dialled()).toEqual(["a", "b", "c"]);
  });
});
