/**
 * Putting a slot into the graph (paper: algorithm 1). Called by the kernel's add, which has stored the vector.
 * Dead slots are walked through but never linked to.
 */
import { addLink, choose, chosen, writeChosen } from "./link";
import { capacityOf, levelOf, listOf } from "./lists";
import { take } from "./memory";
import { entryAt, slotOf } from "./pool";
import { askSlot } from "./query";
import { LIVE, linkCapacity, lock, NONE, slotCount, stateOf, unlock } from "./slots";
import { beginWalk, descend, pool, poolSize, seed, shortenPool, walkLevel } from "./walk";

export let entryPoint: u32 = NONE;
export let topLevel: u32 = 0;
let efConstruction: u32 = 0;
let linksOfNew: u32 = 0;

/** Links of the slot being put in: its list may be chosen anew by another thread meanwhile. */
let made: usize = 0;

/** False if memory has run out. */
export function setConstruction(ef: u32, links: u32): bool {
  efConstruction = ef;
  linksOfNew = links;
  made = take(<u64>linkCapacity * 4);
  return made !== 0;
}

export function setEntryPoint(slot: u32): void {
  entryPoint = slot;
  topLevel = slot === NONE ? 0 : levelOf(slot);
}

/** The live slot of the highest level, the lowest such. */
export function findEntryPoint(): u32 {
  let best = NONE;
  let bestLevel: u32 = 0;
  for (let slot: u32 = 0; slot < slotCount; slot++) {
    if (stateOf(slot) !== LIVE) continue;
    const level = levelOf(slot);
    if (best !== NONE && level <= bestLevel) continue;
    best = slot;
    bestLevel = level;
  }
  return best;
}

/** Links a slot whose vector, upper lists and state are in place. */
export function insertSlot(slot: u32, hasDead: bool): void {
  if (entryPoint === NONE) {
    setEntryPoint(slot);
    return;
  }
  const linked = linkSlot(slot, hasDead);
  // Where nothing but dead slots was found, nothing live hangs on the old entry point.
  if (levelOf(slot) > topLevel || !linked) setEntryPoint(slot);
}

/** Finds the slot's neighbours and links both ways. False if none that lives was found. */
export function linkSlot(slot: u32, hasDead: bool): bool {
  const level = levelOf(slot);
  askSlot(slot);
  let near = descend(entryPoint, topLevel, level);
  let linked = false;
  for (let l = <i32>min(level, topLevel); l >= 0; l--) {
    askSlot(slot);
    beginWalk();
    seed(near, efConstruction);
    walkLevel(l, efConstruction);
    near = slotOf(entryAt(pool, 0));
    if (hasDead) dropDead();
    const list = listOf(slot, l);
    const count = choose(pool, poolSize, linksOfNew);
    memory.copy(made, chosen, count << 2);
    lock(slot);
    writeChosen(list, capacityOf(l), count);
    unlock(slot);
    for (let i: u32 = 0; i < count; i++) addLink(load<u32>(made + (i << 2)), slot, l);
    linked = count > 0;
  }
  return linked;
}

function dropDead(): void {
  let size: u32 = 0;
  for (let i: u32 = 0; i < poolSize; i++) {
    const entry = entryAt(pool, i);
    if (stateOf(slotOf(entry)) !== LIVE) continue;
    store<u64>(pool + ((<usize>size) << 3), entry);
    size++;
  }
  shortenPool(size);
}
