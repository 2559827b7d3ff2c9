/** Reads the weights of a model in TensorFlow.js's form: model.json names them, shards hold them end to end. Used by build. */
import { readFile } from "node:fs/promises";

const ARRAYS = { float32: Float32Array, int32: Int32Array };

/** A function from the end of a weight's name to `{ data, shape }`; throws unless exactly one weight's name ends so. */
export async function readWeights(folder) {
  const { weightsManifest } = JSON.parse(await readFile(new URL("model.json", folder), "utf8"));
  const weights = [];
  for (const { paths, weights: described } of weightsManifest) {
    const shards = await Promise.all(paths.map((path) => readFile(new URL(path, folder))));
    const { buffer } = new Uint8Array(Buffer.concat(shards));
    let offset = 0;
    for (const { name, shape, dtype } of described) {
      const length = shape.reduce((product, size) => product * size, 1);
      const data = new ARRAYS[dtype](buffer, offset, length);
      weights.push({ name, data, shape });
      offset += data.byteLength;
    }
    if (offset !== buffer.byteLength) throw new Error("The shards do not hold what model.json describes");
  }
  return (ending) => {
    const found = weights.filter(({ name }) => name.endsWith(ending));
    if (found.length !== 1) throw new Error(`${found.length} weights are called ${ending}`);
    return found[0];
  };
}
