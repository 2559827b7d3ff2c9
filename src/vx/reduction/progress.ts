/** The course of one fit: turns for others, the caller's progress and abort. Made by fit.ts, told by every long loop. */
import { TurnClock } from "../engine/turn-clock.ts";
import type { FitOptions } from "./fit.ts";

export class Progress {
  readonly #options: FitOptions;
  readonly #clock = new TurnClock();
  #from = 0;
  #to = 1;
  #told = 0;

  constructor(options: FitOptions) {
    options.signal?.throwIfAborted();
    this.#options = options;
  }

  /** What is told from now on is the part of the whole up to `end`. */
  part(end: number): void {
    this.#from = this.#to === 1 ? 0 : this.#to;
    this.#to = end;
  }

  /** Where in its part the work is, 0 to 1. Gives others a turn when it is theirs. @throws the signal's reason */
  async at(fraction: number): Promise<void> {
    if (!this.#clock.isOver) return;
    const told = this.#from + (this.#to - this.#from) * Math.min(1, fraction);
    if (told > this.#told) this.#options.onProgress?.(told);
    this.#told = Math.max(told, this.#told);
    await this.#clock.next();
    this.#options.signal?.throwIfAborted();
  }
}
