/**
 * Locks on slots, so that one thread at a time changes a slot's lists while several link (team.ts). Reading needs none: a
 * list is written word by word. Called by insert and link. Nobody waits for long: a thread that ended while it held a lock
 * never lets go of it. Whoever waited in vain leaves the link out, and the slot that lacks it is linked again once the
 * round is over and all locks are taken back.
 *
 * A lock is free, held, or given up: held for so long that nobody waits for it any more.
 */
import { locks, tableRoom } from "./slots";

const UNLOCKED: u8 = 0;
const HELD: u8 = 1;
const GIVEN_UP: u8 = 2;

/** Attempts, a few ns each: ten times what choosing a list anew takes, so that an end is not taken for work. */
const MOST_ATTEMPTS: u32 = 65536;

/** False if it could not be had; nothing may be changed then. */
export function lock(slot: u32): bool {
  if (!ASC_FEATURE_THREADS) return true;
  for (let attempt: u32 = 0; attempt < MOST_ATTEMPTS; attempt++) {
    const was = atomic.cmpxchg<u8>(locks + slot, UNLOCKED, HELD);
    if (was === UNLOCKED) return true;
    if (was === GIVEN_UP) return false;
  }
  atomic.cmpxchg<u8>(locks + slot, HELD, GIVEN_UP);
  return false;
}

export function unlock(slot: u32): void {
  if (ASC_FEATURE_THREADS) atomic.store<u8>(locks + slot, UNLOCKED);
}

/** Takes all locks back, where nobody else is at work: what is held then is held by threads that ended. */
export function takeLocksBack(): void {
  if (ASC_FEATURE_THREADS) memory.fill(locks, UNLOCKED, tableRoom());
}
