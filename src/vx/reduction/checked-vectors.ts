/** Checks the vectors that callers hand over, for fitting and for reducing alike. */
import { DimensionMismatchError, VxError } from "../errors.ts";

/** How many vectors row-major [count, dimension] holds. @throws DimensionMismatchError, VxError `invalid_vector` */
export function countVectors(vectors: Float32Array, dimension: number): number {
  checkLength(vectors, dimension);
  checkFinite(vectors);
  return vectors.length / dimension;
}

/** @throws DimensionMismatchError unless the vectors are whole */
export function checkLength(vectors: Float32Array, dimension: number): void {
  const rest = vectors.length % dimension;
  if (rest > 0) throw new DimensionMismatchError(dimension, rest);
}

/** @throws VxError `invalid_vector` */
export function checkFinite(numbers: Float32Array): void {
  for (let i = 0; i < numbers.length; i++) {
    if (!Number.isFinite(numbers[i])) {
      throw new VxError("invalid_vector", "The vectors' numbers must be finite");
    }
  }
}
