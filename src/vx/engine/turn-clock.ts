/** Divides a long task into turns, so that searches run in between. */
import { nextTurn } from "../storage/turns.ts";
import { TURN_MS } from "./limits.ts";

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
