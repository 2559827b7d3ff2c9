/**
 * The host side of the WebAssembly kernel (assembly/): an instance with its memory, for one fit or one model. Called by the
 * fits and the models, which hold addresses in it. Views are made anew at each use, for growing detaches the old ones.
 */
import { VxError } from "../errors.ts";
import { compiled } from "../hnsw/wasm-module.ts";
import { kernelBase64 } from "./build/kernel-wasm.ts";

/** The loops, told where they are written. Numbers named after things in memory are addresses. */
export interface Loops {
  take(bytes: number): number;
  packCentred(rows: number, count: number, dimension: number, mean: number, panels: number): void;
  addProducts(panels: number, count: number, stride: number, panel: number, matrix: number): void;
  project(rows: number, count: number, axes: number, targets: number, bytes: number, out: number): void;
  reflectionOf(
    a: number,
    n: number,
    stride: number,
    k: number,
    pending: number,
    next: number,
    facts: number,
  ): void;
  multiplyRows(
    a: number,
    n: number,
    stride: number,
    k: number,
    pending: number,
    next: number,
    factor: number,
    from: number,
    to: number,
  ): void;
  endReflection(a: number, n: number, stride: number, k: number, next: number, factor: number): void;
  reflectRows(
    rows: number,
    count: number,
    n: number,
    stride: number,
    v: number,
    k: number,
    factor: number,
  ): void;
  rotateRows(rows: number, stride: number, first: number, last: number, turns: number): void;
  attract(
    places: number,
    bytes: number,
    starts: number,
    columns: number,
    weights: number,
    from: number,
    to: number,
    freedom: number,
    pulls: number,
  ): void;
  repelAll(
    places: number,
    bytes: number,
    groups: number,
    dimensions: number,
    count: number,
    from: number,
    to: number,
    freedom: number,
    sums: number,
    pushes: number,
  ): number;
  gradientStep(
    places: number,
    pulls: number,
    pushes: number,
    moves: number,
    gains: number,
    numbers: number,
    pullBy: number,
    pushBy: number,
    momentum: number,
    rate: number,
  ): void;
  growTree(rows: number, count: number, angle: number, points: number, room: number, cells: number): number;
  repelByTree(
    cells: number,
    bytes: number,
    from: number,
    to: number,
    freedom: number,
    pushes: number,
  ): number;
  runEpoch(
    places: number,
    bytes: number,
    count: number,
    edges: number,
    from: number,
    to: number,
    epoch: number,
    rate: number,
    pulls: number,
    pushes: number,
    sum: number,
    seed: number,
  ): number;
}

export class Kernel {
  readonly loops: Loops;
  readonly #memory: WebAssembly.Memory;

  constructor() {
    const { exports } = new WebAssembly.Instance(compiled(kernelBase64), {});
    this.loops = exports as unknown as Loops;
    this.#memory = exports.memory as WebAssembly.Memory;
  }

  /** The address of zeroed memory. @throws VxError `capacity_exceeded` */
  take(bytes: number): number {
    const address = this.loops.take(bytes) >>> 0;
    if (address > 0) return address;
    throw new VxError("capacity_exceeded", "There is no memory for dimensionality reduction of this size");
  }

  /** The address of a copy. */
  put(numbers: Float32Array | Float64Array | Uint32Array): number {
    const address = this.take(numbers.byteLength);
    new Uint8Array(this.#memory.buffer).set(
      new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength),
      address,
    );
    return address;
  }

  floats(address: number, length: number): Float32Array {
    return new Float32Array(this.#memory.buffer, address, length);
  }

  /** Fills `rows`, each of `length` numbers, from rows that are padded to `stride` of them. */
  copyRows(address: number, stride: number, rows: Float32Array, length: number): void {
    const count = rows.length / length;
    const padded = this.floats(address, count * stride);
    for (let row = 0; row < count; row++) {
      rows.set(padded.subarray(row * stride, row * stride + length), row * length);
    }
  }

  doubles(address: number, length: number): Float64Array {
    return new Float64Array(this.#memory.buffer, address, length);
  }

  words(address: number, length: number): Uint32Array {
    return new Uint32Array(this.#memory.buffer, address, length);
  }
}

/** The least multiple of `step` that is not below `number`: what rows of the kernel are padded to. */
export function padded(number: number, step: number): number {
  return Math.ceil(number / step) * step;
}
