/**
 * Who `npm run bench reduction` compares, behind one face. Used by reduction-child, one a process. The peers come from
 * peers-reduction/node_modules; each is called in the way its own documentation shows, with its own defaults.
 */
import { createRequire } from "node:module";
import { join } from "node:path";
import { fitModel } from "../../src/vx/reduction/fit.ts";
import type { ReductionMethod } from "../../src/vx/reduction/model.ts";

export interface Task {
  method: ReductionMethod;
  dimension: number;
  target: number;
}

/** Reduces row-major [count, dimension] to row-major [count, target]. */
type Reduce = (vectors: Float32Array, task: Task) => Promise<Float32Array>;

const peers = createRequire(join(import.meta.dirname, "peers-reduction/package.json"));

export const reducers: Record<string, Partial<Record<ReductionMethod, Reduce>>> = {
  shoal: { pca: ours, umap: ours, tsne: ours },
  "ml-pca": {
    async pca(vectors, { dimension, target }) {
      const { PCA } = peers("ml-pca") as {
        PCA: new (
          rows: number[][],
        ) => {
          predict(rows: number[][], options: { nComponents: number }): { to2DArray(): number[][] };
        };
      };
      const rows = rowsOf(vectors, dimension);
      return joined(new PCA(rows).predict(rows, { nComponents: target }).to2DArray());
    },
  },
  "umap-js": {
    async umap(vectors, { dimension, target }) {
      const { UMAP } = peers("umap-js") as {
        UMAP: new (options: { nComponents: number }) => { fit(rows: number[][]): number[][] };
      };
      return joined(new UMAP({ nComponents: target }).fit(rowsOf(vectors, dimension)));
    },
  },
  druidjs: { pca: druid("PCA"), umap: druid("UMAP"), tsne: druid("TSNE") },
};

async function ours(vectors: Float32Array, { method, dimension, target }: Task): Promise<Float32Array> {
  const settings = { method, target, adaptive: false, minVariance: 1 };
  return (await fitModel(vectors, dimension, settings)).reduced;
}

function druid(name: "PCA" | "UMAP" | "TSNE"): Reduce {
  return async (vectors, { dimension, target }) => {
    const methods = peers("@saehrimnir/druidjs") as Record<
      string,
      new (
        rows: number[][],
        options: { d: number },
      ) => { transform(): ArrayLike<number>[] }
    >;
    const Method = methods[name] as NonNullable<(typeof methods)[string]>;
    return joined(new Method(rowsOf(vectors, dimension), { d: target }).transform());
  };
}

function rowsOf(vectors: Float32Array, dimension: number): number[][] {
  return Array.from({ length: vectors.length / dimension }, (_, row) => {
    return Array.from(vectors.subarray(row * dimension, (row + 1) * dimension));
  });
}

function joined(rows: ArrayLike<number>[]): Float32Array {
  return Float32Array.from(rows.flatMap((row) => Array.from(row)));
}
