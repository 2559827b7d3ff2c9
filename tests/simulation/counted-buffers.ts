/** Buffers that are counted while they are out, and whose contents are spoilt once they are given back. */
import { ChunkBuffers } from "../../src/sharing/files/chunk-buffers.ts";

const SPOILT = 0xee;

export class CountedBuffers extends ChunkBuffers {
  #outCount = 0;

  /** Taken and not given back. */
  get outCount(): number {
    return this.#outCount;
  }

  override take(): Uint8Array {
    this.#outCount += 1;
    return super.take();
  }

  override give(buffer: Uint8Array): void {
    this.#outCount -= 1;
    super.give(buffer.fill(SPOILT));
  }
}
