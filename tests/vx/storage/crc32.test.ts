/** Checksums against their published values and a computation bit by bit. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { TextStore } from "../../../src/vx/metadata/text-store.ts";
import { crc32, crc32c, crc32cIn } from "../../../src/vx/storage/crc32.ts";

const digits = new TextEncoder().encode("123456789");

test("gives the published check values", () => {
  expect(crc32(digits)).toBe(0xcbf43926);
  expect(crc32c(digits)).toBe(0xe3069283);
  expect(crc32c(new Uint8Array(32))).toBe(0x8a9136aa);
  expect(crc32c(Uint8Array.from({ length: 32 }, (_, i) => i))).toBe(0x46dd794e);
  expect(crc32c(new Uint8Array(0))).toBe(0);
});

test("is that of the bytes, however long, wherever they lie, in whatever pieces they come", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 400 }), fc.nat(7), fc.nat(400), (bytes, lead, cut) => {
      const placed = new Uint8Array(lead + bytes.length).subarray(lead);
      placed.set(bytes);
      const at = Math.min(cut, bytes.length);
      for (const [crc, polynomial] of [
        [crc32c, 0x82f63b78],
        [crc32, 0xedb88320],
      ] as const) {
        expect(crc(placed)).toBe(bitwise(bytes, polynomial));
        expect(crc(placed.subarray(at), crc(placed.subarray(0, at)))).toBe(crc(placed));
      }
    }),
  );
});

test("is that of long input too, whatever length is left over", () => {
  const bytes = Uint8Array.from({ length: 600_001 }, (_, i) => (i * i) >> 3);
  for (const length of [24_575, 24_576, 24_639, 24_641, 30_001, 233_472, 257_999, 600_001]) {
    const part = bytes.subarray(bytes.length - length);
    expect(crc32c(part)).toBe(bitwise(part, 0x82f63b78));
    expect(crc32(part)).toBe(bitwise(part, 0xedb88320));
  }
  expect(crc32c(bytes.subarray(77_777), crc32c(bytes.subarray(0, 77_777)))).toBe(crc32c(bytes));
});

test.each([true, false])(
  "is the same where the bytes lie, in memory of the caller's (shared: %s)",
  (shared) => {
    const { memory } = new TextStore({ shared });
    memory.grow(16);
    const [room, start] = [{ memory, address: 65_536, byteLength: 65_536 }, 3 * 65_536 + 5];
    const bytes = Uint8Array.from({ length: 150_001 }, (_, i) => (i * i) >> 3);
    new Uint8Array(memory.buffer).fill(0xa5);
    new Uint8Array(memory.buffer).set(bytes, start);
    const crc = crc32cIn(room);
    memory.grow(1);
    for (const length of [0, 5, 63, 64, 24_575, 24_576, 54_321, 150_001]) {
      const part = new Uint8Array(memory.buffer, start, length);
      expect(crc(part)).toBe(bitwise(bytes.subarray(0, length), 0x82f63b78));
      expect(crc(part.subarray(length >> 1), crc(part.subarray(0, length >> 1)))).toBe(crc(part));
    }
    expect(Buffer.from(memory.buffer, start, bytes.length).equals(bytes)).toBe(true);
  },
);

function bitwise(bytes: Uint8Array, polynomial: number): number {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ polynomial : crc >>> 1;
  }
  return ~crc >>> 0;
}
