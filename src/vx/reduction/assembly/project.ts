/** Scalar products of rows with rows: PCA's projections. Both are padded with zeroes to a multiple of four numbers. */
import { sumOf } from "./lanes";

/** Writes f32 [count, targets] at `out`: row by row of `rows`, its products with every row of `axes`. Bytes are a row's. */
export function project(rows: usize, count: u32, axes: usize, targets: u32, bytes: u32, out: usize): void {
  for (let row: u32 = 0; row < count; row++) {
    let axis = axes;
    let target: u32 = 0;
    for (; target + 4 <= targets; target += 4) {
      v128.store(out, four(rows, axis, bytes));
      axis += bytes << 2;
      out += 16;
    }
    for (; target < targets; target++) {
      store<f32>(out, one(rows, axis, bytes));
      axis += bytes;
      out += 4;
    }
    rows += bytes;
  }
}

function four(x: usize, a: usize, bytes: u32): v128 {
  let sumA = f32x4.splat(0);
  let sumB = f32x4.splat(0);
  let sumC = f32x4.splat(0);
  let sumD = f32x4.splat(0);
  let b = a + bytes;
  let c = b + bytes;
  let d = c + bytes;
  for (const end = x + bytes; x < end; x += 16) {
    const at = v128.load(x);
    sumA = f32x4.add(sumA, f32x4.mul(at, v128.load(a)));
    sumB = f32x4.add(sumB, f32x4.mul(at, v128.load(b)));
    sumC = f32x4.add(sumC, f32x4.mul(at, v128.load(c)));
    sumD = f32x4.add(sumD, f32x4.mul(at, v128.load(d)));
    a += 16;
    b += 16;
    c += 16;
    d += 16;
  }
  const ab = f32x4.add(v128.shuffle<f32>(sumA, sumB, 0, 4, 1, 5), v128.shuffle<f32>(sumA, sumB, 2, 6, 3, 7));
  const cd = f32x4.add(v128.shuffle<f32>(sumC, sumD, 0, 4, 1, 5), v128.shuffle<f32>(sumC, sumD, 2, 6, 3, 7));
  return f32x4.add(v128.shuffle<f32>(ab, cd, 0, 1, 4, 5), v128.shuffle<f32>(ab, cd, 2, 3, 6, 7));
}

/** As each of four, sums in the same order: whether there are four must not change a number. */
function one(x: usize, a: usize, bytes: u32): f32 {
  let sum = f32x4.splat(0);
  for (const end = x + bytes; x < end; x += 16) {
    sum = f32x4.add(sum, f32x4.mul(v128.load(x), v128.load(a)));
    a += 16;
  }
  return sumOf(sum);
}
