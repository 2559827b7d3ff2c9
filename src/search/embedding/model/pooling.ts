/** From what a model gives for a row's places to one embedding of the row. Used by onnx-model. Source: Sentence Transformers. */

export type Pooling = "mean" | "first" | "max";

/** `places`: row-major [length, dimension], of which the first `count` hold the row. */
export function pool(places: Float32Array, dimension: number, count: number, pooling: Pooling): Float32Array {
  const pooled = places.slice(0, dimension);
  if (pooling === "first") return pooled;
  for (let place = 1; place < count; place++) {
    for (let at = 0; at < dimension; at++) {
      const value = places[place * dimension + at] as number;
      const sofar = pooled[at] as number;
      pooled[at] = pooling === "mean" ? sofar + value : Math.max(sofar, value);
    }
  }
  // A sum will do for a mean: only the direction counts.
  return pooled;
}
