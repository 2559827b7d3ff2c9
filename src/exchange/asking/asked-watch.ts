/**
 * One watch of a file at one peer: takes its news as they come and gives them to one reader at the reader's pace.
 * Made by asked-watches, read by a session's `haves`.
 */
import { SharingError } from "../../sharing/errors.ts";
import type { HaveNews } from "../../sharing/ports.ts";
import { HaveState } from "../have-state.ts";
import type { HaveMessage } from "../wire/messages.ts";

export class AskedWatch {
  readonly #chunkCount: number;
  readonly #state: HaveState;
  readonly #isWaiting: () => boolean;
  readonly #unwatch: () => void;
  #isOver = false;
  #wakeReader: () => void = () => {};

  /** `isWaiting`: the peer was not told of it yet; `unwatch`: nobody reads it any more. */
  constructor(chunkCount: number, isWaiting: () => boolean, unwatch: () => void) {
    this.#chunkCount = chunkCount;
    this.#state = new HaveState(chunkCount);
    this.#isWaiting = isWaiting;
    this.#unwatch = unwatch;
  }

  /** @throws SharingError `protocol_error` for chunks that the file does not have */
  take(message: HaveMessage): void {
    switch (message.type) {
      case "have_all":
        this.#state.apply({ kind: "all" });
        break;
      case "have_none":
        this.#state.apply({ kind: "none" });
        break;
      case "have_field":
        this.#takeField(message.offsetBytes, message.bits);
        break;
      case "have_runs":
        for (const { start, count } of message.runs) {
          if (start + count > this.#chunkCount)
            throw new SharingError("protocol_error", "a chunk past the file");
          this.#state.addRun(start, count);
        }
    }
    this.#wakeReader();
  }

  /** The peer has no more news, or is gone. */
  end(): void {
    this.#isOver = true;
    this.#wakeReader();
  }

  /** The news until the peer, the reader or one of the signals ends them. To be read once. */
  async *updates(...signals: AbortSignal[]): AsyncGenerator<HaveNews, void, void> {
    const onAbort = () => this.#wakeReader();
    for (const signal of signals) signal.addEventListener("abort", onAbort);
    try {
      if (this.#isWaiting()) yield { kind: "waiting" };
      while (!signals.some(({ aborted }) => aborted)) {
        const update = this.#state.take();
        if (update !== undefined) yield update;
        else if (this.#isOver) return;
        else await this.#news();
      }
    } finally {
      for (const signal of signals) signal.removeEventListener("abort", onAbort);
      this.#unwatch();
    }
  }

  #news(): Promise<void> {
    return new Promise((resolve) => {
      this.#wakeReader = resolve;
    });
  }

  #takeField(offsetBytes: number, bits: Uint8Array): void {
    const fieldBytes = Math.ceil(this.#chunkCount / 8);
    const endBytes = offsetBytes + bits.length;
    const spareBits = fieldBytes * 8 - this.#chunkCount;
    const tail = endBytes === fieldBytes ? (bits.at(-1) as number) & (2 ** spareBits - 1) : 0;
    if (endBytes > fieldBytes || tail !== 0)
      throw new SharingError("protocol_error", "a field past the file");
    this.#state.replaceBits(offsetBytes, bits);
  }
}
