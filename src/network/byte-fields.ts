/**
 * Fields of the wire formats of this folder, one after another in a byte array. The reader refuses what is
 * longer than allowed before it takes memory for it. Called by the messages and protocols here.
 *
 * | field  | bytes                                                                             |
 * |--------|-----------------------------------------------------------------------------------|
 * | byte   | 1                                                                                 |
 * | varint | 1 to 8; 7 bits a byte, lowest first, high bit: more follow; shortest form; < 2^53 |
 * | block  | varint length, then as many bytes                                                 |
 * | text   | a block of UTF-8                                                                  |
 */
import { SharingError } from "../sharing/errors.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

export class ByteWriter {
  #bytes = new Uint8Array(128);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  byte(value: number): this {
    this.#makeRoom(1);
    this.#bytes[this.#length++] = value;
    return this;
  }

  varint(value: number): this {
    if (!Number.isSafeInteger(value) || value < 0) throw new RangeError(`no varint: ${value}`);
    let rest = value;
    while (rest >= 0x80) {
      this.byte((rest % 0x80) | 0x80);
      rest = Math.floor(rest / 0x80);
    }
    return this.byte(rest);
  }

  /** Bytes whose number the reader knows. */
  raw(bytes: Uint8Array): this {
    this.#makeRoom(bytes.byteLength);
    this.#bytes.set(bytes, this.#length);
    this.#length += bytes.byteLength;
    return this;
  }

  block(bytes: Uint8Array): this {
    return this.varint(bytes.byteLength).raw(bytes);
  }

  text(text: string): this {
    return this.block(encoder.encode(text));
  }

  finish(): Uint8Array {
    return this.#bytes.slice(0, this.#length);
  }

  #makeRoom(count: number): void {
    const least = this.#length + count;
    if (least <= this.#bytes.byteLength) return;
    const larger = new Uint8Array(Math.max(least, 2 * this.#bytes.byteLength));
    larger.set(this.#bytes);
    this.#bytes = larger;
  }
}

/** Every method throws SharingError `protocol_error` when the bytes are not what it reads. */
export class ByteReader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  byte(): number {
    const value = this.#bytes[this.#at];
    if (value === undefined) throw malformed("ends early");
    this.#at += 1;
    return value;
  }

  varint(max: number): number {
    let value = 0;
    for (let place = 1; ; place *= 0x80) {
      const byte = this.byte();
      if (place > 1 && byte === 0) throw malformed("number not in its shortest form");
      value += (byte & 0x7f) * place;
      if (value > max) throw malformed(`number above ${max}`);
      if (byte < 0x80) return value;
      if (place >= 2 ** 49) throw malformed("number too long");
    }
  }

  /** A copy of the next bytes. */
  raw(count: number): Uint8Array {
    const end = this.#at + count;
    if (end > this.#bytes.byteLength) throw malformed("ends early");
    const bytes = Uint8Array.from(this.#bytes.subarray(this.#at, end));
    this.#at = end;
    return bytes;
  }

  block(maxBytes: number): Uint8Array {
    return this.raw(this.varint(maxBytes));
  }

  text(maxBytes: number): string {
    try {
      return decoder.decode(this.block(maxBytes));
    } catch (error) {
      if (error instanceof TypeError) throw malformed("text is not UTF-8");
      throw error;
    }
  }

  /** Nothing may be left. */
  end(): void {
    if (this.#at !== this.#bytes.byteLength) throw malformed("more bytes than fields");
  }
}

export function malformed(what: string): SharingError {
  return new SharingError("protocol_error", `malformed message: ${what}`);
}
