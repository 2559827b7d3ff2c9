/**
 * Slots that searches no longer meet. What lies far from all others is near to nobody: as those that led to it are replaced, new
 * ones do not, or lie nearer to it than the last that does. Called by a sweep, which comes by every slot.
 */
import { efConstruction, entryPoint, topLevel } from "./insert";
import { leadsTo, placeOf } from "./lists";
import { isMarked } from "./marks";
import { entryAt, keyOf, slotOf } from "./pool";
import { askSlot, twinKey } from "./query";
import { LIVE, linkCapacity, linksOf, NONE, stateOf } from "./slots";
import { beginWalk, descend, pool, poolSize, seed, walkLiving } from "./walk";

/** Where fewer of its own neighbours lead back to a slot, every sweep looks for it. */
const ENOUGH_LEADERS: u32 = 2;
/** For all others one sweep in so many looks: a few that lead to one another may be met by nobody else. */
const SWEEPS_A_LOOK: u32 = 4;
/** Candidates of a first walk, which meets most. */
const FEW: u32 = 8;

let sweeps: u32 = 0;

/** Tells that a sweep begins, or another round of looks. */
export function countSweep(): void {
  sweeps++;
}

/** Links a live slot and the nearest that a walk ends at, if walks meet neither the slot nor its equal. */
export function reconnect(slot: u32): void {
  if ((slot + sweeps) % SWEEPS_A_LOOK !== 0 && hasEnoughLeaders(slot)) return;
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
  walkLiving(0, ef);
  // By f32, many numbers are some way from themselves.
  return isMarked(slot) || (poolSize > 0 && keyOf(entryAt(pool, 0)) <= twinKey);
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
