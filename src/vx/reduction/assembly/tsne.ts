/**
 * The steps of t-SNE but for the tree (./tree.ts): attraction along the edges, repulsion of all pairs, and the move. The
 * similarity of two places is (1 + d2 / freedom) ^ -((freedom + 1) / 2), d2 being their squared distance.
 */
import { halfPower, squareBetween, sumOf } from "./lanes";

/**
 * Adds up, for points `from` to before `to`, the pull of their neighbours: f32 weights of u32 columns, from a row's u32
 * start to the next one's. Places and pulls are f32 rows of `bytes`.
 */
export function attract(
  places: usize,
  bytes: u32,
  starts: usize,
  columns: usize,
  weights: usize,
  from: u32,
  to: u32,
  freedom: f32,
  pulls: usize,
): void {
  for (let i = from; i < to; i++) {
    const here = places + i * bytes;
    const pull = pulls + i * bytes;
    memory.fill(pull, 0, bytes);
    const end = load<u32>(starts + (i << 2), 4);
    for (let edge = load<u32>(starts + (i << 2)); edge < end; edge++) {
      const there = places + load<u32>(columns + (edge << 2)) * bytes;
      const near = load<f32>(weights + (edge << 2)) / (1 + squareBetween(here, there, bytes) / freedom);
      const share = f32x4.splat(near);
      for (let at: u32 = 0; at < bytes; at += 16) {
        const difference = f32x4.sub(v128.load(here + at), v128.load(there + at));
        v128.store(pull + at, f32x4.add(v128.load(pull + at), f32x4.mul(share, difference)));
      }
    }
  }
}

/**
 * The push of all on points `from` to before `to`, exactly; gives the sum of their similarities to all, themselves
 * included. `groups` are the places of four points at a time, [count / 4][dimensions][4], the last one filled up with
 * places far away; `sums` has room for 16 bytes a dimension.
 */
export function repelAll(
  places: usize,
  bytes: u32,
  groups: usize,
  dimensions: u32,
  count: u32,
  from: u32,
  to: u32,
  freedom: u32,
  sums: usize,
  pushes: usize,
): f64 {
  const groupBytes = dimensions << 4;
  const end = groups + ((count + 3) >> 2) * groupBytes;
  const one = f32x4.splat(1);
  const inverseFreedom = f32x4.splat(1 / <f32>freedom);
  let total: f64 = 0;
  for (let i = from; i < to; i++) {
    const here = places + i * bytes;
    memory.fill(sums, 0, groupBytes);
    let similarity = f32x4.splat(0);
    let shares = f32x4.splat(0);
    for (let group = groups; group < end; group += groupBytes) {
      let square = f32x4.splat(0);
      for (let d: u32 = 0; d < dimensions; d++) {
        const difference = f32x4.sub(v128.load_splat<u32>(here + (d << 2)), v128.load(group + (d << 4)));
        square = f32x4.add(square, f32x4.mul(difference, difference));
      }
      const near = f32x4.div(one, f32x4.add(one, f32x4.mul(square, inverseFreedom)));
      const similar = halfPower(near, freedom + 1);
      similarity = f32x4.add(similarity, similar);
      const share = f32x4.mul(similar, near);
      shares = f32x4.add(shares, share);
      for (let d: u32 = 0; d < dimensions; d++) {
        const difference = f32x4.sub(v128.load_splat<u32>(here + (d << 2)), v128.load(group + (d << 4)));
        const sum = sums + (d << 4);
        v128.store(sum, f32x4.add(v128.load(sum), f32x4.mul(share, difference)));
      }
    }
    for (let d: u32 = 0; d < dimensions; d++) {
      store<f32>(pushes + i * bytes + (d << 2), sumOf(v128.load(sums + (d << 4))));
    }
    total += sumOf(similarity);
  }
  return total;
}

/**
 * Moves `numbers` coordinates against the gradient, pull * `pullBy` - push * `pushBy`, with momentum and with a gain of
 * each coordinate's own (Jacobs, 1988), which grows while it goes on in one direction.
 */
export function gradientStep(
  places: usize,
  pulls: usize,
  pushes: usize,
  moves: usize,
  gains: usize,
  numbers: u32,
  pullBy: f32,
  pushBy: f32,
  momentum: f32,
  rate: f32,
): void {
  for (let at: u32 = 0; at < numbers << 2; at += 4) {
    const gradient = load<f32>(pulls + at) * pullBy - load<f32>(pushes + at) * pushBy;
    const move = load<f32>(moves + at);
    const gain =
      move * gradient < 0 ? load<f32>(gains + at) + 0.2 : max<f32>(0.01, load<f32>(gains + at) * 0.8);
    const next = momentum * move - rate * gain * gradient;
    store<f32>(gains + at, gain);
    store<f32>(moves + at, next);
    store<f32>(places + at, load<f32>(places + at) + next);
  }
}
