/** The covariance of vectors, block of rows by block of rows, in the kernel. Called by PCA's fit. */
import { VxError } from "../errors.ts";
import { type Kernel, padded } from "./kernel.ts";
import type { Progress } from "./progress.ts";
import type { Matrix } from "./symmetric-eigen.ts";

/** Columns of a panel, see assembly/covariance.ts. */
const PANEL = 8;

/** Rows that are summed up in f32: their packed panels stay in the processor's cache. */
const BLOCK_ROWS = 256;

export async function meanOf(
  vectors: Float32Array,
  dimension: number,
  progress: Progress,
): Promise<Float64Array> {
  const mean = new Float64Array(dimension);
  const count = vectors.length / dimension;
  for (let at = 0; at < vectors.length; ) {
    for (let i = 0; i < dimension; i++, at++) mean[i] = (mean[i] as number) + (vectors[at] as number) / count;
    await progress.at(at / vectors.length);
  }
  return mean;
}

/** Of row-major [count, mean.length] vectors; divided by count - 1. @throws VxError `invalid_vector` */
export async function covarianceOf(
  kernel: Kernel,
  vectors: Float32Array,
  mean: Float64Array,
  progress: Progress,
): Promise<Matrix> {
  const n = mean.length;
  const stride = padded(n, PANEL);
  const count = vectors.length / n;
  const block = Math.min(count, BLOCK_ROWS);
  const address = kernel.take(stride * n * 8 + PANEL * stride * 8);
  const panels = kernel.take(block * stride * 4);
  const rows = kernel.take(block * n * 4);
  const meanAddress = kernel.put(mean);
  for (let row = 0; row < count; row += block) {
    const some = Math.min(block, count - row);
    kernel.floats(rows, some * n).set(vectors.subarray(row * n, (row + some) * n));
    kernel.loops.packCentred(rows, some, n, meanAddress, panels);
    for (let panel = 0; panel < stride / PANEL; panel++) {
      kernel.loops.addProducts(panels, some, stride, panel, address);
      await progress.at(row / count);
    }
  }
  await mirror(kernel.doubles(address, stride * n), { n, stride, factor: 1 / (count - 1), progress });
  return { address, size: n };
}

/** Multiplies what is right of the diagonal, and copies it to the left. @throws VxError `invalid_vector` */
async function mirror(
  matrix: Float64Array,
  { n, stride, factor, progress }: { n: number; stride: number; factor: number; progress: Progress },
): Promise<void> {
  for (let i = 0; i < n; i++) {
    for (let j = i; j < n; j++) {
      const value = (matrix[i * stride + j] as number) * factor;
      if (!Number.isFinite(value)) {
        throw new VxError(
          "invalid_vector",
          "The vectors' numbers are too large for their variance to be told",
        );
      }
      matrix[i * stride + j] = value;
      matrix[j * stride + i] = value;
    }
    await progress.at(1);
  }
}
