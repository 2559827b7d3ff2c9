/**
 * Bytes counted, and their speed over a sliding window of a few seconds. Written on every payload that comes or
 * goes, read by statistics.
 */
import type { Clock } from "../sharing/ports.ts";
import { SPEED_SLOTS, SPEED_WINDOW_MS } from "./limits.ts";

const SLOT_MS = SPEED_WINDOW_MS / SPEED_SLOTS;

export class Meter {
  readonly #clock: Clock;
  readonly #slots = new Float64Array(SPEED_SLOTS);
  readonly #startedAtMs: number;
  #lastSlot: number;
  totalBytes = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#startedAtMs = clock.monotonic();
    this.#lastSlot = Math.floor(this.#startedAtMs / SLOT_MS);
  }

  add(bytes: number): void {
    this.totalBytes += bytes;
    const slot = this.#turn(this.#clock.monotonic()) % SPEED_SLOTS;
    this.#slots[slot] = (this.#slots[slot] as number) + bytes;
  }

  /** Averaged over the window, or over the meter's life while that is shorter, but never over less than a slot. */
  bytesPerSecond(): number {
    const now = this.#clock.monotonic();
    this.#turn(now);
    const wholeSlotsMs = (SPEED_SLOTS - 1) * SLOT_MS + (now % SLOT_MS);
    const spanMs = Math.max(SLOT_MS, Math.min(wholeSlotsMs, now - this.#startedAtMs));
    return Math.round((this.#slots.reduce((sum, bytes) => sum + bytes, 0) / spanMs) * 1000);
  }

  /** Empties the slots whose time has passed and gives the present one. */
  #turn(nowMs: number): number {
    const slot = Math.floor(nowMs / SLOT_MS);
    const passed = Math.min(SPEED_SLOTS, slot - this.#lastSlot);
    for (let step = 1; step <= passed; step += 1) this.#slots[(this.#lastSlot + step) % SPEED_SLOTS] = 0;
    if (passed > 0) this.#lastSlot = slot;
    return slot;
  }
}
