/**
 * Notices that the other end of a port answers nothing, where no `close` event tells (an engine without it, or a frozen
 * tab). Used by port-end while requests are in flight. It counts questions, not time: a machine that slept or a
 * throttled timer makes ticks late, never many.
 */
import { PING_EVERY_MS, UNANSWERED_PINGS } from "./limits.ts";

export class SilenceWatch {
  readonly #ask: () => void;
  readonly #silent: () => void;
  #timer: ReturnType<typeof setInterval> | undefined;
  #unanswered = 0;
  #heard = true;

  /** `ask` sends a question; `silent` is called once, when several stayed without an answer. */
  constructor(ask: () => void, silent: () => void) {
    this.#ask = ask;
    this.#silent = silent;
  }

  start(): void {
    if (this.#timer !== undefined) return;
    this.heard();
    this.#timer = setInterval(() => this.#tick(), PING_EVERY_MS);
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** Any frame is a sign of life. */
  heard(): void {
    this.#heard = true;
    this.#unanswered = 0;
  }

  #tick(): void {
    if (this.#heard) {
      this.#heard = false;
      return;
    }
    if (this.#unanswered === UNANSWERED_PINGS) {
      this.stop();
      this.#silent();
      return;
    }
    this.#unanswered += 1;
    this.#ask();
  }
}
