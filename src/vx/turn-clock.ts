/** Divides a long task into turns, so that searches run in between. */

import { TURN_MS } from "./limits.ts";
import { nextTurn } from "./turns.ts";

export class TurnClock {
  #startMs = performance.now();

  get isOver(): boolean {
    return performance.now() - this.#startMs >= TURN_MS;
  }

  /** Settles when the others had their turn. */
  async next(): Promise<void> {
    await nextTurn();
    this.#startMs = performance.now();
  }
}
