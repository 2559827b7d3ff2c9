/** Long work of one thread, cut into turns. Called where bodies are read. */
import { TurnClock } from "../vx/turn-clock.ts";

/** Runs to the end, and lets others of this thread have their turn every few milliseconds. */
export async function inTurns<T>(turns: Generator<void, T>): Promise<T> {
  for (const clock = new TurnClock(); ; ) {
    const next = turns.next();
    if (next.done) return next.value;
    if (clock.isOver) await clock.next();
  }
}

/** The same pieces. What is there already, such as a file in a page, would all be worked on in one task. */
export async function* piecesInTurns(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const clock = new TurnClock();
  for await (const piece of pieces) {
    yield piece;
    if (clock.isOver) await clock.next();
  }
}
