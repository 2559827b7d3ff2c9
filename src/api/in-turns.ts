/** Long work of one thread, cut into turns. Called where bodies are read. */
import { TURN_MS } from "./limits.ts";

/** Runs to the end, and lets others of this thread have their turn every few milliseconds. */
export async function inTurns<T>(turns: Generator<void, T>): Promise<T> {
  for (let endMs = performance.now() + TURN_MS; ; ) {
    const next = turns.next();
    if (next.done) return next.value;
    if (performance.now() < endMs) continue;
    await othersTurn();
    endMs = performance.now() + TURN_MS;
  }
}

/** By a message rather than a timer: browsers make timers of hidden pages wait for a second. */
export function othersTurn(): Promise<void> {
  const { port1, port2 } = new MessageChannel();
  return new Promise((resolve) => {
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(undefined);
  });
}
