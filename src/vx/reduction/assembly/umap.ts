/**
 * One epoch of UMAP's layout: edges that are due pull their ends together, and push the first away from points drawn at
 * random (McInnes, Healy, Melville, "UMAP", 2018, section 3.2 and appendix). How strongly, depends on the squared distance
 * alone and comes from tables, since a power a pair would take most of the time.
 *
 * A table has 64 entries for every power of two from 2^-24 to 2^24; within one it is linear.
 */
import { squareBetween } from "./lanes";

const FIRST_BITS: i32 = (127 - 24) << 23;
const LAST_BITS: i32 = ((127 + 24) << 23) - 1;
const STEP_SHIFT: i32 = 17;
const WITHIN: i32 = (1 << STEP_SHIFT) - 1;

/** Farthest that one pull or push moves a point along an axis, before the rate. */
const MAX_MOVE: f32 = 4;

let seed: u32 = 0;

/** Marsaglia's xorshift32. */
function random(): u32 {
  seed ^= seed << 13;
  seed ^= seed >>> 17;
  seed ^= seed << 5;
  return seed;
}

function lookUp(table: usize, square: f32): f32 {
  const bits = min(max(reinterpret<u32>(square), FIRST_BITS), LAST_BITS);
  const entry = table + (((bits - FIRST_BITS) >>> STEP_SHIFT) << 2);
  const within = <f32>(bits & WITHIN) / <f32>(WITHIN + 1);
  const low = load<f32>(entry);
  return low + within * (load<f32>(entry, 4) - low);
}

/** How far four coordinates move for this share of their difference. */
function step(shares: v128, difference: v128): v128 {
  // Numbers all: min and max that mind what is none take eight instructions.
  const wanted = f32x4.mul(shares, difference);
  return f32x4.pmin(f32x4.pmax(wanted, f32x4.splat(-MAX_MOVE)), f32x4.splat(MAX_MOVE));
}

/** Moves row `a` towards `b` and `b` towards it. */
function pullTogether(a: usize, b: usize, bytes: u32, share: f32, rate: f32): void {
  const shares = f32x4.splat(share);
  const rates = f32x4.splat(rate);
  for (let at: u32 = 0; at < bytes; at += 16) {
    const here = v128.load(a + at);
    const there = v128.load(b + at);
    const way = f32x4.mul(rates, step(shares, f32x4.sub(here, there)));
    v128.store(a + at, f32x4.add(here, way));
    v128.store(b + at, f32x4.sub(there, way));
  }
}

/** Adds to `sum` how far row `a` is pushed from `b`. */
function addPush(a: usize, b: usize, bytes: u32, share: f32, sum: usize): void {
  const shares = f32x4.splat(share);
  for (let at: u32 = 0; at < bytes; at += 16) {
    const way = step(shares, f32x4.sub(v128.load(a + at), v128.load(b + at)));
    v128.store(sum + at, f32x4.add(v128.load(sum + at), way));
  }
}

/** Moves row `a` by `sum`, which is 0 then. */
function move(a: usize, sum: usize, bytes: u32, rate: f32): void {
  const rates = f32x4.splat(rate);
  for (let at: u32 = 0; at < bytes; at += 16) {
    v128.store(a + at, f32x4.add(v128.load(a + at), f32x4.mul(rates, v128.load(sum + at))));
    v128.store(sum + at, f32x4.splat(0));
  }
}

/**
 * Edges `from` to before `to`, each 6 numbers of 4 bytes: u32 head and tail, f32 epochs from one turn to the next, f32 epoch
 * of its next turn, f32 epochs from one random point to the next, f32 epoch of its next random point. `sum` is a row of
 * zeroes: the random points of a turn push all at once, so that none has to wait for the one before. Gives the seed to go on
 * with.
 */
export function runEpoch(
  places: usize,
  bytes: u32,
  count: u32,
  edges: usize,
  from: u32,
  to: u32,
  epoch: f32,
  rate: f32,
  pulls: usize,
  pushes: usize,
  sum: usize,
  seedBefore: u32,
): u32 {
  seed = seedBefore;
  for (let i = from; i < to; i++) {
    const edge = edges + i * 24;
    if (load<f32>(edge, 12) > epoch) continue;
    const head = load<u32>(edge);
    const here = places + head * bytes;
    const there = places + load<u32>(edge, 4) * bytes;
    const square = squareBetween(here, there, bytes);
    if (square > 0) pullTogether(here, there, bytes, lookUp(pulls, square), rate);
    store<f32>(edge, load<f32>(edge, 12) + load<f32>(edge, 8), 12);
    const between = load<f32>(edge, 16);
    const draws = <u32>((epoch - load<f32>(edge, 20)) / between);
    for (let draw: u32 = 0; draw < draws; draw++) {
      const other = places + <u32>((<u64>random() * count) >> 32) * bytes;
      const apart = squareBetween(here, other, bytes);
      addPush(here, other, bytes, lookUp(pushes, apart), sum);
    }
    move(here, sum, bytes, rate);
    store<f32>(edge, load<f32>(edge, 20) + <f32>draws * between, 20);
  }
  return seed;
}
