/**
 * What a turn sends, one frame behind the other in memory beside the block's: the block's buffer goes to its next
 * reader while these bytes still wait to be encrypted, and one piece costs muxer and cipher less than many. Filled by
 * serving, calls messages.
 */
import { MAX_DATA_BYTES } from "../limits.ts";
import { encodeDataHeader, encodeMessage } from "../wire/messages.ts";
import type { SendMemory } from "./send-memory.ts";

/** Longest BLOCK frame and longest head of a DATA frame, see messages.ts. */
const HEAD_BYTES = 11 + 9;

export class SendBuffer {
  readonly #bytes: Uint8Array;
  #length = 0;

  /** Room for so many bytes of payload out of so many blocks, with their frames. */
  constructor(payloadBytes: number, blockCount: number, memory: SendMemory) {
    const frameCount = blockCount + Math.ceil(payloadBytes / MAX_DATA_BYTES);
    this.#bytes = memory.take(payloadBytes + frameCount * HEAD_BYTES);
  }

  /** Appends a stretch of a block, after word of its length where it begins. */
  append(requestId: number, block: Uint8Array, start: number, end: number): void {
    if (start === 0) this.#copy(encodeMessage({ type: "block", requestId, sizeBytes: block.length }));
    for (let at = start; at < end; at += MAX_DATA_BYTES) {
      const payload = block.subarray(at, Math.min(end, at + MAX_DATA_BYTES));
      this.#copy(encodeDataHeader(requestId, payload.length));
      this.#copy(payload);
    }
  }

  bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  #copy(bytes: Uint8Array): void {
    this.#bytes.set(bytes, this.#length);
    this.#length += bytes.length;
  }
}
