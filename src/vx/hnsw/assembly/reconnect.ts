/**
 * Slots that searches no longer meet. What lies far from all others is near to nobody: as those that led to it are replaced, new
 * ones do not, or lie nearer to it than the last that does. Called by a sweep, which comes by every slot, and by removal.
 */
import { putInBatch, scoreBatch } from "./batch";
import { efConstruction, entryPoint, topLevel } from "./insert";
import { leadsTo, placeOf } from "./lists";
import { isMarked, mark } from "./marks";
import { entryAt, keyOf, setExpanded, slotOf } from "./pool";
import { askSlot, twinKey } from "./query";
import { LIVE, linkCapacity, linksOf, m, NONE, stateOf } from "./slots";
import { beginWalk, descend, nextFrom, pool, poolSize, seed, takeBatch, walkLiving } from "./walk";

/** Where fewer of its own neighbours lead back to a slot, every sweep looks for it. */
const ENOUGH_LEADERS: u32 = 2;
/** For all others one sweep in so many looks: a few that lead to one another may be met by nobody else. */
const SWEEPS_A_LOOK: u32 = 4;
/** Candidates of a first walk, which meets most. */
const FEW: u32 = 8;
/** A lost slot that led to more that live had others around it, which go on leading where it led. A quarter of M at most. */
const MOST_AROUND: u32 = 4;

let sweeps: u32 = 0;

/** Tells that a sweep begins, or another round of looks. */
export function countSweep(): void {
  sweeps++;
}

/** Looks for a live slot, if it is its turn or few lead to it. */
export function reconnect(slot: u32): void {
  if ((slot + sweeps) % SWEEPS_A_LOOK !== 0 && hasEnoughLeaders(slot)) return;
  lookFor(slot);
}

/** Of a place whose slots all go at once, the last to go may be the only way to another place: looks for what they led to. */
export function reconnectAround(lost: u32): void {
  const list = linksOf(lost);
  if (livingIn(list) > min(MOST_AROUND, m / 4)) return;
  for (let i: u32 = 0; i < linkCapacity; i++) {
    const slot = load<u32>(list + (i << 2));
    if (slot === NONE) return;
    if (stateOf(slot) === LIVE) lookFor(slot);
  }
}

function livingIn(list: usize): u32 {
  let count: u32 = 0;
  for (let i: u32 = 0; i < linkCapacity; i++) {
    const slot = load<u32>(list + (i << 2));
    if (slot === NONE) break;
    count += <u32>(stateOf(slot) === LIVE);
  }
  return count;
}

/** Links a live slot and the nearest that a walk ends at, if walks meet neither the slot nor its equal. */
function lookFor(slot: u32): void {
  askSlot(slot);
  // Narrower than walks of most searches: what is met at the edge of those is soon met no more.
  const few = min(FEW, efConstruction);
  if (isMet(slot, few) || isMet(slot, max(few, efConstruction / 4))) return;
  for (let i: u32 = 0; i < poolSize; i++) {
    const near = slotOf(entryAt(pool, i));
    if (!lead(near, slot)) continue;
    lead(slot, near);
    return;
  }
}

/** Whether a walk with so many candidates meets the slot, which was asked, or its equal. */
function isMet(slot: u32, ef: u32): bool {
  const near = descend(entryPoint, topLevel, 0);
  beginWalk();
  seed(near, ef);
  if (stateOf(near) !== LIVE) beginAtLiving();
  walkAmongLiving(ef);
  // By f32, many numbers are some way from themselves.
  return isMarked(slot) || (poolSize > 0 && keyOf(entryAt(pool, 0)) <= twinKey);
}

/** Begins anew, at the nearest living slot that a walk past the dead finds. */
function beginAtLiving(): void {
  walkLiving(0, 1);
  if (poolSize === 0) return;
  const near = slotOf(entryAt(pool, 0));
  beginWalk();
  seed(near, 1);
}

/** As a search does, but the dead are no way: they will be gone. */
function walkAmongLiving(ef: u32): void {
  for (let at: u32 = 0; at < poolSize; ) {
    const list = linksOf(slotOf(entryAt(pool, at)));
    setExpanded(pool, at);
    let count: u32 = 0;
    for (let i: u32 = 0; i < linkCapacity; i++) {
      const slot = load<u32>(list + (i << 2));
      if (slot === NONE) break;
      if (isMarked(slot) || stateOf(slot) !== LIVE) continue;
      mark(slot);
      putInBatch(count++, slot);
    }
    scoreBatch(count);
    at = nextFrom(at, takeBatch(count, ef));
  }
}

function hasEnoughLeaders(slot: u32): bool {
  const list = linksOf(slot);
  let count: u32 = 0;
  for (let i: u32 = 0; i < linkCapacity && count < ENOUGH_LEADERS; i++) {
    const other = load<u32>(list + (i << 2));
    if (other === NONE) break;
    count += <u32>(stateOf(other) === LIVE && leadsTo(other, slot, 0));
  }
  return count === ENOUGH_LEADERS;
}

/** Adds a link, where a list is full in place of one to a slot that others lead to. False if it has none such. */
function lead(from: u32, to: u32): bool {
  const list = linksOf(from);
  let place = placeOf(to, list, linkCapacity);
  if (place === linkCapacity) place = placeOfNeedless(list);
  if (place === NONE) return false;
  store<u32>(list + (place << 2), to);
  return true;
}

/** The last place whose slot has leaders enough; NONE if there is none. */
function placeOfNeedless(list: usize): u32 {
  for (let place = linkCapacity; place > 0; place--) {
    if (hasEnoughLeaders(load<u32>(list + ((place - 1) << 2)))) return place - 1;
  }
  return NONE;
}
