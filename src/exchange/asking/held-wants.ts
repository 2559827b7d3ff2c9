/**
 * Requests that may wait for others before they are sent: a message costs both ends' cipher, muxer and system as much as a tenth
 * of a block's bytes, and while enough answers are under way nobody waits for a request. Kept by asking.
 */
import { ANSWERS_UNDER_WAY, WANTS_AT_ONCE } from "../limits.ts";
import { READER_WAITS, type WantMessage } from "../wire/messages.ts";

export class HeldWants {
  readonly #send: (want: WantMessage) => void;
  #held: WantMessage[] = [];

  /** Sends each that is not held any longer; those of one turn of the event loop go together. */
  constructor(send: (want: WantMessage) => void) {
    this.#send = send;
  }

  /** `openCount`: requests without an answer, this one and those that are held among them. */
  add(want: WantMessage, openCount: number): void {
    this.#held.push(want);
    if (want.priority === READER_WAITS || this.#held.length >= WANTS_AT_ONCE) this.release();
    else this.tend(openCount);
  }

  /** Fewer are without an answer. */
  tend(openCount: number): void {
    if (openCount - this.#held.length < ANSWERS_UNDER_WAY) this.release();
  }

  /** Whatever is sent next comes behind them. */
  release(): void {
    const held = this.#held;
    this.#held = [];
    for (const want of held) this.#send(want);
  }
}
