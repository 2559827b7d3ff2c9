/**
 * Room for slots, and with them for all that must go on when memory is full: searches, helpers that link what takes the place of
 * others, and opening the state in as much memory. So additions alone are refused. Called by place and state.
 */
import { reserveIds } from "./ids";
import { reserveQueries } from "./query";
import { reserveSearches } from "./search";
import { reserveSlots, slotCapacity } from "./slots";
import { reserveTeam } from "./team";

/** Slots to one of the queries of a search with negatives: these take a tenth of what slots do. */
const SLOTS_PER_QUERY: u32 = 16;

let mostQueries: u32 = 1;

/** Most queries that are asked together. */
export function foreseeQueries(count: u32): void {
  mostQueries = count;
}

/** Makes room for `count` slots. False, and no slot used, if memory has run out. */
export function reserveRoom(count: u32): bool {
  // Slots first: of more than there can be, the others' sums would be more than 32 bits hold.
  return (
    reserveSlots(count) &&
    reserveIds(count) &&
    reserveSearches(slotCapacity) &&
    reserveQueries(min(mostQueries, max(1, slotCapacity / SLOTS_PER_QUERY))) &&
    reserveTeam()
  );
}
