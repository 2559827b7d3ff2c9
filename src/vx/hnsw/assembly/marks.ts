/**
 * Which slots a walk has visited: a byte a slot, equal to the number of the walk, so that a new one need clear nothing.
 * Called by the walks and by mending.
 */
import { tableRoom, visited } from "./slots";

/** The number of the walk; a table of another place begins with zeros, which is no walk's. */
let epoch: u8 = 0;

/** Begins a walk: a mark that no slot carries yet. */
export function freshEpoch(): u8 {
  epoch++;
  if (epoch === 0) {
    forgetMarks();
    epoch = 1;
  }
  return epoch;
}

/** Takes all marks away. */
export function forgetMarks(): void {
  memory.fill(visited, 0, tableRoom());
}

export function isMarked(slot: u32): bool {
  return load<u8>(visited + slot) === epoch;
}

export function mark(slot: u32): void {
  store<u8>(visited + slot, epoch);
}
