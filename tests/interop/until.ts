/** Waiting for what no event tells: a condition of another process, looked at again and again, and never for ever. */
import { setTimeout as pause } from "node:timers/promises";

const LOOK_EVERY_MS = 50;

/** What takes a second on an idle machine, as the start of a model does, takes tens on a busy one. */
const PATIENCE_MS = 60_000;

/** Settles once the condition holds, or with the value it gives. @throws when `timeoutMs` passed before */
export async function until<T>(
  what: string,
  condition: () => T | Promise<T>,
  timeoutMs = PATIENCE_MS,
  lookEveryMs = LOOK_EVERY_MS,
): Promise<NonNullable<T>> {
  const deadlineMs = performance.now() + timeoutMs;
  for (;;) {
    const value = await condition();
    if (value) return value;
    if (performance.now() > deadlineMs) throw new Error(`not within ${timeoutMs} ms: ${what}`);
    await pause(lookEveryMs);
  }
}
