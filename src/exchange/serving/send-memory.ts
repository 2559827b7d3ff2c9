/**
 * Memory for what is sent at once, used again: fresh memory is filled with zeros first, and in no cache of the processor. Kept by
 * offered-sides for all peers together; filled by send-buffer, given back by whoever knows that the bytes are on their way.
 */
import { BULK_SEND_BYTES, MAX_KEPT_SENDS } from "../limits.ts";

/** A full turn with its frames' heads. */
const PIECE_BYTES = BULK_SEND_BYTES + 1024;

export class SendMemory {
  readonly #free: ArrayBuffer[] = [];

  /** Holds anything. */
  take(sizeBytes: number): Uint8Array<ArrayBuffer> {
    // One that is much too long would keep more memory than it is worth, where it is not given back.
    if (sizeBytes < PIECE_BYTES / 2 || sizeBytes > PIECE_BYTES) return new Uint8Array(sizeBytes);
    return new Uint8Array(this.#free.pop() ?? new ArrayBuffer(PIECE_BYTES), 0, sizeBytes);
  }

  /** To be called once, by whoever was handed the bytes and needs them no longer. */
  giveBack({ buffer }: Uint8Array): void {
    const isOurs = buffer instanceof ArrayBuffer && buffer.byteLength === PIECE_BYTES;
    if (isOurs && this.#free.length < MAX_KEPT_SENDS) this.#free.push(buffer);
  }
}
