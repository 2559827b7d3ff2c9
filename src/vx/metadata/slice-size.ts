/**
 * How many slots the next slice of a scan has: as many as take the time that others may wait. Where a slice takes
 * longer than that however few it has, as with a long list that SQLite sorts anew in each, at least as many as take as
 * long again, for the scan would take that time for every few of them. Made by the filter scan for each.
 */
import { MIN_SLICE_SLOTS, SLICE_GROWTH, SLICE_MS, SLICE_TIME_MS, SLICES_UNTIL_TRIED } from "./limits.ts";

interface Taken {
  slots: number;
  tookMs: number;
}

export class SliceSize {
  slots = MIN_SLICE_SLOTS;
  #last: Taken | undefined;
  /** What a slice takes besides its slots, as far as known. */
  #fixedMs = 0;
  /** Slices that take long until a larger one is tried. */
  #untilTried = 0;

  get isLeast(): boolean {
    return this.slots <= MIN_SLICE_SLOTS;
  }

  /** The most that one of more than the fewest slots may take. */
  get mostMs(): number {
    return Math.max(SLICE_TIME_MS, 2 * (this.#last?.tookMs ?? 0));
  }

  took(tookMs: number): void {
    this.#compare({ slots: this.slots, tookMs });
    const wantedMs = Math.max(SLICE_MS, 2 * this.#fixedMs);
    const slotsMs = Math.max(0, tookMs - this.#fixedMs);
    const factor = Math.min((wantedMs - this.#fixedMs) / slotsMs, SLICE_GROWTH);
    this.#resize(factor);
    if (factor < 2 && tookMs > SLICE_MS) this.#tryLarger();
  }

  tookTooLong(): void {
    this.#resize(1 / SLICE_GROWTH);
  }

  /** Of two that are nearly as long chance tells more than their slots. */
  #compare(taken: Taken): void {
    const last = this.#last;
    if (last !== undefined && Math.max(taken.slots / last.slots, last.slots / taken.slots) >= 2)
      this.#fixedMs = fixedOf(last, taken);
    this.#last = taken;
  }

  /** Now and then, since the machine may have been busy the last time. */
  #tryLarger(): void {
    this.#untilTried -= 1;
    if (this.#untilTried >= 0) return;
    this.#untilTried = SLICES_UNTIL_TRIED;
    this.#resize(2);
  }

  #resize(factor: number): void {
    this.slots = Math.max(MIN_SLICE_SLOTS, Math.floor(this.slots * factor));
  }
}

/** Where the line through both meets no slots at all. */
function fixedOf(one: Taken, other: Taken): number {
  const slotMs = Math.max(0, (other.tookMs - one.tookMs) / (other.slots - one.slots));
  return Math.max(0, other.tookMs - slotMs * other.slots);
}
