/**
 * Conversations with those who are asked: when one is opened, shared, kept and closed. Streams are objects that note
 * what is done to them.
 */
import { getEventListeners } from "node:events";
import type { Stream } from "@libp2p/interface";
import { describe, expect, it, vi } from "vitest";
import { Sessions } from "../../../src/exchange/asking/sessions.ts";
import {
  IDLE_SESSION_MS,
  IN_FLIGHT_BULK,
  MAX_ASKED_PEERS,
  OPEN_TIMEOUT_MS,
  UNDER_WAY_SMALL,
} from "../../../src/exchange/limits.ts";
import { FairShare } from "../../../src/exchange/rates/fair-share.ts";
import { Pacing } from "../../../src/exchange/rates/pacing.ts";
import { TokenBucket } from "../../../src/exchange/rates/token-bucket.ts";
import { Watchdog } from "../../../src/exchange/watchdog.ts";
import type { Transport } from "../../../src/sharing/ports.ts";
import { allRejected } from "../../all-rejected.ts";
import { HandClock } from "../hand-clock.ts";
import { makeBlocks, wanted } from "./loopback.ts";

const never = new AbortController().signal;

interface Opening {
  peerId: string;
  signal: AbortSignal;
  succeed(): void;
  fail(): void;
}

function openSessions({ transport = "tcp" as Transport, isOpenedByHand = false } = {}) {
  const clock = new HandClock();
  const sleep = vi.spyOn(clock, "sleep");
  const pendingSleeps = () =>
    sleep.mock.calls.filter(([ms, signal]) => ms === IDLE_SESSION_MS && !signal?.aborted).length;
  const share = new FairShare(new TokenBucket(Number.POSITIVE_INFINITY, clock), clock);
  const seen = {
    openings: [] as Opening[],
    sent: [] as string[],
    closed: [] as string[],
    aborted: [] as string[],
    ends: [] as string[],
    paced: [] as number[],
  };
  const streams = new Map<string, EventTarget>();
  const streamOf = (peerId: string): Stream => {
    const stream = Object.assign(new EventTarget(), {
      ...{ status: "open", remoteWriteStatus: "writable", writableNeedsDrain: false, writeBufferLength: 0 },
      send: () => seen.sent.push(peerId) > 0,
      close: async () => void seen.closed.push(peerId),
      abort: () => seen.aborted.push(peerId),
    });
    streams.set(peerId, stream);
    return stream as unknown as Stream;
  };
  const sessions = new Sessions({
    clock,
    streams: {
      openStream: (peerId, _, signal) =>
        new Promise((resolve, reject) => {
          signal.addEventListener("abort", () => reject(signal.reason));
          const succeed = () => resolve(streamOf(peerId));
          seen.openings.push({ peerId, signal, succeed, fail: () => reject(new Error("no way")) });
          if (!isOpenedByHand) succeed();
        }),
      handle: () => {},
      doubt: () => {},
      transportOf: () => transport,
      originOf: (peerId) => peerId,
    },
    partsFor: (peerId) => ({
      ...{ share, watchdog: new Watchdog(clock), sideWay: undefined, posts: undefined },
      pacing: Object.assign(new Pacing(Number.POSITIVE_INFINITY, clock), {
        brought: (bytes: number) => void seen.paced.push(bytes),
      }),
      traffic: { uploaded: () => {}, downloaded: () => {} },
      onSideLost: () => {},
      onSilence: () => {},
      onClosed: ({ name }) => seen.ends.push(`${peerId} ${name}`),
    }),
  });
  const endOf = (peerId: string) => streams.get(peerId)?.dispatchEvent(new Event("close"));
  const bring = (peerId: string, data: Uint8Array) =>
    streams.get(peerId)?.dispatchEvent(Object.assign(new Event("message"), { data }));
  return {
    sessions,
    clock,
    seen,
    endOf,
    bring,
    pendingSleeps,
    // Each has a signal of its own, as a download gives them.
    open: (peerId: string, signal = new AbortController().signal) => sessions.open(peerId, signal),
  };
}

describe("a conversation", () => {
  it("is opened once for all who come, and anew when that failed", async () => {
    const { open, seen } = openSessions({ isOpenedByHand: true });
    const first = [open("a"), open("a")];
    expect(seen.openings).toHaveLength(1);
    seen.openings[0]?.fail();
    await allRejected(first, { name: "peer_unreachable" });
    const second = [open("a"), open("a")];
    seen.openings[1]?.succeed();
    expect((await Promise.all(second)).map(({ peerId }) => peerId)).toEqual(["a", "a"]);
    const { signal } = new AbortController();
    await open("a", signal);
    expect(getEventListeners(signal, "abort")).toEqual([]);
    expect(seen.openings).toHaveLength(2);
  });

  it("is not for who has given up before, though it is open", async () => {
    const { open, seen, clock } = openSessions();
    (await open("a")).close();
    await expect(open("a", AbortSignal.abort(new Error("enough")))).rejects.toThrow("enough");
    await clock.pass(IDLE_SESSION_MS);
    expect(seen.closed).toEqual(["a"]);
  });

  it("is not waited for without end", async () => {
    const late = new AbortController();
    const timeout = vi.spyOn(AbortSignal, "timeout").mockReturnValueOnce(late.signal);
    const { open } = openSessions({ isOpenedByHand: true });
    const opening = open("a");
    expect(timeout).toHaveBeenCalledExactlyOnceWith(OPEN_TIMEOUT_MS);
    late.abort(new Error("late"));
    await expect(opening).rejects.toMatchObject({ name: "peer_unreachable", cause: { message: "late" } });
  });

  it("is opened for others though the one who asked for it gives up, and closed when nobody comes", async () => {
    const { open, seen, clock } = openSessions({ isOpenedByHand: true });
    const caller = new AbortController();
    const left = open("a", caller.signal);
    const stays = new AbortController();
    const other = open("b", stays.signal);
    seen.openings.pop()?.succeed();
    (await other).close();
    expect(getEventListeners(stays.signal, "abort")).toEqual([]);
    caller.abort(new Error("enough"));
    await expect(left).rejects.toThrow("enough");
    await expect(open("a", caller.signal)).rejects.toThrow("enough");
    expect(seen.openings.map(({ signal }) => signal.aborted)).toEqual([false]);
    seen.openings[0]?.succeed();
    await clock.pass(IDLE_SESSION_MS - 1);
    expect(seen.closed).toEqual([]);
    await clock.pass(1);
    expect(seen.closed.toSorted()).toEqual(["a", "b"]);
  });

  it("is kept for a while after the last let go, and for as long as one holds it", async () => {
    const { open, seen, clock } = openSessions();
    const [one, other] = [await open("a"), await open("a")];
    one.close();
    one.close();
    await clock.pass(10 * IDLE_SESSION_MS);
    other.close();
    await clock.pass(IDLE_SESSION_MS - 1);
    const third = await open("a");
    await clock.pass(10 * IDLE_SESSION_MS);
    expect([seen.closed, seen.openings.length]).toEqual([[], 1]);
    third.close();
    await clock.pass(IDLE_SESSION_MS);
    expect([seen.closed, seen.ends]).toEqual([["a"], ["a peer_lost"]]);
    await open("a");
    expect(seen.openings).toHaveLength(2);
  });

  it("that ended is followed by a new one, which the end of the old one leaves alone", async () => {
    const { open, seen, clock, endOf } = openSessions();
    const [block] = await makeBlocks(1, 10);
    const old = await open("a");
    const lost = block && old.fetch(wanted(block));
    endOf("a");
    await expect(lost).rejects.toMatchObject({ name: "peer_lost" });
    expect(seen.ends).toEqual(["a peer_lost"]);
    const haves = old.haves(block?.cid.toString() ?? "", 1, never)[Symbol.asyncIterator]();
    expect((await haves.next()).done).toBe(true);
    await open("a");
    old.close();
    await clock.pass(10 * IDLE_SESSION_MS);
    expect([seen.openings.length, seen.closed]).toEqual([2, ["a"]]);
  });

  it("that ended waits for nothing any more, whether somebody held it or not", async () => {
    const { open, endOf, pendingSleeps } = openSessions();
    (await open("idle")).close();
    const held = await open("held");
    expect(pendingSleeps()).toBe(1);
    endOf("idle");
    endOf("held");
    held.close();
    expect(pendingSleeps()).toBe(0);
  });

  it.each<[Transport, number, number[]]>([
    ["tcp", IN_FLIGHT_BULK, [1]],
    ["relay", UNDER_WAY_SMALL, []],
  ])(
    "over %s is worth so many requests, and waits for the download rate where that can be told",
    async (transport, count, paced) => {
      const { open, seen, bring } = openSessions({ transport });
      expect((await open("a")).maxInFlight).toBe(count);
      bring("a", Uint8Array.of(0x80));
      expect(seen.paced).toEqual(paced);
    },
  );

  it("asks for no haves, and tells of no fault, once its reader has let go", async () => {
    const { open, seen, bring } = openSessions();
    const [block] = await makeBlocks(1, 10);
    const fileId = String(block?.cid);
    const [early, late] = [await open("a"), await open("a")];
    early.close();
    expect(await early.haves(fileId, 1, never)[Symbol.asyncIterator]().next()).toMatchObject({ done: true });
    expect(seen.sent).toEqual([]);
    const news = late.haves(fileId, 1, never)[Symbol.asyncIterator]().next();
    late.close();
    bring("a", new Uint8Array(10).fill(0xff));
    expect(seen.ends).toEqual(["a protocol_error"]);
    expect(await news).toMatchObject({ done: true });
  });
});

describe("the peers that are asked", () => {
  it("are so many, and one more when another is not needed any more", async () => {
    const { open, seen, pendingSleeps } = openSessions();
    const held = [];
    for (let peer = 0; peer < MAX_ASKED_PEERS; peer++) held.push(await open(`${peer}`));
    await expect(open("one more")).rejects.toMatchObject({ name: "peer_unreachable" });
    expect(seen.closed).toEqual([]);
    held[5]?.close();
    await open("one more");
    expect([seen.closed, pendingSleeps()]).toEqual([["5"], 0]);
    await expect(open("5")).rejects.toMatchObject({ name: "peer_unreachable" });
  });

  it("count from when they are dialled", async () => {
    const { open, seen, sessions } = openSessions({ isOpenedByHand: true });
    const opening = [];
    for (let peer = 0; peer < MAX_ASKED_PEERS; peer++) opening.push(open(`${peer}`));
    await expect(open("one more")).rejects.toMatchObject({ name: "peer_unreachable" });
    sessions.stop();
    const stopped = expect.objectContaining({ reason: expect.objectContaining({ name: "stopped" }) });
    expect(await Promise.allSettled(opening)).toEqual(opening.map(() => stopped));
    expect(seen.openings).toHaveLength(MAX_ASKED_PEERS);
  });

  it("are all let go at the stop, and no more are asked", async () => {
    const { open, seen, sessions, clock, pendingSleeps } = openSessions();
    const session = await open("a");
    (await open("idle")).close();
    sessions.stop();
    expect([seen.aborted, seen.ends]).toEqual([
      ["a", "idle"],
      ["a stopped", "idle stopped"],
    ]);
    expect(pendingSleeps()).toBe(0);
    await expect(open("a")).rejects.toMatchObject({ name: "stopped" });
    session.close();
    await clock.pass(10 * IDLE_SESSION_MS);
    expect([seen.aborted, seen.closed, seen.openings.length]).toEqual([["a", "idle"], [], 2]);
  });

  it("are let go at the stop though their stream has just been opened", async () => {
    const { open, seen, sessions } = openSessions({ isOpenedByHand: true });
    const opening = open("a");
    seen.openings[0]?.succeed();
    sessions.stop();
    const session = await opening;
    expect([seen.aborted, seen.ends]).toEqual([["a"], ["a stopped"]]);
    const [block] = await makeBlocks(1, 10);
    await expect(block && session.fetch(wanted(block))).rejects.toMatchObject({ name: "stopped" });
  });
});
