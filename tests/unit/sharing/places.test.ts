/** Which peer gives its place to one in reserve: src/sharing/download/places. */
import { describe, expect, it } from "vitest";
import { ActivePeer } from "../../../src/sharing/download/active-peer.ts";
import { Picker } from "../../../src/sharing/download/picker.ts";
import {
  idleRefusers,
  lastMute,
  lastToCome,
  lastWaiting,
  leastUseful,
  slowestPartial,
} from "../../../src/sharing/download/places.ts";
import { CHUNK_BYTES, IDLE_PEER_MS, MAX_SILENCE_MS, TRIAL_MS } from "../../../src/sharing/limits.ts";
import { HandClock } from "../hand-clock.ts";
import { freeTurns, silentSession } from "./silent-session.ts";

/** A peer that brings a chunk in that time; one with `all` holds the whole file. */
interface Pace {
  chunkMs: number;
  all?: boolean;
  /** It is asked for nothing. */
  isIdle?: boolean;
}

async function inUse(paces: Record<string, Pace>, forMs: number): Promise<string | undefined> {
  const clock = new HandClock();
  const picker = new Picker(8, "rarest_first", () => 0);
  const peers = Object.entries(paces).map(([peerId, { chunkMs, all }]) => {
    const peer = new ActivePeer(silentSession(peerId), clock, freeTurns());
    picker.join(peerId);
    if (all) picker.holds(peerId, { kind: "all" });
    for (let nth = 1; nth <= 4; nth++) peer.window.delivered(nth * chunkMs, chunkMs, CHUNK_BYTES);
    return peer;
  });
  await clock.pass(forMs);
  for (const peer of peers) if (!paces[peer.id]?.isIdle) peer.begin(0);
  return leastUseful(peers, picker)?.id;
}

const fast = { chunkMs: 100 };
const slow = { chunkMs: 1000 };

describe("the place of a peer", () => {
  it("is given up by one that has had nothing to give for a while, however fast", async () => {
    expect(await inUse({ a: slow, b: { ...fast, isIdle: true }, c: slow }, IDLE_PEER_MS + 1)).toBe("b");
    expect(await inUse({ a: slow, b: { ...fast, isIdle: true }, c: slow }, IDLE_PEER_MS)).toBeUndefined();
  });

  it("is kept by one that brings other files first, and is asked for nothing meanwhile", async () => {
    const clock = new HandClock();
    const picker = new Picker(8, "rarest_first", () => 0);
    const peer = new ActivePeer(silentSession("a"), clock, freeTurns());
    picker.join(peer.id);
    peer.waitsForHaves = true;
    await clock.pass(IDLE_PEER_MS + 1);
    expect(leastUseful([peer], picker)).toBeUndefined();
    peer.waitsForHaves = false;
    expect(leastUseful([peer], picker)).toBe(peer);
  });

  it("is kept by one that is slow to bring what it was asked for, as long as it is on trial", async () => {
    const clock = new HandClock();
    const picker = new Picker(8, "rarest_first", () => 0);
    const peers = ["a", "b"].map((peerId) => new ActivePeer(silentSession(peerId), clock, freeTurns()));
    for (const peer of peers) {
      picker.join(peer.id);
      peer.begin(0);
    }
    await clock.pass(IDLE_PEER_MS + 1);
    expect(leastUseful(peers, picker)).toBeUndefined();
  });

  it("goes to a newcomer from the slowest that does not hold all", async () => {
    const clock = new HandClock();
    const picker = new Picker(8, "rarest_first", () => 0);
    const peers = [0, 2, 1].map((chunks, at) => {
      const peer = new ActivePeer(silentSession(`${at}`), clock, freeTurns());
      picker.join(peer.id);
      peer.received(chunks * CHUNK_BYTES);
      return peer;
    });
    picker.holds("0", { kind: "all" });
    expect(slowestPartial(peers, picker)?.id).toBe("2");
    picker.holds("1", { kind: "all" });
    picker.holds("2", { kind: "all" });
    expect(slowestPartial(peers, picker)).toBeUndefined();
  });

  it("is given up by the last to come where they are too many, and where all bring other files first", async () => {
    const clock = new HandClock();
    const peers = ["a", "b", "c"].map((id) => new ActivePeer(silentSession(id), clock, freeTurns()));
    const [first, second, last] = peers as [ActivePeer, ActivePeer, ActivePeer];
    expect(lastToCome(peers)).toBe(last);
    for (const peer of [first, second]) peer.waitsForHaves = true;
    expect(lastWaiting(peers)).toBeUndefined();
    last.waitsForHaves = true;
    expect(lastWaiting(peers)).toBe(last);
    first.begin(0);
    expect(lastWaiting(peers)).toBeUndefined();
    expect(lastWaiting([])).toBeUndefined();
  });

  it("is given up by one that is far slower than the others", async () => {
    expect(await inUse({ a: fast, b: slow, c: fast }, TRIAL_MS)).toBe("b");
    expect(await inUse({ a: { ...fast, all: true }, b: { ...slow, all: true } }, TRIAL_MS)).toBe("b");
  });

  it("is given up by those that refused a chunk they had told of, and have had nothing else to give", async () => {
    const clock = new HandClock();
    const [refused, asked, idle] = ["a", "b", "c"].map(
      (id) => new ActivePeer(silentSession(id), clock, freeTurns()),
    );
    if (refused === undefined || asked === undefined || idle === undefined)
      throw new Error("there are three");
    refused.refused();
    asked.refused();
    await clock.pass(IDLE_PEER_MS);
    expect(idleRefusers([refused, asked, idle])).toEqual([]);
    await clock.pass(1);
    asked.begin(0);
    expect(idleRefusers([refused, asked, idle])).toEqual([refused]);
  });

  it("is given up by the last of those that get nowhere, one at a time", async () => {
    const clock = new HandClock();
    const picker = new Picker(8, "rarest_first", () => 0);
    const join = (id: string) => {
      const peer = new ActivePeer(silentSession(id), clock, freeTurns());
      picker.join(id);
      peer.begin(0);
      return peer;
    };
    const peers = [join("a"), join("b"), join("slow")];
    await clock.pass(MAX_SILENCE_MS - 1);
    peers[2]?.received(CHUNK_BYTES / 8);
    expect(leastUseful(peers, picker)).toBeUndefined();
    await clock.pass(1);
    expect(leastUseful(peers, picker)?.id).toBe("b");
    const next = [...peers.filter(({ id }) => id !== "b"), join("c")];
    await clock.pass(MAX_SILENCE_MS - 1);
    expect(leastUseful(next, picker)).toBeUndefined();
    await clock.pass(1);
    expect(leastUseful(next, picker)?.id).toBe("c");
  });

  it("is given up by the last of those that are asked and send not a byte, one at a time, and by none where one sends some", async () => {
    const clock = new HandClock();
    const join = (id: string) => {
      const peer = new ActivePeer(silentSession(id), clock, freeTurns());
      if (id !== "unasked") peer.begin(0);
      return peer;
    };
    const peers = [join("a"), join("b"), join("unasked")];
    await clock.pass(TRIAL_MS - 1);
    expect(lastMute(peers)).toBeUndefined();
    await clock.pass(1);
    expect(lastMute(peers)?.id).toBe("b");
    const next = [...peers.filter(({ id }) => id !== "b"), join("c")];
    await clock.pass(TRIAL_MS - 1);
    expect(lastMute(next)).toBeUndefined();
    await clock.pass(1);
    expect(lastMute(next)?.id).toBe("c");
    next[0]?.received(16);
    expect(lastMute(next)).toBeUndefined();
  });

  it("is given up by who is asked and sends not a byte, though another brings all that it has, and not while one has just come", async () => {
    const clock = new HandClock();
    const [mute, other] = ["a", "b"].map((id) => new ActivePeer(silentSession(id), clock, freeTurns()));
    if (mute === undefined || other === undefined) throw new Error("there are two");
    mute.begin(0);
    await clock.pass(TRIAL_MS);
    other.delivered(1, CHUNK_BYTES);
    expect(lastMute([mute, other])).toBe(mute);
    const newcomer = new ActivePeer(silentSession("c"), clock, freeTurns());
    expect(lastMute([mute, other, newcomer])).toBeUndefined();
    await clock.pass(TRIAL_MS);
    expect(lastMute([mute, other, newcomer])).toBe(mute);
  });

  it("is kept by equals, and by whoever had no time to show what it can do", async () => {
    expect(await inUse({ a: fast, b: fast, c: { chunkMs: 150 } }, TRIAL_MS)).toBeUndefined();
    expect(await inUse({ a: fast, b: slow, c: fast }, TRIAL_MS - 1)).toBeUndefined();
  });

  it("is kept by the only one that holds all of the file, however slow", async () => {
    expect(await inUse({ seed: { ...slow, all: true }, b: fast, c: fast }, TRIAL_MS)).toBeUndefined();
  });
});
