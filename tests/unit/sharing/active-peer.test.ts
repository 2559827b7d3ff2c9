/** A peer that brings chunks: its speed, and its silence: src/sharing/download/active-peer. */
import { CID } from "multiformats/cid";
import { create as createDigest } from "multiformats/hashes/digest";
import { describe, expect, it } from "vitest";
import { ActivePeer } from "../../../src/sharing/download/active-peer.ts";
import { ChunkMeter } from "../../../src/sharing/download/chunk-meter.ts";
import { SharingError } from "../../../src/sharing/errors.ts";
import {
  CHUNK_BYTES,
  MAX_SILENCE_MS,
  SILENT_PEER_MS,
  TRIAL_MS,
  TRICKLE_BYTES_PER_SECOND,
  UNSUSPICIOUS_SILENCE_MS,
  URGENT_CHUNKS,
} from "../../../src/sharing/limits.ts";
import type { PeerSession } from "../../../src/sharing/ports.ts";
import { Turns } from "../../../src/sharing/transfers/turns.ts";
import { HandClock } from "../hand-clock.ts";
import { freeTurns } from "./silent-session.ts";

const session: PeerSession = {
  peerId: "a",
  maxInFlight: 16,
  fetch: () => Promise.reject(new SharingError("stopped", "not here")),
  prioritize: () => {},
  async *haves() {},
  close: () => {},
};

/** A peer that has brought a chunk every 100 ms, and is asked for another one. */
async function fastPeer(): Promise<{ peer: ActivePeer; clock: HandClock; end: () => boolean }> {
  const clock = new HandClock();
  const peer = new ActivePeer(session, clock, freeTurns());
  for (let index = 0; index < 10; index++) {
    const signal = peer.begin(index);
    await clock.pass(100);
    peer.end(index, signal);
    peer.delivered(100, CHUNK_BYTES);
  }
  const signal = peer.begin(10);
  return { peer, clock, end: () => peer.end(10, signal) };
}

describe("the speed of a peer", () => {
  it("is that of its deliveries, for as long as they may come any moment", async () => {
    const { peer, clock } = await fastPeer();
    await clock.pass(UNSUSPICIOUS_SILENCE_MS - 1);
    expect(peer.bytesPerSecond).toBeCloseTo(10 * CHUNK_BYTES, -3);
  });

  it("falls the longer it brings nothing of what it was asked for, and is back with the next chunk", async () => {
    const { peer, clock, end } = await fastPeer();
    await clock.pass(4000);
    expect(peer.bytesPerSecond).toBe(CHUNK_BYTES / 4);
    end();
    peer.delivered(100, CHUNK_BYTES);
    expect(peer.bytesPerSecond).toBeGreaterThan(5 * CHUNK_BYTES);
  });

  it("is shown by the parts of its chunks, for it and in the total", async () => {
    const clock = new HandClock();
    const total = new ChunkMeter(() => clock.monotonic());
    const [slow, other] = [
      new ActivePeer(session, clock, freeTurns(), total),
      new ActivePeer(session, clock, freeTurns(), total),
    ];
    // Less than a chunk in all of the window.
    for (let part = 0; part < 40; part++) {
      slow.received(CHUNK_BYTES / 64);
      other.received(CHUNK_BYTES / 64);
      await clock.pass(200);
    }
    const partSpeed = (CHUNK_BYTES / 64) * 5;
    expect(Math.abs(slow.meter.bytesPerSecond() - partSpeed)).toBeLessThan(partSpeed / 10);
    expect(total.bytesPerSecond()).toBe(2 * slow.meter.bytesPerSecond());
  });

  it("does not fall while it is asked for nothing", async () => {
    const { peer, clock, end } = await fastPeer();
    end();
    await clock.pass(60_000);
    peer.begin(11);
    expect(peer.bytesPerSecond).toBeCloseTo(10 * CHUNK_BYTES, -3);
  });
});

describe("a peer's silence", () => {
  it("is that of one that brings nothing for some seconds, having been asked", async () => {
    const { peer, clock, end } = await fastPeer();
    await clock.pass(SILENT_PEER_MS - 1);
    expect(peer.isSilent).toBe(false);
    await clock.pass(1);
    expect(peer.isSilent).toBe(true);
    end();
    expect(peer.isSilent).toBe(false);
  });

  it.each([
    [8000, 16_000],
    [60_000, MAX_SILENCE_MS],
  ])("of one that needs %i ms for a chunk begins after %i ms", async (chunkMs, silentMs) => {
    const clock = new HandClock();
    const peer = new ActivePeer(session, clock, freeTurns());
    peer.begin(0);
    await clock.pass(chunkMs);
    peer.delivered(chunkMs, CHUNK_BYTES);
    await clock.pass(silentMs - 1);
    expect(peer.isSilent).toBe(false);
    await clock.pass(1);
    expect(peer.isSilent).toBe(true);
  });
});

describe("the silence of a peer", () => {
  it("that never brought anything begins after some seconds, and not anew with each request", async () => {
    const clock = new HandClock();
    const peer = new ActivePeer(session, clock, freeTurns());
    await clock.pass(60_000);
    peer.begin(0);
    await clock.pass(SILENT_PEER_MS - 1);
    peer.begin(1);
    expect(peer.isSilent).toBe(false);
    await clock.pass(1);
    expect(peer.isSilent).toBe(true);
  });

  it("makes no slow peer look faster than it is, and none while it is asked for nothing", async () => {
    const clock = new HandClock();
    const peer = new ActivePeer(session, clock, freeTurns());
    const signal = peer.begin(0);
    await clock.pass(10_000);
    peer.delivered(10_000, CHUNK_BYTES);
    const slow = peer.bytesPerSecond;
    await clock.pass(2000);
    expect(peer.bytesPerSecond).toBe(slow);
    peer.end(0, signal);
    await clock.pass(60_000);
    expect(peer.bytesPerSecond).toBe(slow);
  });
});

describe("the requests to a peer", () => {
  it("are as many as its window has room for", () => {
    const peer = new ActivePeer(session, new HandClock(), freeTurns());
    const signals: AbortSignal[] = [];
    for (let index = 0; index < peer.window.size; index++) {
      expect(peer.hasRoom).toBe(true);
      signals.push(peer.begin(index));
    }
    expect(peer.hasRoom).toBe(false);
    const [first] = signals as [AbortSignal];
    expect([peer.end(0, first), peer.end(0, first), peer.hasRoom]).toEqual([true, false, true]);
  });

  it("may be a few more for a reader, who does not wait for what nobody waits for", () => {
    const heard: [string, number][] = [];
    const prioritize = (cid: CID, priority: number) => void heard.push([cid.toString(), priority]);
    const peer = new ActivePeer({ ...session, prioritize }, new HandClock(), freeTurns());
    const cid = CID.createV1(0x55, createDigest(0x12, new Uint8Array(32)));
    for (let index = 0; index < peer.window.size; index++) peer.begin(index);
    expect([peer.hasRoom, peer.hasRoomForUrgent]).toEqual([false, true]);
    for (let index = 0; index < URGENT_CHUNKS; index++) {
      expect(peer.hasRoomForUrgent).toBe(true);
      peer.prioritize(index, true, cid);
    }
    expect([peer.hasRoomForUrgent, peer.isUrgent(0), peer.isUrgent(URGENT_CHUNKS)]).toEqual([
      false,
      true,
      false,
    ]);
    peer.prioritize(0, false, cid);
    peer.prioritize(99, true, cid);
    expect([peer.hasRoomForUrgent, peer.isUrgent(0), peer.isUrgent(99)]).toEqual([true, false, false]);
    const urgent = Array.from({ length: URGENT_CHUNKS }, () => [cid.toString(), 2]);
    expect(heard).toEqual([...urgent, [cid.toString(), 1]]);
  });

  it("for one chunk, one of which was given up, are told apart", () => {
    const peer = new ActivePeer(session, new HandClock(), freeTurns());
    const first = peer.begin(0);
    peer.cancel(0, "another was faster");
    const second = peer.begin(0);
    expect([peer.end(0, first), peer.isAsked]).toEqual([false, true]);
    expect([peer.end(0, second), peer.isAsked]).toEqual([true, false]);
  });

  it("end one by one when others were faster, and all with its use", () => {
    const peer = new ActivePeer(session, new HandClock(), freeTurns());
    const signals = [0, 1, 2].map((index) => peer.begin(index));
    const aborted = () => [...signals, peer.signal].map((signal) => signal.aborted);
    peer.cancel(1, "another was faster");
    expect([aborted(), peer.end(1, signals[1] as AbortSignal)]).toEqual([[false, true, false, false], false]);
    peer.leave(new Error("no longer used"));
    expect(aborted()).toEqual([true, true, true, true]);
    expect(signals.map(({ reason }) => reason.message)).toEqual([
      "no longer used",
      "another was faster",
      "no longer used",
    ]);
  });
});

describe("a peer that is asked trickles", () => {
  it("and then may be asked for one chunk at a time, beside what a reader waits for: the one of which most is here", async () => {
    const { peer, clock } = await fastPeer();
    for (const index of [11, 12, 13]) peer.begin(index, index === 13);
    peer.received(1, 10);
    peer.received(2, 11);
    await clock.pass(MAX_SILENCE_MS - 1);
    expect([peer.surplus, peer.hasRoom]).toEqual([[], true]);
    await clock.pass(1);
    expect([new Set(peer.surplus), peer.hasRoom]).toEqual([new Set([10, 12]), false]);
    for (const index of peer.surplus) peer.cancel(index, "no");
    expect(peer.surplus).toEqual([]);
    peer.end(11, peer.begin(11));
    peer.delivered(100, CHUNK_BYTES);
    expect([peer.surplus, peer.hasRoom]).toEqual([[], true]);
  });

  it("where it has brought next to nothing for long, whatever it brought before", async () => {
    const { peer, clock, end } = await fastPeer();
    peer.received(CHUNK_BYTES);
    end();
    peer.delivered(100, CHUNK_BYTES);
    peer.begin(11);
    await clock.pass(MAX_SILENCE_MS - 1);
    expect(peer.trickles).toBe(false);
    await clock.pass(1);
    expect(peer.trickles).toBe(true);
    peer.received((TRICKLE_BYTES_PER_SECOND * MAX_SILENCE_MS) / 1000);
    expect(peer.trickles).toBe(false);
  });

  it("also where it refuses in between, until it brings a chunk", async () => {
    const { peer, clock, end } = await fastPeer();
    await clock.pass(MAX_SILENCE_MS);
    end();
    expect(peer.trickles).toBe(false);
    peer.end(11, peer.begin(11));
    peer.refused();
    await clock.pass(MAX_SILENCE_MS / 2);
    const signal = peer.begin(12);
    await clock.pass(MAX_SILENCE_MS / 2);
    expect(peer.trickles).toBe(true);
    peer.end(12, signal);
    expect(peer.trickles).toBe(true);
    peer.end(13, peer.begin(13));
    peer.delivered(100, CHUNK_BYTES);
    await clock.pass(MAX_SILENCE_MS);
    peer.begin(14);
    expect([peer.trickles, peer.silentMs]).toEqual([false, 0]);
  });
});

describe("a peer in use", () => {
  it("is worth waiting for, and one that was in vain before once it has brought something", () => {
    const peer = new ActivePeer(session, new HandClock(), freeTurns());
    expect(peer.isExpected).toBe(true);
    peer.wasInVain = true;
    expect(peer.isExpected).toBe(false);
    peer.received(16);
    expect(peer.isExpected).toBe(true);
  });

  it("has brought nothing, then bytes, and then chunks, whatever it brings of the next one", () => {
    const peer = new ActivePeer(session, new HandClock(), freeTurns());
    const brought = [peer.brought];
    peer.received(CHUNK_BYTES);
    brought.push(peer.brought);
    peer.delivered(1, CHUNK_BYTES);
    brought.push(peer.brought);
    peer.received(1);
    expect([...brought, peer.brought]).toEqual(["nothing", "bytes", "chunks", "chunks"]);
  });

  it("is mute once it had time and not a byte has come, until it sends one, and so after each chunk", async () => {
    const clock = new HandClock();
    await clock.pass(TRIAL_MS);
    const peer = new ActivePeer(session, clock, freeTurns());
    expect([peer.isMute, peer.inUseMs]).toEqual([false, 0]);
    await clock.pass(TRIAL_MS - 1);
    expect(peer.isMute).toBe(false);
    await clock.pass(1);
    expect([peer.isMute, peer.inUseMs]).toEqual([true, TRIAL_MS]);
    peer.received(1);
    expect(peer.isMute).toBe(false);
    peer.delivered(1, CHUNK_BYTES);
    expect(peer.isMute).toBe(false);
    await clock.pass(TRIAL_MS);
    expect([peer.isMute, peer.inUseMs]).toEqual([true, 2 * TRIAL_MS]);
  });

  it.each(["manifest", "short", "long"] as const)(
    "waits until it can be asked what it holds, and while others are before it (%s)",
    (kind) => {
      const line = new Turns(1);
      const at = () => ({ ...freeTurns(), [kind]: line.at("a", () => {}) });
      const other = at()[kind];
      other.take();
      const peer = new ActivePeer(session, new HandClock(), at());
      expect([peer.isWaiting, peer.waitsForHaves, peer.wasInVain, peer.hasRefused]).toEqual(
        Array.from({ length: 4 }, () => false),
      );
      peer.waitsForHaves = true;
      expect(peer.isWaiting).toBe(true);
      peer.waitsForHaves = false;
      peer.turns[kind].take();
      expect(peer.isWaiting).toBe(true);
      other.leave();
      expect(peer.isWaiting).toBe(false);
      peer.leave(new Error("it is over"));
      expect(other.take()).toBe(true);
    },
  );
});
