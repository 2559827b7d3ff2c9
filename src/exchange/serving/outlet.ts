/**
 * A way out to a peer that is served: the stream, or a side stream, with the small frames that wait for it. Knows how long
 * the peer has let bytes wait, and hands over much at once only while the peer takes that fast: a muxer may show nothing of a
 * piece, on either side, until all of it has gone. Made by outlets, and for a side stream by served-side.
 */
import { Uint8ArrayList } from "uint8arraylist";
import { FAST_BYTES, MAX_DATA_BYTES, SLOW_READER_MS, SLOW_SEND_MS } from "../limits.ts";
import type { Watchdog } from "../watchdog.ts";
import { encodeMessage, type Message } from "../wire/messages.ts";
import { SendMemory } from "./send-memory.ts";

export interface Sink {
  readonly isWritable: boolean;
  /** To be called only while `isWritable`. */
  send(bytes: Uint8Array | Uint8ArrayList): void;
}

export class Outlet {
  /** Bytes handed to the sink at once, for now. */
  sendBytes: number;
  /** For these. */
  readonly memory: SendMemory;
  readonly #maxSendBytes: number;
  readonly #sink: () => Sink;
  readonly #watchdog: Watchdog;
  #waiting: Uint8Array[] = [];
  #lastTakenAtMs: number;
  /** What was not taken yet; undefined if all was. */
  #lastSentAtMs: number | undefined;
  /** Sent since `sendBytes` changed. */
  #fastBytes = 0;

  /** `sink` is called after the constructor returned. `memory`: where the sink gives it back. */
  constructor(sink: () => Sink, maxSendBytes: number, watchdog: Watchdog, memory = new SendMemory()) {
    this.#sink = sink;
    this.#maxSendBytes = maxSendBytes;
    this.sendBytes = Math.min(MAX_DATA_BYTES, maxSendBytes);
    this.memory = memory;
    this.#watchdog = watchdog;
    this.#lastTakenAtMs = watchdog.awakeMs;
  }

  get isWritable(): boolean {
    return this.#sink().isWritable;
  }

  get waitingCount(): number {
    return this.#waiting.length;
  }

  /** The sink takes bytes again. */
  onWritable(): void {
    this.#lastTakenAtMs = this.#watchdog.awakeMs;
    if (this.#isLate) this.#resize(MAX_DATA_BYTES);
    // A muxer says so again for what its other streams have sent.
    this.#lastSentAtMs = undefined;
    this.#flush();
  }

  /** The peer has let a piece wait for long. */
  get letsWait(): boolean {
    return !this.isWritable && this.#isLate;
  }

  /** To be called only while `isWritable`. */
  send(bytes: Uint8Array | Uint8ArrayList): void {
    this.#hand(bytes);
    this.#fastBytes += bytes.length;
    if (this.#fastBytes >= FAST_BYTES) this.#resize(2 * this.sendBytes);
  }

  /** Sent as soon as the sink takes it; callers bound how many can wait. */
  notify(message: Message): void {
    this.#waiting.push(encodeMessage(message));
    this.#flush();
  }

  /** Whether the peer has let bytes wait for too long. `hasData`: an answer waits, too. */
  isStuck(awakeMs: number, hasData: boolean): boolean {
    if (this.isWritable || (this.#waiting.length === 0 && !hasData)) this.#lastTakenAtMs = awakeMs;
    return awakeMs - this.#lastTakenAtMs >= SLOW_READER_MS;
  }

  get #isLate(): boolean {
    const { awakeMs } = this.#watchdog;
    return awakeMs - (this.#lastSentAtMs ?? awakeMs) >= SLOW_SEND_MS;
  }

  #flush(): void {
    if (!this.isWritable || this.#waiting.length === 0) return;
    const waiting = this.#waiting;
    this.#waiting = [];
    this.#hand(new Uint8ArrayList(...waiting));
  }

  #hand(bytes: Uint8Array | Uint8ArrayList): void {
    this.#sink().send(bytes);
    this.#lastSentAtMs = this.isWritable ? undefined : this.#watchdog.awakeMs;
  }

  #resize(sendBytes: number): void {
    this.sendBytes = Math.min(sendBytes, this.#maxSendBytes);
    this.#fastBytes = 0;
  }
}
