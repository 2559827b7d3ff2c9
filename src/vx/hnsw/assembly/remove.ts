/**
 * Taking slots out. A removed slot is first DEAD: its neighbours that link to it are mended at once, and it
 * stays as a way through for links not known of (links go one way). When dead slots have become many, a sweep
 * passes over all lists, some at every write; it mends what still links to the slots CONDEMNED at its start, and
 * at its end these are FREE for new vectors, or SWEPT while slots are held. On its way, some at every write, it reconnects
 * what searches no longer meet; so does a removal that leaves few. Called by the kernel's add and remove.
 * (Eager repair and sweep together are the in-place variant of FreshDiskANN, section 4.2 and 4.3.)
 */
import { leaveSlot } from "./ids";
import { entryPoint, findEntryPoint, setEntryPoint } from "./insert";
import { mend } from "./link";
import { capacityOf, leadsTo, levelOf, listOf, releaseLists } from "./lists";
import { forgetOrigin } from "./origin";
import { countSweep, reconnect, reconnectAround } from "./reconnect";
import { rejoin } from "./rejoin";
import {
  CONDEMNED,
  DEAD,
  FREE,
  forgetSlots,
  idOf,
  LIVE,
  linksOf,
  liveCount,
  NONE,
  SWEPT,
  setState,
  slotCount,
  stateOf,
} from "./slots";

/** A sweep starts when there is one dead slot to so many live ones, and at least so many dead. */
const LIVE_TO_DEAD: u32 = 8;
const FEWEST_DEAD: u32 = 64;
/** Slots swept at a write: a pass is over before as many are dead again. */
const SWEEP_STEP: u32 = 64;

export let deadCount: u32 = 0;
export let freeHead: u32 = NONE;
export let sweepCursor: u32 = NONE;
/** No slot becomes free, so vectors of slots in use stay as they are. */
let held: bool = false;
/** Nor is one that is free used, so that the list of those stays as it is. */
let pinned: bool = false;
/** Sweeps for a slot at once, each of which leaves some slots to be looked for behind it, and the slot to go on from. */
let looksOwed: u32 = 0;
let lookCursor: u32 = 0;
/** Slots that would be free already if none were held. */
let sweptCount: u32 = 0;

export function holdSlots(hold: bool, pin: bool): void {
  held = hold || pin;
  pinned = pin;
  if (!held && sweptCount > 0) freeAll(SWEPT);
}

export function maySweep(): bool {
  return !held;
}

/** Puts back what a snapshot says. */
export function restoreRemoval(dead: u32, free: u32, cursor: u32): void {
  deadCount = dead;
  sweptCount = 0;
  freeHead = free;
  sweepCursor = cursor;
}

/** A free slot, or NONE. */
export function takeFreeSlot(): u32 {
  if (freeHead === NONE || pinned) return NONE;
  const slot = freeHead;
  freeHead = load<u32>(linksOf(slot));
  return slot;
}

export function removeSlot(slot: u32): void {
  leaveSlot(idOf(slot));
  setState(slot, DEAD);
  deadCount++;
  if (liveCount === 0 && !held) {
    forgetAll();
    return;
  }
  for (let level = <i32>levelOf(slot); level >= 0; level--) {
    const list = listOf(slot, level);
    const capacity = capacityOf(level);
    for (let i: u32 = 0; i < capacity; i++) {
      const neighbour = load<u32>(list + (i << 2));
      if (neighbour === NONE) break;
      if (stateOf(neighbour) === LIVE && leadsTo(neighbour, slot, level)) mend(neighbour, slot, level);
    }
  }
  rejoin(slot);
  reconnectAround(slot);
}

function forgetAll(): void {
  for (let slot: u32 = 0; slot < slotCount; slot++) releaseLists(slot);
  forgetSlots();
  deadCount = 0;
  sweptCount = 0;
  freeHead = NONE;
  sweepCursor = NONE;
  setEntryPoint(NONE);
  forgetOrigin();
}

/**
 * Goes on with a sweep, or starts one if it is time; or looks for some of the slots that one at once did not. False if
 * there is none.
 */
export function sweepSome(): bool {
  if (pinned) return false;
  if (sweepCursor === NONE) {
    // There would be no entry point, which a graph of slots must have.
    if (liveCount === 0) return false;
    if (looksOwed > 0) {
      lookForSome();
      return true;
    }
    const unswept = deadCount - sweptCount;
    if (unswept < FEWEST_DEAD || unswept * LIVE_TO_DEAD < liveCount) return false;
    countSweep();
    condemn();
  }
  sweep(SWEEP_STEP, true);
  return true;
}

/**
 * As many slots as a sweep comes by for each that is removed: who needs a slot at every write would else wait for walks
 * to all.
 */
function lookForSome(): void {
  looksOwed--;
  for (let i: u32 = 0; i < LIVE_TO_DEAD; i++, lookCursor++) {
    if (lookCursor >= slotCount) {
      lookCursor = 0;
      countSweep();
    }
    if (stateOf(lookCursor) === LIVE) reconnect(lookCursor);
  }
}

/** Frees every dead slot. False if that is not allowed now. */
export function sweepAll(): bool {
  if (held) return false;
  if (sweepCursor !== NONE) sweep(NONE, false);
  if (deadCount === 0) return true;
  condemn();
  sweep(NONE, false);
  looksOwed++;
  return true;
}

function condemn(): void {
  for (let slot: u32 = 0; slot < slotCount; slot++) if (stateOf(slot) === DEAD) setState(slot, CONDEMNED);
  if (stateOf(entryPoint) !== LIVE) setEntryPoint(findEntryPoint());
  sweepCursor = 0;
}

/** `reconnects`: not for whoever needs a slot at once, perhaps at every write: some are looked for behind it. */
function sweep(step: u32, reconnects: bool): void {
  const stop = step < slotCount - sweepCursor ? sweepCursor + step : slotCount;
  for (; sweepCursor < stop; sweepCursor++) {
    const state = stateOf(sweepCursor);
    if (state !== LIVE && state !== DEAD) continue;
    for (let level = <i32>levelOf(sweepCursor); level >= 0; level--) mendList(sweepCursor, level);
    if (reconnects && state === LIVE) reconnect(sweepCursor);
  }
  if (sweepCursor < slotCount) return;
  if (held) keepCondemned();
  else freeAll(CONDEMNED);
  sweepCursor = NONE;
}

/** Nothing leads to them any more, but they are still to be read. */
function keepCondemned(): void {
  for (let slot: u32 = 0; slot < slotCount; slot++) {
    if (stateOf(slot) !== CONDEMNED) continue;
    setState(slot, SWEPT);
    sweptCount++;
  }
}

/** Mends a list for every condemned slot in it. */
function mendList(from: u32, level: u32): void {
  const list = listOf(from, level);
  const capacity = capacityOf(level);
  for (let i: u32 = 0; i < capacity; ) {
    const slot = load<u32>(list + (i << 2));
    if (slot === NONE) return;
    if (stateOf(slot) === CONDEMNED) {
      mend(from, slot, level);
      i = 0;
    } else i++;
  }
}

function freeAll(state: u8): void {
  for (let slot = slotCount; slot > 0; ) {
    slot--;
    if (stateOf(slot) !== state) continue;
    releaseLists(slot);
    setState(slot, FREE);
    store<u32>(linksOf(slot), freeHead);
    freeHead = slot;
    deadCount--;
  }
  if (state === SWEPT) sweptCount = 0;
}
