/** A line between two nodes in memory, on a clock that is moved by hand: what a stream of libp2p's is at either end. */
import type { Stream } from "@libp2p/interface";
import { MAX_DATA_BYTES } from "../../../src/exchange/limits.ts";
import type { Clock } from "../../../src/sharing/ports.ts";

export interface LineOptions {
  /** What is taken in a second of what an end sends; as much as comes, if it is not said. */
  nearBytesPerSecond?: number | undefined;
  farBytesPerSecond?: number | undefined;
  /** How long everything is under way beside that. */
  delayMs?: number;
}

/** One end of a line. What it sends it holds until the other end has taken it. */
export class LineEnd extends EventTarget {
  status = "open";
  remoteWriteStatus = "writable";
  writableNeedsDrain = false;
  writeBufferLength = 0;
  readonly #clock: Clock;
  readonly #bytesPerSecond: number;
  readonly #delayMs: number;
  other!: LineEnd;
  /** When what was sent last has been taken. */
  #freeMs = 0;
  #isPaused = false;
  #isClosing = false;
  #isSilent = false;
  /** Come while it was paused. */
  readonly #unread: (() => void)[] = [];

  constructor(clock: Clock, bytesPerSecond: number, delayMs: number) {
    super();
    this.#clock = clock;
    this.#bytesPerSecond = bytesPerSecond;
    this.#delayMs = delayMs;
  }

  get asStream(): Stream {
    return this as unknown as Stream;
  }

  send(bytes: Uint8Array | { subarray(): Uint8Array }): void {
    const data = bytes.subarray().slice();
    const nowMs = this.#clock.monotonic();
    this.writeBufferLength += data.length;
    this.#freeMs = Math.max(nowMs, this.#freeMs) + (data.length * 1000) / this.#bytesPerSecond;
    this.#later(this.#freeMs - nowMs + this.#delayMs, () => {
      if (this.status === "open") this.other.#arrive(() => this.#hand(data));
    });
  }

  pause(): void {
    this.#isPaused = true;
  }

  resume(): void {
    this.#isPaused = false;
    while (!this.#isPaused && this.#unread.length > 0) this.#unread.shift()?.();
  }

  /** What was sent before still arrives. */
  async close(): Promise<void> {
    this.#isClosing = true;
    if (this.writeBufferLength === 0) this.abort();
  }

  abort(): void {
    this.end();
    this.#later(this.#delayMs, () => this.other.end());
  }

  /** Nothing that it sends arrives any more, not even its end. */
  silence(): void {
    this.#isSilent = true;
  }

  /** Whoever had this end is gone, and hears of nothing any more. */
  drop(): void {
    this.silence();
    this.status = "closed";
  }

  /** Over, for this end. */
  end(): void {
    if (this.status !== "open") return;
    this.status = "closed";
    this.dispatchEvent(new Event("close"));
  }

  #arrive(take: () => void): void {
    if (this.status !== "open") return;
    this.#unread.push(take);
    if (!this.#isPaused) this.resume();
  }

  #hand(data: Uint8Array): void {
    this.writeBufferLength -= data.length;
    this.other.dispatchEvent(Object.assign(new Event("message"), { data: inRecords(data) }));
    this.dispatchEvent(new Event("drain"));
    if (this.#isClosing && this.writeBufferLength === 0) this.abort();
  }

  #later(ms: number, arrive: () => void): void {
    const arrived = () => {
      if (!this.#isSilent) arrive();
    };
    if (ms === 0) queueMicrotask(arrived);
    else void this.#clock.sleep(ms).then(arrived);
  }
}

/** As a cipher brings them. */
function inRecords(bytes: Uint8Array): Uint8Array[] {
  const count = Math.ceil(bytes.length / MAX_DATA_BYTES);
  return Array.from({ length: count }, (_, nth) =>
    bytes.subarray(nth * MAX_DATA_BYTES, (nth + 1) * MAX_DATA_BYTES),
  );
}

export function lineOf(
  clock: Clock,
  { nearBytesPerSecond = Infinity, farBytesPerSecond = Infinity, delayMs = 0 }: LineOptions = {},
): { near: LineEnd; far: LineEnd } {
  const near = new LineEnd(clock, nearBytesPerSecond, delayMs);
  const far = new LineEnd(clock, farBytesPerSecond, delayMs);
  [near.other, far.other] = [far, near];
  return { near, far };
}
