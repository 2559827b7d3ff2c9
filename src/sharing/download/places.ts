/**
 * Who of a download's peers should give up its place. Pure; called by the transfer. To one in reserve nobody gives the place of
 * the only one in use that holds all of the file: what it alone has comes from nowhere else.
 */
import { IDLE_PEER_MS, LAGGARD_SHARE, MAX_SILENCE_MS, TRIAL_MS } from "../limits.ts";
import type { ActivePeer } from "./active-peer.ts";
import type { Picker } from "./picker.ts";

/** The slowest of those that are still downloading, too: its place goes to one that has just come. */
export function slowestPartial(peers: Iterable<ActivePeer>, picker: Picker): ActivePeer | undefined {
  const [slowest] = [...peers]
    .filter(({ id }) => !picker.holdsAll(id))
    .sort((a, b) => a.meter.bytesPerSecond() - b.meter.bytesPerSecond());
  return slowest;
}

/** One that has had nothing to give for a while, or else a laggard, or one that gets nowhere. */
export function leastUseful(peers: Iterable<ActivePeer>, picker: Picker): ActivePeer | undefined {
  const all = [...peers];
  return all.find(isIdle) ?? laggard(all, picker) ?? trickling(all);
}

/** The one that came last: it has begun to bring the least. */
export function lastToCome(peers: Iterable<ActivePeer>): ActivePeer | undefined {
  return [...peers].at(-1);
}

/** Where all bring other files first, the one that came last: its place goes to one that could bring this file at once. */
export function lastWaiting(peers: Iterable<ActivePeer>): ActivePeer | undefined {
  const all = [...peers];
  return all.every(({ isWaiting, isAsked }) => isWaiting && !isAsked) ? all.at(-1) : undefined;
}

/**
 * Where none that is asked brings a byte, the last to come of those: its place goes to one that was not tried yet.
 * Others only once that one had as long, for it may be our own line.
 */
export function lastMute(peers: Iterable<ActivePeer>): ActivePeer | undefined {
  const all = [...peers];
  const isQuiet = all.every(({ isMute, isAsked, inUseMs }) => inUseMs >= TRIAL_MS && (isMute || !isAsked));
  return isQuiet ? all.findLast(({ isAsked }) => isAsked) : undefined;
}

function isIdle(peer: ActivePeer): boolean {
  return !peer.isAsked && !peer.isWaiting && peer.silentMs > IDLE_PEER_MS;
}

/**
 * Those that had a chunk, then said that they had not, and have had nothing else to give for a while: one that is let go comes
 * back later, and says anew what it holds.
 */
export function idleRefusers(peers: Iterable<ActivePeer>): ActivePeer[] {
  return [...peers].filter((peer) => peer.hasRefused && isIdle(peer));
}

/** One that is far slower than the others, and had time to show what it can do. */
function laggard(all: readonly ActivePeer[], picker: Picker): ActivePeer | undefined {
  const mean = all.reduce((sum, { bytesPerSecond }) => sum + bytesPerSecond, 0) / all.length;
  const isOneOfFew = all.filter(({ id }) => picker.holdsAll(id)).length < 2;
  const [slowest] = all
    .filter((peer) => peer.inUseMs >= TRIAL_MS && !(isOneOfFew && picker.holdsAll(peer.id)))
    .sort((a, b) => a.bytesPerSecond - b.bytesPerSecond);
  return slowest && slowest.bytesPerSecond < LAGGARD_SHARE * mean ? slowest : undefined;
}

/**
 * The last to come of those, and one at a time, for it may be our own line: what others have begun to bring is not
 * begun anew.
 */
function trickling(all: readonly ActivePeer[]): ActivePeer | undefined {
  const isOnTrial = all.some(({ inUseMs }) => inUseMs < MAX_SILENCE_MS);
  return isOnTrial ? undefined : all.findLast(({ trickles }) => trickles);
}
