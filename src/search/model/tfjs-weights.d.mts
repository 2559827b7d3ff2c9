/** Types of tfjs-weights, for the benchmark of search. */

export type ReadWeight = (ending: string) => { data: Float32Array | Int32Array; shape: number[] };
export function readWeights(folder: URL): Promise<ReadWeight>;
