/**
 * Who shares a rate that is not enough for all: a few at a time have a slot, each until it has moved a block's worth,
 * and others wait in a line, where many of one host let others pass. Whoever waits for little has a slot of its own, so
 * that nobody waits for others' blocks before a manifest is there. Kept by fair-share. Source: the upload slots of
 * BitTorrent, and the multilevel queues of schedulers.
 */
import type { Clock } from "../../sharing/ports.ts";
import { HOST_SHARE_OF_SLOTS, KEPT_SLOT_MS, QUANTUM_BYTES, SHORT_BYTES } from "../limits.ts";

export interface SlotHolder {
  /** With a few bytes it is served, for now. */
  readonly isShort?: boolean;
  /** From where it comes; undefined where it counts alone. */
  readonly host?: string;
}

export class Slots<Lane extends SlotHolder> {
  /** So many share the rate, beside one that waits for little. */
  count: number;
  /** Those with a slot, in the order of their turns. */
  readonly #served = new Set<Lane>();
  readonly #line = new Set<Lane>();
  /** Those of the line that wait for little. */
  readonly #shortLine = new Set<Lane>();
  /** Who has the slot of those that wait for little. */
  #short: Lane | undefined;
  /** Whose turn it is. */
  #current: Lane | undefined;
  /** What each may move before others have its slot; also of one that had nothing to move, and comes back soon. */
  readonly #leftBytes = new WeakMap<Lane, number>();
  /** Since when it has had nothing to move. */
  readonly #goneAtMs = new WeakMap<Lane, number>();
  readonly #clock: Clock;

  constructor(count: number, clock: Clock) {
    this.count = count;
    this.#clock = clock;
  }

  get isEmpty(): boolean {
    return this.#served.size === 0;
  }

  /** The lane has something to move. */
  join(lane: Lane): void {
    const nowMs = this.#clock.monotonic();
    if (nowMs - (this.#goneAtMs.get(lane) ?? nowMs) >= KEPT_SLOT_MS) this.#leftBytes.delete(lane);
    this.#goneAtMs.delete(lane);
    if (this.#leftOf(lane) > 0) this.#served.add(lane);
    else this.#queue(lane);
    this.#fill();
  }

  /** The next with a slot moves something, and says how much: 0 when it has nothing to move until it joins again. */
  turn(move: (lane: Lane) => number): void {
    const [lane] = this.#served;
    if (lane === undefined) return;
    this.#served.delete(lane);
    this.#current = lane;
    const bytes = move(lane);
    const hasGone = this.#current === undefined;
    this.#current = undefined;
    if (hasGone) return;
    const leftBytes = this.#leftOf(lane) - bytes;
    this.#leftBytes.set(lane, leftBytes);
    if (bytes > 0) {
      this.#served.delete(lane);
      if (leftBytes > 0) this.#served.add(lane);
      else this.#queue(lane);
    } else if (!this.#served.has(lane)) {
      this.#goneAtMs.set(lane, this.#clock.monotonic());
    }
    if (this.#short === lane && !this.#served.has(lane)) this.#short = undefined;
    this.#fill();
  }

  remove(lane: Lane): void {
    for (const lanes of [this.#served, this.#line, this.#shortLine]) lanes.delete(lane);
    if (this.#short === lane) this.#short = undefined;
    if (this.#current === lane) this.#current = undefined;
    this.#fill();
  }

  #fill(): void {
    while (this.#takenCount < this.count) {
      const lane = this.#nextInLine();
      if (lane === undefined) break;
      this.#line.delete(lane);
      this.#shortLine.delete(lane);
      if (this.#short === lane) this.#short = undefined;
      this.#admit(lane, QUANTUM_BYTES);
    }
    for (const lane of this.#shortLine) {
      if (this.#short !== undefined) return;
      this.#shortLine.delete(lane);
      // Its place in the line stays its own, for what is longer.
      this.#short = lane;
      this.#admit(lane, SHORT_BYTES);
    }
  }

  /** The first of those whose host does not have its share of the slots, or else of all. */
  #nextInLine(): Lane | undefined {
    const [first] = this.#line;
    if (this.#line.size <= 1) return first;
    const share = this.count * HOST_SHARE_OF_SLOTS;
    for (const lane of this.#line) if (this.#servedOf(lane.host) < share) return lane;
    return first;
  }

  #servedOf(host: string | undefined): number {
    if (host === undefined) return 0;
    return [...this.#served].filter((lane) => lane.host === host).length;
  }

  #queue(lane: Lane): void {
    this.#line.add(lane);
    if (lane.isShort === true) this.#shortLine.add(lane);
  }

  #admit(lane: Lane, bytes: number): void {
    this.#leftBytes.set(lane, bytes);
    this.#goneAtMs.delete(lane);
    this.#served.add(lane);
  }

  get #takenCount(): number {
    const isOut = this.#current !== undefined && !this.#served.has(this.#current);
    return this.#served.size + (isOut ? 1 : 0) - (this.#short === undefined ? 0 : 1);
  }

  #leftOf(lane: Lane): number {
    return this.#leftBytes.get(lane) ?? 0;
  }
}
