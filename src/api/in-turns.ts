/** Long work of one thread, cut into turns. Called where bodies are read. */

import { nextTurn } from "../vx/storage/turns.ts";
import { TURN_MS } from "./limits.ts";

/** Runs to the end, and lets others of this thread have their turn every few milliseconds. */
export async function inTurns<T>(turns: Generator<void, T>): Promise<T> {
  for (let endMs = performance.now() + TURN_MS; ; ) {
    const next = turns.next();
    if (next.done) return next.value;
    if (performance.now() < endMs) continue;
    await nextTurn();
    endMs = performance.now() + TURN_MS;
  }
}
