/**
 * Memory for what a connection receives, one record behind the other, so that a transfer's come as few large pieces. It grows
 * and shrinks with what comes: an idle connection holds one record's. Filled through onread, emptied by tls-connection.
 */
import { TLS_RECORD_BYTES } from "../limits.ts";

export class ReceivedBytes {
  readonly #maxBytes: number;
  #memory = allocate(TLS_RECORD_BYTES);
  /** What is here and was not taken. */
  #start = 0;
  #end = 0;
  /** Somebody was given a part of the memory itself. */
  #isShown = false;
  /** Memory to have when nothing waits in it. */
  #wantedBytes = TLS_RECORD_BYTES;

  /** `maxBytes`: memory at once, and so the longest piece. */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get byteLength(): number {
    return this.#end - this.#start;
  }

  /** Must it be taken before more comes? */
  get isFull(): boolean {
    return this.#memory.byteLength - this.#end < TLS_RECORD_BYTES;
  }

  /** Where the next bytes go, at least a record's. It holds until the next call, whatever is taken meanwhile. */
  place(): Uint8Array {
    const isWrongSize = this.#memory.byteLength !== this.#wantedBytes;
    if (this.isFull || (isWrongSize && this.byteLength === 0)) {
      if (isWrongSize || this.#isShown) this.#memory = allocate(this.#wantedBytes);
      this.#isShown = false;
      this.#start = 0;
      this.#end = 0;
    }
    return this.#memory.subarray(this.#end);
  }

  /** So many bytes have come to the place. */
  add(bytes: number): void {
    this.#end += bytes;
  }

  /** All that is here, for whoever receives it to keep. */
  take(): Uint8Array {
    const taken = this.#memory.subarray(this.#start, this.#end);
    const isShort = taken.byteLength <= TLS_RECORD_BYTES;
    const { byteLength: memoryBytes } = this.#memory;
    if (taken.byteLength > memoryBytes / 2) this.#wantedBytes = Math.min(this.#maxBytes, memoryBytes * 2);
    else if (isShort) this.#wantedBytes = Math.max(TLS_RECORD_BYTES, memoryBytes / 2);
    this.#start = this.#end;
    // Whoever keeps a short message for long must not keep all the memory around it.
    if (isShort) return taken.slice();
    this.#isShown = true;
    return taken;
  }
}

/** Not filled with zeros: only what was received is ever shown. */
function allocate(bytes: number): Uint8Array {
  return new Uint8Array(Buffer.allocUnsafeSlow(bytes).buffer);
}
