/** Which peer is asked for a manifest next, and which is given up: src/sharing/download/manifest-asking. */
import { expect, it } from "vitest";
import { ActivePeer } from "../../../src/sharing/download/active-peer.ts";
import { ManifestAsking } from "../../../src/sharing/download/manifest-asking.ts";
import { SharingError, type SharingErrorName } from "../../../src/sharing/errors.ts";
import {
  MAX_SILENCE_MS,
  SILENT_PEER_MS,
  TRIAL_MS,
  TRICKLE_BYTES_PER_SECOND,
} from "../../../src/sharing/limits.ts";
import { Turns } from "../../../src/sharing/transfers/turns.ts";
import { HandClock } from "../hand-clock.ts";
import { freeTurns, silentSession } from "./silent-session.ts";

const lost = new SharingError("peer_lost", "it is gone");

it("one peer is asked for a manifest, another when that takes long, nobody twice, and the last may be given up when it was in vain for long", async () => {
  const clock = new HandClock();
  const asking = new ManifestAsking(clock, "manifest");
  const peers = ["a", "b"].map((peerId) => new ActivePeer(silentSession(peerId), clock, freeTurns()));
  expect([asking.isUnderWay, asking.next(peers)?.id, asking.isUnderWay]).toEqual([false, "a", true]);
  expect(asking.next(peers)).toBeUndefined();
  await clock.pass(SILENT_PEER_MS - 1);
  expect(asking.next(peers)).toBeUndefined();
  await clock.pass(1);
  expect([asking.next(peers)?.id, asking.next(peers)]).toEqual(["b", undefined]);
  await clock.pass(SILENT_PEER_MS);
  expect(asking.next(peers)).toBeUndefined();
  expect(asking.inVain()).toBeUndefined();
  await clock.pass(MAX_SILENCE_MS - SILENT_PEER_MS - 1);
  expect(asking.inVain()).toBeUndefined();
  await clock.pass(1);
  expect(asking.inVain()?.id).toBe("b");
  for (const peer of peers) asking.brought(peer);
  expect([asking.isUnderWay, asking.inVain()]).toEqual([false, undefined]);
});

it("nobody is given up who is bringing a manifest, or the small file that is its own, over a slow line", async () => {
  const clock = new HandClock();
  const asking = new ManifestAsking(clock, "manifest");
  const [a, b] = ["a", "b"].map((peerId) => new ActivePeer(silentSession(peerId), clock, freeTurns()));
  if (a === undefined || b === undefined) throw new Error("there are two");
  asking.next([a]);
  await clock.pass(SILENT_PEER_MS);
  asking.next([a, b]);
  await clock.pass(MAX_SILENCE_MS);
  b.received((TRICKLE_BYTES_PER_SECOND * (SILENT_PEER_MS + MAX_SILENCE_MS)) / 1000);
  expect(asking.inVain()?.id).toBe("a");
  asking.failed(a, lost);
  expect(asking.inVain()).toBeUndefined();
});

it("the more have brought not a byte, the sooner another is asked; the first gives up its place when all were, and had time", async () => {
  const clock = new HandClock();
  const asking = new ManifestAsking(clock, "manifest");
  const peers = ["a", "b", "c"].map((peerId) => new ActivePeer(silentSession(peerId), clock, freeTurns()));
  const next = () => asking.next(peers)?.id;
  expect(next()).toBe("a");
  await clock.pass(SILENT_PEER_MS);
  expect([next(), next()]).toEqual(["b", undefined]);
  await clock.pass(SILENT_PEER_MS / 2);
  expect(asking.firstMute(peers)).toBeUndefined();
  expect(next()).toBe("c");
  await clock.pass(TRIAL_MS - 1.5 * SILENT_PEER_MS - 1);
  expect(asking.firstMute(peers)).toBeUndefined();
  await clock.pass(1);
  expect(asking.firstMute(peers)?.id).toBe("a");
  const newcomer = new ActivePeer(silentSession("d"), clock, freeTurns());
  expect(asking.firstMute([...peers, newcomer])).toBeUndefined();
  peers[2]?.received(16);
  expect(asking.firstMute(peers)).toBeUndefined();
});

it("where other files are before it nobody is asked, and its turn is waited for only until one is", () => {
  const clock = new HandClock();
  const asking = new ManifestAsking(clock, "manifest");
  const lines = ["a", "b"].map(() => new Turns(1));
  const at = (line: Turns) => line.at("", () => {});
  const peers = lines.map((line) => {
    const turns = { ...freeTurns(), manifest: at(line) };
    return new ActivePeer(silentSession(""), clock, turns);
  });
  const others = lines.map(at);
  for (const other of others) other.take();
  expect([asking.next(peers), peers.map(({ isWaiting }) => isWaiting)]).toEqual([undefined, [true, true]]);
  others[1]?.leave();
  expect([asking.next(peers) === peers[1], peers.map(({ isWaiting }) => isWaiting)]).toEqual([
    true,
    [false, false],
  ]);
  others[0]?.leave();
  expect([asking.next(peers), others.map((other) => other.take())]).toEqual([undefined, [true, false]]);
  asking.failed(peers[1] as ActivePeer, lost);
  expect(others[1]?.isOurs).toBe(true);
});

it("a turn that comes when another peer is asked already is given back", () => {
  const asking = new ManifestAsking(new HandClock(), "manifest");
  const line = new Turns(1);
  const late = line.at("", () => {});
  const [a, b] = [freeTurns(), { ...freeTurns(), manifest: late }].map(
    (turns) => new ActivePeer(silentSession(""), new HandClock(), turns),
  ) as [ActivePeer, ActivePeer];
  expect(asking.next([a])).toBe(a);
  late.take();
  expect(asking.next([a, b])).toBeUndefined();
  expect(line.at("", () => {}).take()).toBe(true);
});

it("another peer is asked for a manifest at once when one fails", () => {
  const clock = new HandClock();
  const asking = new ManifestAsking(clock, "manifest");
  const [a, b] = ["a", "b"].map((peerId) => new ActivePeer(silentSession(peerId), clock, freeTurns()));
  if (a === undefined || b === undefined) throw new Error("there are two");
  expect([asking.next([a, b])?.id, asking.next([a, b])]).toEqual(["a", undefined]);
  expect(asking.hasWaited).toBe(false);
  asking.failed(a, lost);
  expect(asking.isUnderWay).toBe(false);
  expect([asking.next([b])?.id, asking.next([b])]).toEqual(["b", undefined]);
});

it("who has waited for its turn has a provider, until that refuses, or has had time and brought not a byte", async () => {
  const hasWaited = async (failure: SharingErrorName, waitMs = 0, receivedBytes = 0) => {
    const clock = new HandClock();
    const asking = new ManifestAsking(clock, "manifest");
    const line = new Turns(1);
    const other = line.at("", () => {});
    other.take();
    const turns = { ...freeTurns(), manifest: line.at("", () => {}) };
    const peer = new ActivePeer(silentSession(""), clock, turns);
    expect([asking.hasWaited, asking.next([peer]), asking.hasWaited]).toEqual([false, undefined, true]);
    other.leave();
    expect(asking.next([peer])).toBe(peer);
    await clock.pass(waitMs);
    if (receivedBytes > 0) peer.received(receivedBytes);
    asking.failed(peer, new SharingError(failure, ""));
    return asking.hasWaited;
  };
  expect(await hasWaited("block_not_found")).toBe(false);
  expect(await hasWaited("peer_lost")).toBe(true);
  expect(await hasWaited("peer_lost", TRIAL_MS - 1)).toBe(true);
  expect(await hasWaited("peer_lost", TRIAL_MS)).toBe(false);
  expect(await hasWaited("peer_lost", TRIAL_MS, 1)).toBe(true);
});

it("who has brought something before has as long as any other, and makes nobody be asked sooner", async () => {
  const clock = new HandClock();
  const asking = new ManifestAsking(clock, "manifest");
  const peers = ["a", "b", "c"].map((peerId) => new ActivePeer(silentSession(peerId), clock, freeTurns()));
  const next = () => asking.next(peers)?.id;
  peers[0]?.received(16);
  expect(next()).toBe("a");
  await clock.pass(SILENT_PEER_MS - 1);
  expect(next()).toBeUndefined();
  await clock.pass(1);
  expect(next()).toBe("b");
  await clock.pass(SILENT_PEER_MS - 1);
  expect(next()).toBeUndefined();
  await clock.pass(1);
  expect(next()).toBe("c");
});

it("nobody gives up its place who was asked a moment ago, or while one was not asked, however long they are in use", async () => {
  const clock = new HandClock();
  const asking = new ManifestAsking(clock, "manifest");
  const [a, b] = ["a", "b"].map((peerId) => new ActivePeer(silentSession(peerId), clock, freeTurns()));
  if (a === undefined || b === undefined) throw new Error("there are two");
  await clock.pass(TRIAL_MS);
  expect(asking.firstMute([])).toBeUndefined();
  expect(asking.next([a])).toBe(a);
  await clock.pass(TRIAL_MS - 1);
  expect(asking.firstMute([a])).toBeUndefined();
  await clock.pass(1);
  expect(asking.firstMute([a])).toBe(a);
  expect(asking.firstMute([a, b])).toBeUndefined();
});
