/**
 * Has peers send no faster than the download rate allows: a chunk is asked for at once, and would come as fast as its
 * line is, with nothing before and after. A wire that brought more is not read for a while, and the muxer's window
 * holds the peer back. One for all of asking, called for what comes on streams that can be held back; and one for each
 * host whose peers are served (asked-paces), whose messages alone could keep the processor busy.
 */
import type { Clock } from "../../sharing/ports.ts";
import { LONGEST_PAUSE_MS, SLOW_READER_BYTES_PER_SECOND } from "../limits.ts";
import type { Wire } from "../wire/wire.ts";
import { TokenBucket } from "./token-bucket.ts";

type Pausable = Pick<Wire, "pause" | "resume">;

export class Pacing {
  readonly #bucket: TokenBucket;
  readonly #clock: Clock;
  readonly #longestPauseMs: number;
  /** Paused until as much may come as has come, each in its turn, and at most until this time. */
  readonly #waiting = new Map<Pausable, number>();
  #wait = new AbortController();
  #isResuming = false;
  #isStopped = false;

  constructor(bytesPerSecond: number, clock: Clock, longestPauseMs = LONGEST_PAUSE_MS) {
    this.#bucket = new TokenBucket(paceFor(bytesPerSecond), clock);
    this.#clock = clock;
    this.#longestPauseMs = longestPauseMs;
  }

  /** Infinity means no limit. */
  setRate(bytesPerSecond: number): void {
    this.#bucket.setRate(paceFor(bytesPerSecond));
    this.#wait.abort();
  }

  /** The wire has brought so much. */
  brought(bytes: number, wire: Pausable): void {
    if (!this.#bucket.isLimited || this.#isStopped) return;
    this.#bucket.charge(bytes);
    if (this.#bucket.waitMs() === 0) return;
    wire.pause();
    this.#waiting.set(wire, this.#clock.monotonic() + this.#longestPauseMs);
    if (this.#isResuming) return;
    this.#isResuming = true;
    this.#resumeInTurn();
  }

  stop(): void {
    this.#isStopped = true;
    this.#wait.abort();
  }

  /** As soon as the rate allows, or before a peer would take this node for one that reads nothing. */
  #resumeInTurn(): void {
    for (const [wire, untilMs] of this.#waiting) {
      const waitMs = Math.min(this.#bucket.waitMs(), untilMs - this.#clock.monotonic());
      if (waitMs > 0 && !this.#isStopped) {
        this.#wait = new AbortController();
        const goOn = () => this.#resumeInTurn();
        // the sleep rejects only when another rate or a stop ended it
        this.#clock.sleep(waitMs, this.#wait.signal).then(goOn, goOn);
        return;
      }
      this.#waiting.delete(wire);
      wire.resume();
    }
    this.#isResuming = false;
  }
}

/** Below it a peer would take this node for one that reads nothing: chunks then come at this pace, with pauses between. */
function paceFor(bytesPerSecond: number): number {
  return Math.max(bytesPerSecond, SLOW_READER_BYTES_PER_SECOND);
}
