/**
 * Unsigned LEB128 numbers as multiformats writes them, held to their shortest form and to 32 bits, so that a
 * number has one spelling. Used by frames and messages. Source: multiformats/unsigned-varint.
 */
import { SharingError } from "../../sharing/errors.ts";

export const MAX_VARINT = 2 ** 32 - 1;
const MAX_VARINT_BYTES = 5;

export function varintBytes(value: number): number {
  let count = 1;
  for (let rest = value; rest >= 0x80; rest = Math.floor(rest / 0x80)) count += 1;
  return count;
}

/** Writes the value at `at` and gives the place after it. */
export function writeVarint(value: number, into: Uint8Array, at: number): number {
  let rest = value;
  let place = at;
  while (rest >= 0x80) {
    into[place] = (rest % 0x80) | 0x80;
    place += 1;
    rest = Math.floor(rest / 0x80);
  }
  into[place] = rest;
  return place + 1;
}

/** Takes a number a byte at a time, across any split of the input. */
export class VarintReader {
  value = 0;
  /** Bytes taken of the present number. */
  byteCount = 0;

  /** True once `value` is whole. @throws SharingError `protocol_error` */
  take(byte: number): boolean {
    this.value += (byte & 0x7f) * 0x80 ** this.byteCount;
    this.byteCount += 1;
    if (byte >= 0x80) {
      if (this.byteCount === MAX_VARINT_BYTES) throw new SharingError("protocol_error", "number too long");
      return false;
    }
    if (byte === 0 && this.byteCount > 1)
      throw new SharingError("protocol_error", "number not in short form");
    if (this.value > MAX_VARINT) throw new SharingError("protocol_error", "number over 32 bits");
    return true;
  }

  reset(): void {
    this.value = 0;
    this.byteCount = 0;
  }
}
