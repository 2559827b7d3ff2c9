/** Checks what callers hand to a graph, alike for both implementations. */
import { DimensionMismatchError, InvalidIDError, VxError } from "../errors.ts";
import type { GraphOptions } from "./graph.ts";
import {
  MAX_DIMENSION,
  MAX_EF,
  MAX_ID,
  MAX_M,
  MAX_MEMORY_BYTES,
  MAX_SQUARE,
  MIN_M,
  MIN_SQUARE,
} from "./limits.ts";

/** The id as a bigint. @throws InvalidIDError */
export function checkedId(id: bigint | number): bigint {
  if (typeof id === "bigint" ? id >= 0n && id <= MAX_ID : Number.isSafeInteger(id) && id >= 0) {
    return BigInt(id);
  }
  const isRounded = typeof id === "number" && Number.isInteger(id) && id > 0;
  const due = isRounded ? "beyond 2^53 - 1 it must be a bigint" : "it must be an unsigned integer";
  throw new InvalidIDError(`Invalid id ${id}: ${due}`);
}

/** @throws DimensionMismatchError */
export function checkDimension(vector: Float32Array, dimension: number): void {
  if (vector.length !== dimension) throw new DimensionMismatchError(dimension, vector.length);
}

/** @throws VxError `invalid_request` unless `value` is an integer from `least` to `most` */
export function checkInteger(name: string, value: number, least: number, most: number): void {
  if (Number.isInteger(value) && value >= least && value <= most) return;
  throw new VxError("invalid_request", `${name} is ${value}; it must be an integer from ${least} to ${most}`);
}

/** Options with every default filled in. @throws VxError `invalid_request` */
export function checkedOptions(options: GraphOptions): Required<GraphOptions> {
  const checked = {
    m: 16,
    efConstruction: 200,
    efSearch: 100,
    maxElements: 0,
    quantization: "int8",
    maxMemoryBytes: MAX_MEMORY_BYTES,
    ...options,
  } as const;
  checkInteger("dimension", checked.dimension, 1, MAX_DIMENSION);
  checkInteger("m", checked.m, MIN_M, MAX_M);
  checkInteger("efConstruction", checked.efConstruction, 1, MAX_EF);
  checkInteger("efSearch", checked.efSearch, 1, MAX_EF);
  checkInteger("maxElements", checked.maxElements, 0, Number.MAX_SAFE_INTEGER);
  checkInteger("maxMemoryBytes", checked.maxMemoryBytes, 0, MAX_MEMORY_BYTES);
  return checked;
}

export function invalidVector(metric: string): VxError {
  const [shortest, longest] = [MIN_SQUARE, MAX_SQUARE].map((square) => Math.sqrt(square).toPrecision(2));
  const bounds =
    metric === "cosine"
      ? ` and not all zero, and its length from ${shortest} to ${longest}`
      : `, and its length ${longest} at most`;
  return new VxError("invalid_vector", `The vector's numbers must be finite${bounds}`);
}
