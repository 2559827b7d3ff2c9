/** Checks the vectors that callers hand over, for fitting and for reducing alike. */
import { DimensionMismatchError, VxError } from "../errors.ts";

/** How many vectors row-major [count, dimension] holds. @throws DimensionMismatchError, VxError `invalid_vector` */
export function countVectors(vectors: Float32Array, dimension: number): number {
  if (vectors.length % dimension > 0) throw new DimensionMismatchError(dimension, vectors.length % dimension);
  for (let i = 0; i < vectors.length; i++) {
    if (!Number.isFinite(vectors[i])) {
      throw new VxError("invalid_vector", "The vectors' numbers must be finite");
    }
  }
  return vectors.length / dimension;
}
