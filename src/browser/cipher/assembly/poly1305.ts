/**
 * Poly1305: a number modulo 2^130 - 5 in five limbs of 26 bits, so that a product of limbs and the sums of five of them fit
 * in 64 bits. Called by kernel: begin, blocks, finish. Source: RFC 8439, section 2.5; the limbs as in poly1305-donna.
 */
import { ONE_TIME_KEY, TAG } from "./places";

const LIMB: u64 = 0x3ffffff;

let h0: u64 = 0;
let h1: u64 = 0;
let h2: u64 = 0;
let h3: u64 = 0;
let h4: u64 = 0;

export function begin(): void {
  h0 = 0;
  h1 = 0;
  h2 = 0;
  h3 = 0;
  h4 = 0;
}

/** Takes whole blocks of 16 bytes. */
export function takeBlocks(at: usize, bytes: u32): void {
  const r0: u64 = load<u32>(ONE_TIME_KEY) & 0x3ffffff;
  const r1: u64 = (load<u32>(ONE_TIME_KEY + 3) >> 2) & 0x3ffff03;
  const r2: u64 = (load<u32>(ONE_TIME_KEY + 6) >> 4) & 0x3ffc0ff;
  const r3: u64 = (load<u32>(ONE_TIME_KEY + 9) >> 6) & 0x3f03fff;
  const r4: u64 = (load<u32>(ONE_TIME_KEY + 12) >> 8) & 0x00fffff;
  const s1 = r1 * 5;
  const s2 = r2 * 5;
  const s3 = r3 * 5;
  const s4 = r4 * 5;
  let x0 = h0;
  let x1 = h1;
  let x2 = h2;
  let x3 = h3;
  let x4 = h4;
  for (const end = at + bytes; at < end; at += 16) {
    const low = load<u64>(at);
    const high = load<u64>(at + 8);
    x0 += low & LIMB;
    x1 += (low >> 26) & LIMB;
    x2 += ((low >> 52) | (high << 12)) & LIMB;
    x3 += (high >> 14) & LIMB;
    x4 += (high >> 40) | (1 << 24);
    let y0 = x0 * r0 + x1 * s4 + x2 * s3 + x3 * s2 + x4 * s1;
    let y1 = x0 * r1 + x1 * r0 + x2 * s4 + x3 * s3 + x4 * s2;
    let y2 = x0 * r2 + x1 * r1 + x2 * r0 + x3 * s4 + x4 * s3;
    let y3 = x0 * r3 + x1 * r2 + x2 * r1 + x3 * r0 + x4 * s4;
    let y4 = x0 * r4 + x1 * r3 + x2 * r2 + x3 * r1 + x4 * r0;
    y1 += y0 >> 26;
    y2 += y1 >> 26;
    y3 += y2 >> 26;
    y4 += y3 >> 26;
    y0 = (y0 & LIMB) + (y4 >> 26) * 5;
    x0 = y0 & LIMB;
    x1 = (y1 & LIMB) + (y0 >> 26);
    x2 = y2 & LIMB;
    x3 = y3 & LIMB;
    x4 = y4 & LIMB;
  }
  h0 = x0;
  h1 = x1;
  h2 = x2;
  h3 = x3;
  h4 = x4;
}

/** Writes the tag. No step depends on the number, so that its time tells nothing. */
export function finish(): void {
  h2 += h1 >> 26;
  h1 &= LIMB;
  h3 += h2 >> 26;
  h2 &= LIMB;
  h4 += h3 >> 26;
  h3 &= LIMB;
  h0 += (h4 >> 26) * 5;
  h4 &= LIMB;
  h1 += h0 >> 26;
  h0 &= LIMB;
  // Less 2^130 - 5, where it is not below.
  const g0 = h0 + 5;
  const g1 = h1 + (g0 >> 26);
  const g2 = h2 + (g1 >> 26);
  const g3 = h3 + (g2 >> 26);
  const g4 = h4 + (g3 >> 26);
  const isBelow: u64 = (g4 >> 26) - 1;
  h0 = (h0 & isBelow) | (g0 & LIMB & ~isBelow);
  h1 = (h1 & isBelow) | (g1 & LIMB & ~isBelow);
  h2 = (h2 & isBelow) | (g2 & LIMB & ~isBelow);
  h3 = (h3 & isBelow) | (g3 & LIMB & ~isBelow);
  h4 = (h4 & isBelow) | (g4 & LIMB & ~isBelow);
  // Its lowest 128 bits, and the other half of the key.
  const low = h0 | (h1 << 26) | (h2 << 52);
  const high = (h2 >> 12) | (h3 << 14) | (h4 << 40);
  const sum = low + load<u64>(ONE_TIME_KEY + 16);
  store<u64>(TAG, sum);
  store<u64>(TAG + 8, high + load<u64>(ONE_TIME_KEY + 24) + u64(sum < low));
}
