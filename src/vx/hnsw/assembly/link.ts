/**
 * Choosing and making links (paper: algorithms 1 and 4). A candidate is chosen if it is nearer to the new point
 * than to any chosen one, so that links spread around the point. Called by insert and by mending.
 */
import { keyInBatch, putInBatch, scoreBatch, slotInBatch, touchBatch } from "./batch";
import { capacityOf, listOf, placeOf } from "./lists";
import { lock, unlock } from "./locks";
import { freshEpoch, isMarked, mark } from "./marks";
import { take } from "./memory";
import { entryAt, entryOf, insertEntry, keyOf, slotOf } from "./pool";
import { askCandidate, askSlot, twinKey } from "./query";
import { LIVE, linkCapacity, NONE, stateOf } from "./slots";

/** Sorted candidates of the list being chosen anew. */
let candidates: usize = 0;
let candidateCount: u32 = 0;
/** What was chosen, and how many of it are twins, which come first. */
export let chosen: usize = 0;
export let twinsChosen: u32 = 0;

/** False if memory has run out. */
export function layOutLinking(): bool {
  // Mending joins the lists of two slots.
  candidates = take(<u64>(linkCapacity * 2 + 4) * 8 + 32);
  chosen = take(<u64>linkCapacity * 4 + 16);
  return candidates !== 0 && chosen !== 0;
}

/** Chooses up to `most` of the sorted entries into `chosen`; gives how many. Leaves the query undefined. */
export function choose(entries: usize, count: u32, most: u32): u32 {
  const among = twinsOf(entries, count);
  // Equal vectors occlude nobody; half the list is enough for them, or they would be an island.
  const wanted = min(among, most / 2);
  const step = wanted === 0 ? 0 : among / wanted;
  let size: u32 = 0;
  let twins: u32 = 0;
  for (let i: u32 = 0; i < count && size < most; i++) {
    const isTwin = i < among;
    if (i >= wanted && isTwin) continue;
    // From all over them: those next to one another were added together, and may be deleted together.
    const entry = entryAt(entries, isTwin ? i * step : i);
    const slot = slotOf(entry);
    if (size > 0 && isOccluded(slot, keyOf(entry), size)) continue;
    store<u32>(chosen + (size << 2), slot);
    size++;
    twins += <u32>isTwin;
  }
  twinsChosen = twins;
  return size;
}

/** How many of the sorted entries are twins of the slot that was asked: they come first. */
function twinsOf(entries: usize, count: u32): u32 {
  let twins: u32 = 0;
  while (twins < count && keyOf(entryAt(entries, twins)) <= twinKey) twins++;
  return twins;
}

/** Whether some chosen slot is nearer to `slot` than `key`. */
function isOccluded(slot: u32, key: f32, size: u32): bool {
  askCandidate(slot);
  for (let i: u32 = 0; i < size; i += 4) {
    const group = min(size - i, 4);
    for (let j: u32 = 0; j < group; j++) putInBatch(j, load<u32>(chosen + ((i + j) << 2)));
    scoreBatch(group);
    for (let j: u32 = 0; j < group; j++) if (keyInBatch(j) < key) return true;
  }
  return false;
}

/** Writes `count` slots as a list. */
export function writeList(list: usize, capacity: u32, slots: usize, count: u32): void {
  // Word by word, the end first: other threads may be reading it, and where this one ends midway the list is sound.
  for (let i = capacity; i > count; i--) store<u32>(list + ((i - 1) << 2), NONE);
  for (let i: u32 = 0; i < count; i++) store<u32>(list + (i << 2), load<u32>(slots + (i << 2)));
}

/** Adds a link; a full list is chosen anew from what it held and the new one. False if the slot is locked. */
export function addLink(from: u32, to: u32, level: u32): bool {
  if (!lock(from)) return false;
  addLinkLocked(from, to, level);
  unlock(from);
  return true;
}

function addLinkLocked(from: u32, to: u32, level: u32): void {
  const list = listOf(from, level);
  const capacity = capacityOf(level);
  const place = placeOf(to, list, capacity);
  if (place < capacity) {
    store<u32>(list + (place << 2), to);
    return;
  }
  for (let i: u32 = 0; i < capacity; i++) putInBatch(i, load<u32>(list + (i << 2)));
  putInBatch(capacity, to);
  sortBatch(from, capacity + 1);
  writeList(list, capacity, chosen, choose(candidates, candidateCount, capacity));
}

/**
 * Adds a link on level 0 to a twin, of which a list has half its places at most: where they are taken, the new one takes that of
 * another, and leads to it, so that of however many equal vectors all are found. False if a slot is locked.
 */
export function addTwin(from: u32, to: u32): bool {
  const place = placeOfOther(from, to);
  if (place === NONE) return addLink(from, to, 0);
  const at = listOf(from, 0) + (place << 2);
  // As it was looked at: another thread may have shortened the list since.
  const other = slotInBatch(place);
  if (!addLink(to, other, 0) || !lock(from)) return false;
  if (load<u32>(at) === other) store<u32>(at, to);
  unlock(from);
  return true;
}

/** Where a twin stands that is to make room for another; NONE if there is room, or it is there. */
function placeOfOther(from: u32, to: u32): u32 {
  const list = listOf(from, 0);
  let count: u32 = 0;
  for (; count < linkCapacity; count++) {
    const slot = load<u32>(list + (count << 2));
    if (slot === to) return NONE;
    if (slot === NONE) break;
    putInBatch(count, slot);
  }
  askSlot(from);
  scoreBatch(count);
  let twins: u32 = 0;
  for (let i: u32 = 0; i < count; i++) {
    if (keyInBatch(i) > twinKey || stateOf(slotInBatch(i)) !== LIVE) continue;
    store<u32>(chosen + (twins << 2), i);
    twins++;
  }
  if (twins * 2 < linkCapacity) return NONE;
  return load<u32>(chosen + ((to % twins) << 2));
}

/** Measures the batch from a slot and sorts it as candidates. */
function sortBatch(from: u32, count: u32): void {
  askSlot(from);
  touchBatch(count);
  scoreBatch(count);
  candidateCount = 0;
  for (let i: u32 = 0; i < count; i++) {
    insertEntry(candidates, candidateCount, entryOf(keyInBatch(i), slotInBatch(i)));
    candidateCount++;
  }
}

/** Of the first `size` chosen, twins of the slot that was asked. */
function twinsAmong(size: u32): u32 {
  for (let i: u32 = 0; i < size; i++) putInBatch(i, load<u32>(chosen + (i << 2)));
  scoreBatch(size);
  let twins: u32 = 0;
  for (let i: u32 = 0; i < size; i++) twins += <u32>(keyInBatch(i) <= twinKey);
  return twins;
}

/**
 * Which of the sorted candidates from `first` on has the vector of the lost slot, and takes its place whatever occludes it now:
 * else fewer and fewer links would lead to equal vectors. One of them all, or `count` if there is none.
 */
function heirOf(lost: u32, from: u32, first: u32, count: u32): u32 {
  if (first === count) return count;
  putInBatch(0, lost);
  scoreBatch(1);
  const key = keyInBatch(0);
  while (first < count && keyOf(entryAt(candidates, first)) !== key) first++;
  let end = first;
  while (end < count && keyOf(entryAt(candidates, end)) === key) end++;
  return first === end ? count : first + (from % (end - first));
}

/**
 * Puts others in the place of the links to `lost`: all links to live slots stay, and of the neighbours of the
 * lost one those are added that no link occludes.
 */
export function mend(from: u32, lost: u32, level: u32): void {
  const list = listOf(from, level);
  const capacity = capacityOf(level);
  let size: u32 = 0;
  freshEpoch();
  mark(from);
  for (let i: u32 = 0; i < capacity; i++) {
    const slot = load<u32>(list + (i << 2));
    if (slot === NONE) break;
    if (stateOf(slot) !== LIVE) continue;
    mark(slot);
    store<u32>(chosen + (size << 2), slot);
    size++;
  }
  const others = listOf(lost, level);
  let count: u32 = 0;
  for (let i: u32 = 0; i < capacity; i++) {
    const slot = load<u32>(others + (i << 2));
    if (slot === NONE) break;
    if (stateOf(slot) !== LIVE || isMarked(slot)) continue;
    putInBatch(count, slot);
    count++;
  }
  if (count > 0) sortBatch(from, count);
  const among = count > 0 ? twinsOf(candidates, count) : 0;
  let twins = among > 0 ? twinsAmong(size) : 0;
  const heir = heirOf(lost, from, among, count);
  if (heir < count) {
    store<u32>(chosen + (size << 2), slotOf(entryAt(candidates, heir)));
    size++;
  }
  for (let i: u32 = 0; i < count && size < capacity; i++) {
    const isTwin = i < among;
    if (i === heir || (isTwin && twins * 2 >= capacity)) continue;
    const entry = entryAt(candidates, isTwin ? (from + i) % among : i);
    if (isOccluded(slotOf(entry), keyOf(entry), size)) continue;
    store<u32>(chosen + (size << 2), slotOf(entry));
    size++;
    twins += <u32>isTwin;
  }
  writeList(list, capacity, chosen, size);
}
