/**
 * ChaCha20: four blocks of 64 bytes at a time, each in one lane of sixteen vectors. Called by kernel. Source: RFC 8439,
 * sections 2.1 to 2.4.
 */
import { KEY, NONCE } from "./places";

/** Bytes of keystream made at once. */
export const STRIDE: u32 = 256;

function rotated16(x: v128): v128 {
  return v128.shuffle<u8>(x, x, 2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13);
}

function rotated8(x: v128): v128 {
  return v128.shuffle<u8>(x, x, 3, 0, 1, 2, 7, 4, 5, 6, 11, 8, 9, 10, 15, 12, 13, 14);
}

function rotated(x: v128, bits: i32): v128 {
  return v128.or(i32x4.shl(x, bits), i32x4.shr_u(x, 32 - bits));
}

function word(at: usize): v128 {
  return i32x4.splat(load<i32>(at));
}

/** Four words of four blocks each: adds the state that the rounds began with, turns lanes into blocks, and XORs. */
function xorWords(text: usize, a: v128, b: v128, c: v128, d: v128): void {
  const ab02 = v128.shuffle<u32>(a, b, 0, 4, 1, 5);
  const ab13 = v128.shuffle<u32>(a, b, 2, 6, 3, 7);
  const cd02 = v128.shuffle<u32>(c, d, 0, 4, 1, 5);
  const cd13 = v128.shuffle<u32>(c, d, 2, 6, 3, 7);
  xorAt(text, v128.shuffle<u64>(ab02, cd02, 0, 2));
  xorAt(text + 64, v128.shuffle<u64>(ab02, cd02, 1, 3));
  xorAt(text + 128, v128.shuffle<u64>(ab13, cd13, 0, 2));
  xorAt(text + 192, v128.shuffle<u64>(ab13, cd13, 1, 3));
}

function xorAt(at: usize, x: v128): void {
  v128.store(at, v128.xor(v128.load(at), x));
}

/** XORs four blocks of keystream, from the block `counter` on, with what lies at `text`. */
export function xorStride(text: usize, counter: u32): void {
  const counters = i32x4.add(i32x4.splat(counter), i32x4(0, 1, 2, 3));
  let a0 = i32x4.splat(0x61707865);
  let a1 = i32x4.splat(0x3320646e);
  let a2 = i32x4.splat(0x79622d32);
  let a3 = i32x4.splat(0x6b206574);
  let b0 = word(KEY);
  let b1 = word(KEY + 4);
  let b2 = word(KEY + 8);
  let b3 = word(KEY + 12);
  let c0 = word(KEY + 16);
  let c1 = word(KEY + 20);
  let c2 = word(KEY + 24);
  let c3 = word(KEY + 28);
  let d0 = counters;
  let d1 = word(NONCE);
  let d2 = word(NONCE + 4);
  let d3 = word(NONCE + 8);
  for (let round = 0; round < 20; round += 2) {
    // A round of columns, its four quarter rounds side by side.
    a0 = i32x4.add(a0, b0);
    a1 = i32x4.add(a1, b1);
    a2 = i32x4.add(a2, b2);
    a3 = i32x4.add(a3, b3);
    d0 = rotated16(v128.xor(d0, a0));
    d1 = rotated16(v128.xor(d1, a1));
    d2 = rotated16(v128.xor(d2, a2));
    d3 = rotated16(v128.xor(d3, a3));
    c0 = i32x4.add(c0, d0);
    c1 = i32x4.add(c1, d1);
    c2 = i32x4.add(c2, d2);
    c3 = i32x4.add(c3, d3);
    b0 = rotated(v128.xor(b0, c0), 12);
    b1 = rotated(v128.xor(b1, c1), 12);
    b2 = rotated(v128.xor(b2, c2), 12);
    b3 = rotated(v128.xor(b3, c3), 12);
    a0 = i32x4.add(a0, b0);
    a1 = i32x4.add(a1, b1);
    a2 = i32x4.add(a2, b2);
    a3 = i32x4.add(a3, b3);
    d0 = rotated8(v128.xor(d0, a0));
    d1 = rotated8(v128.xor(d1, a1));
    d2 = rotated8(v128.xor(d2, a2));
    d3 = rotated8(v128.xor(d3, a3));
    c0 = i32x4.add(c0, d0);
    c1 = i32x4.add(c1, d1);
    c2 = i32x4.add(c2, d2);
    c3 = i32x4.add(c3, d3);
    b0 = rotated(v128.xor(b0, c0), 7);
    b1 = rotated(v128.xor(b1, c1), 7);
    b2 = rotated(v128.xor(b2, c2), 7);
    b3 = rotated(v128.xor(b3, c3), 7);
    // A round of diagonals.
    a0 = i32x4.add(a0, b1);
    a1 = i32x4.add(a1, b2);
    a2 = i32x4.add(a2, b3);
    a3 = i32x4.add(a3, b0);
    d3 = rotated16(v128.xor(d3, a0));
    d0 = rotated16(v128.xor(d0, a1));
    d1 = rotated16(v128.xor(d1, a2));
    d2 = rotated16(v128.xor(d2, a3));
    c2 = i32x4.add(c2, d3);
    c3 = i32x4.add(c3, d0);
    c0 = i32x4.add(c0, d1);
    c1 = i32x4.add(c1, d2);
    b1 = rotated(v128.xor(b1, c2), 12);
    b2 = rotated(v128.xor(b2, c3), 12);
    b3 = rotated(v128.xor(b3, c0), 12);
    b0 = rotated(v128.xor(b0, c1), 12);
    a0 = i32x4.add(a0, b1);
    a1 = i32x4.add(a1, b2);
    a2 = i32x4.add(a2, b3);
    a3 = i32x4.add(a3, b0);
    d3 = rotated8(v128.xor(d3, a0));
    d0 = rotated8(v128.xor(d0, a1));
    d1 = rotated8(v128.xor(d1, a2));
    d2 = rotated8(v128.xor(d2, a3));
    c2 = i32x4.add(c2, d3);
    c3 = i32x4.add(c3, d0);
    c0 = i32x4.add(c0, d1);
    c1 = i32x4.add(c1, d2);
    b1 = rotated(v128.xor(b1, c2), 7);
    b2 = rotated(v128.xor(b2, c3), 7);
    b3 = rotated(v128.xor(b3, c0), 7);
    b0 = rotated(v128.xor(b0, c1), 7);
  }
  xorWords(
    text,
    i32x4.add(a0, i32x4.splat(0x61707865)),
    i32x4.add(a1, i32x4.splat(0x3320646e)),
    i32x4.add(a2, i32x4.splat(0x79622d32)),
    i32x4.add(a3, i32x4.splat(0x6b206574)),
  );
  xorWords(
    text + 16,
    i32x4.add(b0, word(KEY)),
    i32x4.add(b1, word(KEY + 4)),
    i32x4.add(b2, word(KEY + 8)),
    i32x4.add(b3, word(KEY + 12)),
  );
  xorWords(
    text + 32,
    i32x4.add(c0, word(KEY + 16)),
    i32x4.add(c1, word(KEY + 20)),
    i32x4.add(c2, word(KEY + 24)),
    i32x4.add(c3, word(KEY + 28)),
  );
  xorWords(
    text + 48,
    i32x4.add(d0, counters),
    i32x4.add(d1, word(NONCE)),
    i32x4.add(d2, word(NONCE + 4)),
    i32x4.add(d3, word(NONCE + 8)),
  );
}
