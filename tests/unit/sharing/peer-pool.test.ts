/** Which peers a download has in use, in reserve and behind it: src/sharing/download/peer-pool. */
import { describe, expect, it } from "vitest";
import { PeerPool, type PeerPoolOptions } from "../../../src/sharing/download/peer-pool.ts";
import { SharingError } from "../../../src/sharing/errors.ts";
import { MAX_KNOWN_PROVIDERS, REDIAL_MIN_MS } from "../../../src/sharing/limits.ts";
import type { Exchange, Log, PeerSession, Swarm } from "../../../src/sharing/ports.ts";
import { randomOf } from "../../../src/vx/reduction/random.ts";
import { deferred } from "../../deferred.ts";
import { HandClock } from "../hand-clock.ts";
import { silentSession } from "./silent-session.ts";

const silent: Log = { debug: () => {}, info: () => {}, warn: () => {} };

/** A pool of one download's, in which nothing is by chance, but for what the test is about. */
function poolWith({
  swarm,
  exchange,
  ...others
}: Pick<PeerPoolOptions, "onSession" | "signal"> &
  Partial<Omit<PeerPoolOptions, "swarm" | "exchange">> & {
    swarm: Pick<Swarm, "nodeId" | "isMet" | "providers">;
    exchange: Pick<Exchange, "openSession">;
  }): PeerPool {
  return new PeerPool({
    fileId: "file",
    maxPeers: () => 5,
    isUnlisted: () => false,
    remembered: [],
    swarm: swarm as Swarm,
    exchange: exchange as Exchange,
    bans: { isBanned: () => false } as never,
    clock: new HandClock(),
    log: silent,
    isFree: () => true,
    random: () => 1,
    onNewcomer: () => {},
    ...others,
  });
}

/** A swarm in which these come one after the other, and when all have. */
function swarmOf(peerIds: string[]) {
  let allCame = () => {};
  const come = new Promise<void>((resolve) => {
    allCame = resolve;
  });
  const swarm: Pick<Swarm, "nodeId" | "isMet" | "providers"> = {
    nodeId: "self",
    isMet: () => true,
    async *providers() {
      for (const peerId of peerIds) {
        yield peerId;
        await new Promise(setImmediate);
      }
      allCame();
    },
  };
  return { swarm, come };
}

/** Who is in use once these have come one after the other, where each newcomer takes the place of one drawn by lot. */
async function inUseAfter(peerIds: string[], maxPeers: number, random: () => number): Promise<string[]> {
  const ended = new AbortController();
  const inUse = new Map<string, PeerSession>();
  const { swarm, come } = swarmOf(peerIds);
  const exchange: Pick<Exchange, "openSession"> = { openSession: async (peerId) => silentSession(peerId) };
  const pool = poolWith({
    maxPeers: () => maxPeers,
    swarm,
    exchange,
    random,
    signal: ended.signal,
    onSession: (session) => inUse.set(session.peerId, session),
    onNewcomer: () => {
      const victim = [...inUse.values()][Math.floor(random() * inUse.size)] as PeerSession;
      inUse.delete(victim.peerId);
      pool.drop(victim, "reserve");
    },
  });
  await come;
  ended.abort(new Error("over"));
  await pool.closed();
  return [...inUse.keys()];
}

it("a download that knows very many who can't be reached still tries who comes then", async () => {
  const ended = new AbortController();
  const swarm: Pick<Swarm, "nodeId" | "isMet" | "providers"> = {
    nodeId: "self",
    isMet: () => true,
    async *providers() {
      for (let at = 0; at < MAX_KNOWN_PROVIDERS; at++) yield `gone ${at}`;
      await new Promise(setImmediate);
      yield "here";
    },
  };
  const exchange: Pick<Exchange, "openSession"> = {
    openSession: async (peerId) => {
      if (peerId === "here") return silentSession(peerId);
      throw new SharingError("peer_unreachable", peerId);
    },
  };
  const opened = new Promise<string>((resolve) => {
    const pool = poolWith({
      swarm,
      exchange,
      signal: ended.signal,
      onSession: ({ peerId }) => resolve(peerId),
    });
    ended.signal.addEventListener("abort", () => void pool.closed());
  });
  expect(await opened).toBe("here");
  ended.abort(new Error("over"));
});

it("a download remembers so many who can't be reached, and no more", async () => {
  const clock = new HandClock();
  const ended = new AbortController();
  const dialled = new Set<string>();
  const { swarm, come } = swarmOf(Array.from({ length: MAX_KNOWN_PROVIDERS + 20 }, (_, at) => `gone ${at}`));
  const exchange: Pick<Exchange, "openSession"> = {
    openSession: async (peerId) => {
      dialled.add(peerId);
      throw new SharingError("peer_unreachable", peerId);
    },
  };
  const pool = poolWith({ swarm, exchange, clock, signal: ended.signal, onSession: () => {} });
  await come;
  expect(dialled.size).toBe(MAX_KNOWN_PROVIDERS + 20);
  dialled.clear();
  await clock.pass(REDIAL_MIN_MS);
  pool.fill();
  await new Promise(setImmediate);
  expect(dialled.size).toBe(MAX_KNOWN_PROVIDERS);
  ended.abort(new Error("over"));
  await pool.closed();
});

it.each([
  ["longer each time", false, [0, 1000, 2000, 4000, 8000]],
  ["as briefly as the first time where it has brought something since", true, [0, 1000, 2000, 3000, 4000]],
])("a peer that failed is left alone for a while, %s", async (_, hasBrought, atMs) => {
  const clock = new HandClock();
  const ended = new AbortController();
  const swarm: Pick<Swarm, "nodeId" | "isMet" | "providers"> = {
    nodeId: "self",
    isMet: () => true,
    async *providers() {
      yield "a";
    },
  };
  const exchange: Pick<Exchange, "openSession"> = { openSession: async (peerId) => silentSession(peerId) };
  const startMs = clock.monotonic();
  const openedAtMs: number[] = [];
  const pool = poolWith({
    swarm,
    exchange,
    clock,
    signal: ended.signal,
    onSession: (session) => {
      openedAtMs.push(clock.monotonic() - startMs);
      pool.drop(session, "failed", hasBrought ? "chunks" : "nothing");
    },
  });
  for (let second = 0; second <= 10; second++) {
    await clock.pass(1000);
    pool.fill();
    await new Promise(setImmediate);
  }
  ended.abort(new Error("over"));
  await pool.closed();
  expect(openedAtMs.slice(0, atMs.length)).toEqual(atMs);
});

it("a session that opens as the download ends is closed with it", async () => {
  const ended = new AbortController();
  const { swarm, come } = swarmOf(["late"]);
  const opening = deferred<PeerSession>();
  const pool = poolWith({
    swarm,
    exchange: { openSession: () => opening.promise },
    signal: ended.signal,
    onSession: () => {},
  });
  await come;
  ended.abort(new Error("over"));
  const closed = pool.closed();
  let isClosed = false;
  opening.resolve({ ...silentSession("late"), close: () => (isClosed = true) });
  await closed;
  expect(isClosed).toBe(true);
});

describe("the places of a download", () => {
  const all = Array.from({ length: 12 }, (_, at) => `peer ${at}`);

  it("are all taken, and never more", async () => {
    const random = randomOf(1);
    for (const maxPeers of [1, 3, 12, 20]) {
      expect(await inUseAfter(all, maxPeers, random)).toHaveLength(Math.min(maxPeers, all.length));
    }
  });

  it("are too many in use once fewer may be", async () => {
    const ended = new AbortController();
    const { swarm, come } = swarmOf(["a", "b"]);
    let maxPeers = 2;
    const exchange: Pick<Exchange, "openSession"> = { openSession: async (peerId) => silentSession(peerId) };
    const inUse: PeerSession[] = [];
    const onSession = (session: PeerSession) => inUse.push(session);
    const pool = poolWith({ maxPeers: () => maxPeers, swarm, exchange, signal: ended.signal, onSession });
    await come;
    expect([inUse.length, pool.hasTooMany]).toEqual([2, false]);
    maxPeers = 1;
    expect(pool.hasTooMany).toBe(true);
    for (const session of inUse.slice(1)) pool.drop(session, "reserve");
    expect(pool.hasTooMany).toBe(false);
    ended.abort(new Error("over"));
    await pool.closed();
  });

  it("go to those who came last about as often as to those who came first", async () => {
    const random = randomOf(2);
    const counts = new Map(all.map((peerId) => [peerId, 0]));
    for (let trial = 0; trial < 400; trial++) {
      for (const peerId of await inUseAfter(all, 4, random)) {
        counts.set(peerId, (counts.get(peerId) ?? 0) + 1);
      }
    }
    // A third of 400 each, with a standard deviation of 9.
    for (const count of counts.values()) expect(Math.abs(count - 400 / 3)).toBeLessThan(60);
  });
});
