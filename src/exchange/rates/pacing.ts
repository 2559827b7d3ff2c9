/**
 * Has peers send no faster than the download rate allows: a chunk is asked for at once, and would come as fast as its
 * line is, with nothing before and after. A wire that brought more is not read for a while, and the muxer's window
 * holds the peer back. One for all of asking, called for what comes on streams that can be held back; and one for each
 * peer that is served, whose messages alone could keep the processor busy.
 */
import type { Clock } from "../../sharing/ports.ts";
import { LONGEST_PAUSE_MS, SLOW_READER_BYTES_PER_SECOND } from "../limits.ts";
import type { Wire } from "../wire/wire.ts";
import { TokenBucket } from "./token-bucket.ts";

type Pausable = Pick<Wire, "pause" | "resume">;

export class Pacing {
  readonly #bucket: TokenBucket;
  readonly #clock: Clock;
  /** Paused until as much may come as has come, where that is soon. */
  readonly #waiting = new Set<Pausable>();
  #wait = new AbortController();
  #isStopped = false;

  constructor(bytesPerSecond: number, clock: Clock) {
    this.#bucket = new TokenBucket(paceFor(bytesPerSecond), clock);
    this.#clock = clock;
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
    this.#waiting.add(wire);
    if (this.#waiting.size === 1) this.#resumeAll();
  }

  stop(): void {
    this.#isStopped = true;
    this.#wait.abort();
  }

  /** As soon as the rate allows, or before a peer would take this node for one that reads nothing. */
  #resumeAll(untilMs = this.#clock.monotonic() + LONGEST_PAUSE_MS): void {
    const waitMs = Math.min(this.#bucket.waitMs(), untilMs - this.#clock.monotonic());
    if (waitMs > 0 && !this.#isStopped) {
      this.#wait = new AbortController();
      const goOn = () => this.#resumeAll(untilMs);
      // the sleep rejects only when another rate or a stop ended it
      this.#clock.sleep(waitMs, this.#wait.signal).then(goOn, goOn);
      return;
    }
    const wires = [...this.#waiting];
    this.#waiting.clear();
    for (const wire of wires) wire.resume();
  }
}

/** Below it a peer would take this node for one that reads nothing: chunks then come at this pace, with pauses between. */
function paceFor(bytesPerSecond: number): number {
  return Math.max(bytesPerSecond, SLOW_READER_BYTES_PER_SECOND);
}
