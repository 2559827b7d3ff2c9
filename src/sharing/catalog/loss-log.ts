/**
 * Says in the log why blocks count as lost, each once and so many a minute: a disk that fails loses thousands. Made by both
 * mains, called by their stores of blocks.
 */
import { LOSSES_LOGGED, LOSSES_LOGGED_MS } from "../limits.ts";
import type { Clock, Log } from "../ports.ts";

/** Why bytes are not to be had: `damaged` are others, `changed` those that somebody wrote over, as into an output. */
export interface Loss {
  why: "gone" | "cut short" | "unreadable" | "damaged" | "changed" | "not durable";
  /** What the medium said. */
  error?: unknown;
}

export interface LostBlock extends Loss {
  cid: string;
}

export class LossLog {
  readonly #log: Pick<Log, "warn">;
  readonly #clock: Pick<Clock, "monotonic">;
  #sinceMs = Number.NEGATIVE_INFINITY;
  #count = 0;

  constructor(log: Pick<Log, "warn">, clock: Pick<Clock, "monotonic">) {
    this.#log = log;
    this.#clock = clock;
  }

  lost(block: LostBlock): void {
    const nowMs = this.#clock.monotonic();
    if (nowMs - this.#sinceMs >= LOSSES_LOGGED_MS) {
      this.#tellOfOthers();
      this.#sinceMs = nowMs;
      this.#count = 0;
    }
    this.#count += 1;
    if (this.#count <= LOSSES_LOGGED) this.#log.warn("a block was lost", block);
  }

  /** Those of the minute before that had no line of their own. */
  #tellOfOthers(): void {
    const blockCount = this.#count - LOSSES_LOGGED;
    if (blockCount > 0) this.#log.warn("more blocks were lost", { blockCount });
  }
}
