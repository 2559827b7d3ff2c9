/** Four f32 at a time: what the layouts' loops have in common. Rows are padded with zeroes to a multiple of four numbers. */

/** The sum of the four lanes. */
export function sumOf(x: v128): f32 {
  const pairs = f32x4.add(x, v128.shuffle<f32>(x, x, 2, 3, 0, 1));
  return f32x4.extract_lane(pairs, 0) + f32x4.extract_lane(pairs, 1);
}

/** The squared distance of two rows. */
export function squareBetween(a: usize, b: usize, bytes: u32): f32 {
  let sum = f32x4.splat(0);
  for (let at: u32 = 0; at < bytes; at += 16) {
    const difference = f32x4.sub(v128.load(a + at), v128.load(b + at));
    sum = f32x4.add(sum, f32x4.mul(difference, difference));
  }
  return sumOf(sum);
}

/** Lane by lane x to the power of half `exponent`. */
export function halfPower(x: v128, exponent: u32): v128 {
  let result = exponent & 1 ? f32x4.sqrt(x) : f32x4.splat(1);
  for (let whole = exponent >> 1; whole > 0; whole >>= 1) {
    if (whole & 1) result = f32x4.mul(result, x);
    x = f32x4.mul(x, x);
  }
  return result;
}
