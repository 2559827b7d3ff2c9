/**
 * Barnes and Hut's tree in up to three dimensions: cells in the order of a walk that goes into each one (van der Maaten,
 * "Accelerating t-SNE using tree-based algorithms", 2014). Points are repelled four at a time, as neighbours of the tree's
 * order: a far cell is taken as one point for the four together.
 *
 * | cell offset | type | content |
 * |---|---|---|
 * | 0 | 4 f32 | the points' mean place |
 * | 16 | f32 | how many they are |
 * | 20 | f32 | squared distance beyond which they are as one; below 0 for a leaf |
 * | 24 | u32 | bytes to the cell behind this one and all in it |
 */
import { sumOf } from "./lanes";

const CELL_BYTES: u32 = 32;

/** Points this deep are one, wherever in the cell they lie: f32 hardly tells them apart. */
const MAX_DEPTH: u32 = 24;

let places: usize = 0;
let order: usize = 0;
let spare: usize = 0;
let nextCell: usize = 0;
let opening: f32 = 0;

/**
 * Grows the tree over `count` places, rows of four f32, into `cells`, which has room for 25 a point; gives the bytes it
 * takes. Leaves the points' order at `points`, u32, and needs as much again at `room`. A cell counts as one point from where
 * its width is less than `angle` of its distance.
 */
export function growTree(rows: usize, count: u32, angle: f32, points: usize, room: usize, cells: usize): u32 {
  places = rows;
  order = points;
  spare = room;
  nextCell = cells;
  opening = 1 / (angle * angle);
  let low = v128.load(rows);
  let high = low;
  for (let i: u32 = 0; i < count; i++) {
    const place = v128.load(rows + (i << 4));
    low = f32x4.min(low, place);
    high = f32x4.max(high, place);
    store<u32>(points + (i << 2), i);
  }
  const size = f32x4.sub(high, low);
  const width = max(
    max(f32x4.extract_lane(size, 0), f32x4.extract_lane(size, 1)),
    f32x4.extract_lane(size, 2),
  );
  const middle = f32x4.mul(f32x4.add(low, high), f32x4.splat(0.5));
  grow(0, count, middle, width, 0);
  return <u32>(nextCell - cells);
}

/** The cell of points `from` to before `to` of the order, and all within. */
function grow(from: u32, to: u32, middle: v128, width: f32, depth: u32): void {
  const cell = nextCell;
  nextCell += CELL_BYTES;
  let sum = f32x4.splat(0);
  for (let i = from; i < to; i++) sum = f32x4.add(sum, v128.load(placeOf(i)));
  const count = <f32>(to - from);
  v128.store(cell, f32x4.div(sum, f32x4.splat(count)));
  store<f32>(cell, count, 16);
  const isLeaf = to - from === 1 || depth === MAX_DEPTH;
  store<f32>(cell, isLeaf ? -1 : width * width * opening, 20);
  if (!isLeaf) split(from, to, middle, width, depth);
  store<u32>(cell, <u32>(nextCell - cell), 24);
}

/** Sorts the points by the eighth of the cell that they lie in, and grows each that is not empty. */
function split(from: u32, to: u32, middle: v128, width: f32, depth: u32): void {
  let next = from;
  for (let eighth: u32 = 0; eighth < 8; eighth++) {
    const first = next;
    // One pass an eighth over what is left; those of later eighths move up in `spare`, in their order.
    let kept: u32 = 0;
    for (let i = next; i < to; i++) {
      const point = load<u32>(order + (i << 2));
      if (eighthOf(point, middle) === eighth) store<u32>(order + (next++ << 2), point);
      else store<u32>(spare + (kept++ << 2), point);
    }
    memory.copy(order + (next << 2), spare, kept << 2);
    if (next === first) continue;
    const quarter = width / 4;
    const step = f32x4(
      eighth & 1 ? quarter : -quarter,
      eighth & 2 ? quarter : -quarter,
      eighth & 4 ? quarter : -quarter,
      0,
    );
    grow(first, next, f32x4.add(middle, step), width / 2, depth + 1);
    if (next === to) break;
  }
}

function eighthOf(point: u32, middle: v128): u32 {
  return i32x4.bitmask(f32x4.gt(v128.load(places + (point << 4)), middle)) & 7;
}

function placeOf(i: u32): usize {
  return places + (load<u32>(order + (i << 2)) << 4);
}

/**
 * The push of all on points `from` to before `to` of the order, multiples of four but for the end; gives the sum of their
 * similarities to all, themselves included. The freedom is 1, or 2 (see ./tsne.ts).
 */
export function repelByTree(cells: usize, bytes: u32, from: u32, to: u32, freedom: u32, pushes: usize): f64 {
  const one = f32x4.splat(1);
  const inverseFreedom = f32x4.splat(1 / <f32>freedom);
  const end = cells + bytes;
  let total: f64 = 0;
  for (let first = from; first < to; first += 4) {
    const last = to - 1;
    const a = v128.load(placeOf(first));
    const b = v128.load(placeOf(min(first + 1, last)));
    const c = v128.load(placeOf(min(first + 2, last)));
    const d = v128.load(placeOf(min(first + 3, last)));
    const abLow = v128.shuffle<f32>(a, b, 0, 4, 1, 5);
    const cdLow = v128.shuffle<f32>(c, d, 0, 4, 1, 5);
    const x = v128.shuffle<f32>(abLow, cdLow, 0, 1, 4, 5);
    const y = v128.shuffle<f32>(abLow, cdLow, 2, 3, 6, 7);
    const z = v128.shuffle<f32>(
      v128.shuffle<f32>(a, b, 2, 6, 2, 6),
      v128.shuffle<f32>(c, d, 2, 6, 2, 6),
      0,
      1,
      4,
      5,
    );
    let pushX = f32x4.splat(0);
    let pushY = f32x4.splat(0);
    let pushZ = f32x4.splat(0);
    let similarity = f32x4.splat(0);
    for (let cell = cells; cell < end; ) {
      const dx = f32x4.sub(x, v128.load_splat<u32>(cell));
      const dy = f32x4.sub(y, v128.load_splat<u32>(cell, 4));
      const dz = f32x4.sub(z, v128.load_splat<u32>(cell, 8));
      const square = f32x4.add(f32x4.add(f32x4.mul(dx, dx), f32x4.mul(dy, dy)), f32x4.mul(dz, dz));
      if (!i32x4.all_true(f32x4.gt(square, v128.load_splat<u32>(cell, 20)))) {
        cell += CELL_BYTES;
        continue;
      }
      const near = f32x4.div(one, f32x4.add(one, f32x4.mul(square, inverseFreedom)));
      let similar = f32x4.mul(near, v128.load_splat<u32>(cell, 16));
      if (freedom === 2) similar = f32x4.mul(similar, f32x4.sqrt(near));
      similarity = f32x4.add(similarity, similar);
      const share = f32x4.mul(similar, near);
      pushX = f32x4.add(pushX, f32x4.mul(share, dx));
      pushY = f32x4.add(pushY, f32x4.mul(share, dy));
      pushZ = f32x4.add(pushZ, f32x4.mul(share, dz));
      cell += load<u32>(cell, 24);
    }
    total += put(first, to, pushes, pushX, pushY, pushZ, similarity);
  }
  return total;
}

/** Writes the pushes on up to four points; gives the sum of their similarities. */
function put(first: u32, to: u32, pushes: usize, x: v128, y: v128, z: v128, similarity: v128): f64 {
  const missing = <i32>max(<i32>first + 4 - <i32>to, 0);
  const xyLow = v128.shuffle<f32>(x, y, 0, 4, 1, 5);
  const xyHigh = v128.shuffle<f32>(x, y, 2, 6, 3, 7);
  const none = f32x4.splat(0);
  const zLow = v128.shuffle<f32>(z, none, 0, 4, 1, 5);
  const zHigh = v128.shuffle<f32>(z, none, 2, 6, 3, 7);
  v128.store(pushOf(pushes, first), v128.shuffle<f32>(xyLow, zLow, 0, 1, 4, 5));
  if (missing < 3) v128.store(pushOf(pushes, first + 1), v128.shuffle<f32>(xyLow, zLow, 2, 3, 6, 7));
  if (missing < 2) v128.store(pushOf(pushes, first + 2), v128.shuffle<f32>(xyHigh, zHigh, 0, 1, 4, 5));
  if (missing < 1) v128.store(pushOf(pushes, first + 3), v128.shuffle<f32>(xyHigh, zHigh, 2, 3, 6, 7));
  // Lanes that are missing repeat the last point.
  return sumOf(similarity) - <f32>missing * f32x4.extract_lane(similarity, 3);
}

function pushOf(pushes: usize, i: u32): usize {
  return pushes + (load<u32>(order + (i << 2)) << 4);
}
