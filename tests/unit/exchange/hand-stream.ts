/** A libp2p stream that takes, brings and ends what the test wants. */
import type { Uint8ArrayList } from "uint8arraylist";
import { encodeMessage, type Message } from "../../../src/exchange/wire/messages.ts";

export class HandStream extends EventTarget {
  status = "open";
  remoteWriteStatus = "writable";
  writableNeedsDrain = false;
  writeBufferLength = 0;
  readonly sent: number[][] = [];
  /** What became of it. */
  readonly ends: unknown[] = [];
  /** Why it takes nothing. */
  refusal: Error | undefined;
  closing: Promise<void> = Promise.resolve();
  isPaused = false;
  /** Why the peer can't be told that it may send more. */
  deafness: Error | undefined;

  send(bytes: Uint8Array | Uint8ArrayList): void {
    if (this.refusal) throw this.refusal;
    this.sent.push([...(bytes instanceof Uint8Array ? bytes : bytes.subarray())]);
  }

  pause(): void {
    this.isPaused = true;
  }

  resume(): void {
    this.isPaused = false;
    if (this.deafness) throw this.deafness;
  }

  async close(): Promise<void> {
    this.ends.push("closed");
    await this.closing;
  }

  abort(reason: Error): void {
    this.ends.push(reason);
  }

  /** Its buffer is this long now, and the muxer says that it has drained. */
  drain(writeBufferLength = 0): void {
    this.writableNeedsDrain = false;
    this.writeBufferLength = writeBufferLength;
    this.dispatchEvent(new Event("drain"));
  }

  /** The peer sends this in one stretch of bytes. */
  arrive(...frames: (Message | Uint8Array)[]): void {
    const data = Buffer.concat(frames.map((it) => (it instanceof Uint8Array ? it : encodeMessage(it))));
    this.dispatchEvent(Object.assign(new Event("message"), { data }));
  }
}
