/**
 * Putting a slot into the graph (paper: algorithm 1). Called by the kernel's add, which has stored the vector.
 * Dead slots are walked through but never linked to.
 */
import { areMostlyEqual, walkDistinct } from "./distinct-walk";
import { walkTwoHops } from "./filtered-walk";
import { addLink, addTwin, choose, chosen, twinsChosen, writeList } from "./link";
import { capacityOf, levelOf, listOf, MAX_LEVEL } from "./lists";
import { mark } from "./marks";
import { take } from "./memory";
import { entryAt, keyOf, slotOf } from "./pool";
import { askSlot, twinKey } from "./query";
import { LIVE, linksOf, liveCount, liveWords, NONE, slotCount, stateOf } from "./slots";
import {
  beginWalk,
  descend,
  LIVING_WIDTH,
  leaveDead,
  leaveOut,
  pool,
  poolSize,
  reservePool,
  seed,
  walkLevel,
  walkLiving,
} from "./walk";

/** Slots all over the graph that links past the dead are looked for from. */
const LIVING_SEEDS: u32 = 64;

export let entryPoint: u32 = NONE;
export let topLevel: u32 = 0;
export let efConstruction: u32 = 0;
let linksOfNew: u32 = 0;

/** Links of the slot being put in, level by level, and how many. */
let made: usize = 0;
let lengths: usize = 0;
/** How many of those on level 0 are twins, which come first. */
let twinsMade: u32 = 0;

/** False if memory has run out. */
export function setConstruction(ef: u32, links: u32): bool {
  efConstruction = ef;
  linksOfNew = links;
  made = take(<u64>(MAX_LEVEL + 1) * links * 4);
  lengths = take((MAX_LEVEL + 1) * 4);
  return made !== 0 && lengths !== 0 && reservePool(ef * LIVING_WIDTH);
}

/** Bytes of a pool for so many candidates of an insertion. */
export function constructionBytes(ef: u32): u32 {
  return ef * LIVING_WIDTH * 8;
}

export function setEntryPoint(slot: u32): void {
  entryPoint = slot;
  topLevel = slot === NONE ? 0 : levelOf(slot);
}

/**
 * The live slot of the highest level, the lowest such; one that is still to be linked, from which no way leads, only if
 * all are.
 */
export function findEntryPoint(): u32 {
  let best = NONE;
  let bestRank: u32 = 0;
  for (let slot: u32 = 0; slot < slotCount; slot++) {
    if (stateOf(slot) !== LIVE) continue;
    let rank = levelOf(slot) + 1;
    if (best !== NONE && rank <= bestRank) continue;
    if (load<u32>(linksOf(slot)) === NONE) rank = 0;
    if (best !== NONE && rank <= bestRank) continue;
    best = slot;
    bestRank = rank;
  }
  return best;
}

/** Links a slot whose vector, upper lists and state are in place. */
export function insertSlot(slot: u32, hasDead: bool): void {
  if (entryPoint === NONE) {
    setEntryPoint(slot);
    return;
  }
  const linked = linkSlot(slot, hasDead) || linkPastDead(slot);
  // Nothing live hangs on the old entry point.
  if (levelOf(slot) > topLevel || !linked) setEntryPoint(slot);
}

/**
 * Finds the slot's neighbours and links both ways. Level 0 comes first, and the slot's own lists before links to it: who
 * meets the slot on a level, a thread that links another, finds the way on and down. False if none that lives was found, or
 * a lock was in the way.
 */
export function linkSlot(slot: u32, hasDead: bool): bool {
  const levels = min(levelOf(slot), topLevel) + 1;
  findNeighbours(slot, levels, hasDead);
  return makeLinks(slot, levels);
}

/**
 * Links a slot around which more are dead than a walk looks at: on level 0, to the nearest that are met from slots all over the
 * graph by walking over those that live. What is not linked itself is no way to it. False if nothing that lives is linked.
 */
function linkPastDead(slot: u32): bool {
  askSlot(slot);
  beginWalk();
  mark(slot);
  if (stateOf(entryPoint) === LIVE) seed(entryPoint, efConstruction);
  const step = max<u32>(slotCount / LIVING_SEEDS, 1);
  for (let from: u32 = 0; from < slotCount; from += step) {
    let at = from;
    const stop = min(from + step, slotCount);
    while (at < stop && !(stateOf(at) === LIVE && load<u32>(linksOf(at)) !== NONE)) at++;
    if (at < stop) seed(at, efConstruction);
  }
  walkTwoHops(liveWords(), efConstruction, liveCount);
  store<u32>(lengths, choose(pool, poolSize, linksOfNew));
  memory.copy(made, chosen, lengthOfMade(0) << 2);
  twinsMade = twinsChosen;
  return makeLinks(slot, 1);
}

/** Makes the links that were chosen on the lowest `levels`. */
function makeLinks(slot: u32, levels: u32): bool {
  for (let level: u32 = 0; level < levels; level++) writeLinks(slot, level);
  let complete = lengthOfMade(0) > 0;
  for (let level: u32 = 0; level < levels; level++) {
    for (let i: u32 = 0; i < lengthOfMade(level); i++) {
      const neighbour = load<u32>(madeOf(level) + (i << 2));
      const isTwin = level === 0 && i < twinsMade;
      if (!(isTwin ? addTwin(neighbour, slot) : addLink(neighbour, slot, level))) complete = false;
    }
  }
  return complete;
}

/** Chooses the slot's neighbours on the lowest `levels`, from the highest down. */
function findNeighbours(slot: u32, levels: u32, hasDead: bool): void {
  askSlot(slot);
  let near = descend(entryPoint, topLevel, levels - 1);
  for (let l = <i32>levels - 1; l >= 0; l--) {
    askSlot(slot);
    beginWalk();
    seed(near, efConstruction);
    walk(l, hasDead);
    if (isMiredElsewhere()) walkOn(near, l, hasDead);
    // One that is linked again may be met.
    leaveOut(slot);
    if (poolSize > 0) near = slotOf(entryAt(pool, 0));
    const count = choose(pool, poolSize, linksOfNew);
    memory.copy(madeOf(l), chosen, count << 2);
    store<u32>(lengths + (l << 2), count);
    twinsMade = twinsChosen;
  }
}

/** Whether nearly all candidates are equal, and not to the slot that was asked. */
function isMiredElsewhere(): bool {
  return areMostlyEqual(pool, poolSize) && keyOf(entryAt(pool, 0)) > twinKey;
}

/** Walks to other places than the one whose vectors a walk from `near` had no room beside. */
function walkOn(near: u32, level: u32, hasDead: bool): void {
  beginWalk();
  seed(near, efConstruction);
  walkDistinct(level, efConstruction / 2);
  const nearest = entryAt(pool, 0);
  if (keyOf(nearest) > twinKey) {
    leaveDead();
    return;
  }
  // Of its own place all are wanted.
  beginWalk();
  seed(slotOf(nearest), efConstruction);
  walk(level, hasDead);
}

function walk(level: u32, hasDead: bool): void {
  if (hasDead) walkLiving(level, efConstruction);
  else walkLevel(level, efConstruction);
}

/** Writes the slot's own list; one that was linked before keeps links that others made. */
function writeLinks(slot: u32, level: u32): void {
  const list = listOf(slot, level);
  const count = lengthOfMade(level);
  if (load<u32>(list) === NONE) writeList(list, capacityOf(level), madeOf(level), count);
  else for (let i: u32 = 0; i < count; i++) addLink(slot, load<u32>(madeOf(level) + (i << 2)), level);
}

function madeOf(level: u32): usize {
  return made + <usize>level * (linksOfNew << 2);
}

function lengthOfMade(level: u32): u32 {
  return load<u32>(lengths + (level << 2));
}
