/** Which chunks are held, a bit each: src/sharing/bitfield. */
import { expect, it } from "vitest";
import { bitfieldBytes, hasBit, setBit } from "../../../src/sharing/bitfield.ts";

it("has bit i at byte i>>3 from the high end", () => {
  const bits = new Uint8Array(bitfieldBytes(10));
  for (const index of [0, 9]) setBit(bits, index);
  expect([...bits]).toEqual([0x80, 0x40]);
  expect(hasBit(bits, 9)).toBe(true);
  expect(hasBit(bits, 8)).toBe(false);
});
