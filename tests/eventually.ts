/**
 * Waiting for what a test can look at again and again: what comes at once on an idle machine comes later on others. With
 * faked timers, time passes between two looks.
 */
import { vi } from "vitest";

const PATIENCE_MS = 15_000;

/** Settles once `check` throws nothing. @throws what it threw last */
export function eventually<T>(check: () => T | Promise<T>): Promise<T> {
  return vi.waitFor(check, { timeout: PATIENCE_MS });
}

/** Settles once `condition` is met. @throws when it was not in time */
export function untilTrue(condition: () => boolean | Promise<boolean>): Promise<boolean> {
  return vi.waitUntil(condition, { timeout: PATIENCE_MS });
}
