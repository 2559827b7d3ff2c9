/**
 * Shares a rate among peers: round after round, each peer that has a slot gets a turn of equal bytes. This is deficit round
 * robin whose packets can be cut to fit, so no deficit is ever left over. One share orders what all served peers are sent, one
 * what all asked peers are asked for. Who has a slot: slots.
 * Source: Shreedhar and Varghese, Efficient Fair Queuing using Deficit Round-Robin, 1995.
 */
import type { Clock } from "../../sharing/ports.ts";
import {
  BULK_SEND_BYTES,
  MAX_DATA_BYTES,
  MIN_TURN_BYTES,
  SLOT_BYTES_PER_SECOND,
  TURNS_PER_SECOND,
} from "../limits.ts";
import { type SlotHolder, Slots } from "./slots.ts";
import type { TokenBucket } from "./token-bucket.ts";

export interface Lane extends SlotHolder {
  /** Moves about `turnBytes` and gives what it cost; 0 when it has nothing to move until it is woken again. */
  takeTurn(turnBytes: number): number;
}

export class FairShare {
  readonly #bucket: TokenBucket;
  readonly #clock: Clock;
  readonly #slots: Slots<Lane>;
  #isRunning = false;
  #isStopped = false;
  /** Set while the rate allows nothing. */
  #wait: AbortController | undefined;

  constructor(bucket: TokenBucket, clock: Clock) {
    this.#bucket = bucket;
    this.#clock = clock;
    this.#slots = new Slots(slotCount(bucket), clock);
  }

  /** Whether the rate has a limit. */
  get isLimited(): boolean {
    return this.#bucket.isLimited;
  }

  /** Another rate from now on; Infinity means no limit. */
  setRate(bytesPerSecond: number): void {
    this.#bucket.setRate(bytesPerSecond);
    this.#slots.count = slotCount(this.#bucket);
    this.#endWait();
  }

  /** The lane has something to move now. */
  wake(lane: Lane): void {
    this.#slots.join(lane);
    this.#run();
  }

  remove(lane: Lane): void {
    this.#slots.remove(lane);
  }

  /** Somebody has moved so much out of turn. */
  charge(bytes: number): void {
    this.#bucket.charge(bytes);
  }

  /** Gives back what a lane was charged for and did not use. */
  refund(bytes: number): void {
    if (bytes === 0) return;
    this.#bucket.charge(-bytes);
    this.#endWait();
  }

  stop(): void {
    this.#isStopped = true;
    this.#wait?.abort();
  }

  /** Looks again at what the rate allows. */
  #endWait(): void {
    if (this.#wait === undefined) return;
    this.#wait.abort();
    this.#wait = undefined;
    this.#run();
  }

  get #turnBytes(): number {
    const { isLimited, bytesPerSecond } = this.#bucket;
    if (!isLimited) return BULK_SEND_BYTES;
    return Math.round(Math.min(MAX_DATA_BYTES, Math.max(MIN_TURN_BYTES, bytesPerSecond / TURNS_PER_SECOND)));
  }

  #run(): void {
    if (this.#isRunning || this.#wait !== undefined || this.#isStopped) return;
    this.#isRunning = true;
    try {
      while (!this.#slots.isEmpty) {
        const waitMs = this.#bucket.waitMs();
        if (waitMs > 0) {
          this.#runAfter(waitMs);
          return;
        }
        this.#slots.turn((lane) => {
          const usedBytes = lane.takeTurn(this.#turnBytes);
          this.#bucket.charge(usedBytes);
          return usedBytes;
        });
      }
    } finally {
      this.#isRunning = false;
    }
  }

  #runAfter(waitMs: number): void {
    const wait = new AbortController();
    this.#wait = wait;
    const goOn = () => {
      if (this.#wait !== wait) return;
      this.#wait = undefined;
      this.#run();
    };
    // the sleep rejects only when a refund or a stop ended it
    this.#clock.sleep(waitMs, wait.signal).then(goOn, goOn);
  }
}

function slotCount({ bytesPerSecond }: TokenBucket): number {
  return Math.max(1, Math.floor(bytesPerSecond / SLOT_BYTES_PER_SECOND));
}
