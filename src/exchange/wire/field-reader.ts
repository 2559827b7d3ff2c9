/**
 * Walks over the fields of one message; every step checks its bounds. Used by messages.
 * Numbers are varints (varint.ts). Throws `protocol_error` and nothing else.
 */
import { SharingError } from "../../sharing/errors.ts";
import { VarintReader } from "./varint.ts";

export class FieldReader {
  readonly #body: Uint8Array;
  readonly #varint = new VarintReader();
  #at = 0;

  constructor(body: Uint8Array) {
    this.#body = body;
  }

  get restBytes(): number {
    return this.#body.length - this.#at;
  }

  number(min = 0, max = Number.POSITIVE_INFINITY): number {
    this.#varint.reset();
    for (;;) {
      const byte = this.#body[this.#at];
      if (byte === undefined) throw new SharingError("protocol_error", "message ends early");
      this.#at += 1;
      if (this.#varint.take(byte)) break;
    }
    const { value } = this.#varint;
    if (value < min || value > max) throw new SharingError("protocol_error", `number ${value} out of bounds`);
    return value;
  }

  /** All that is left, if it is as long as allowed. */
  bytes(minBytes: number, maxBytes: number): Uint8Array {
    if (this.restBytes < minBytes || this.restBytes > maxBytes) {
      throw new SharingError("protocol_error", `field of ${this.restBytes} bytes`);
    }
    const bytes = this.#body.subarray(this.#at);
    this.#at = this.#body.length;
    return bytes;
  }

  end(): void {
    if (this.restBytes > 0) throw new SharingError("protocol_error", "bytes after the message");
  }
}
