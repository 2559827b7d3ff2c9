/** What the setting `quantization` changes of an index, and what it does not. */
import { expect, it } from "vitest";
import type { Quantization } from "../../../src/vx/hnsw/graph.ts";
import { Vx } from "../../../src/vx/vx.ts";
import { clustered } from "../hnsw/vectors.ts";
import { inlineHost, MemoryDisk } from "./memory-disk.ts";

const COUNT = 4000;
const DIMENSION = 64;
/** An int8 row with its scale and its norm, as far as they are padded. */
const ROW_BYTES = 80;

it("takes the memory of its rows, finds the same, and may be another at the next opening", async () => {
  const host = inlineHost(new MemoryDisk());
  const open = (quantization: Quantization) =>
    new Vx({ dimension: DIMENSION, storagePath: "index", quantization }, host);
  const vectors = clustered(COUNT, DIMENSION, 1);
  const tell = async (vx: Vx) => {
    const { memory_usage_mb } = await vx.collectMetrics();
    return { bytes: memory_usage_mb * 1e6, found: await vx.search(vectors[7] as Float32Array, 10) };
  };

  const quantized = open("int8");
  await quantized.batchAdd(
    vectors.map((_, i) => i),
    vectors,
  );
  await quantized.close();
  const reopened = open("int8");
  const withRows = await tell(reopened);
  await reopened.close();
  const plain = open("none");
  const without = await tell(plain);
  await plain.close();

  expect(withRows.bytes - without.bytes).toBeGreaterThan(COUNT * ROW_BYTES * 0.9);
  expect(without.found).toEqual(withRows.found);
});

it("is refused if it is neither", () => {
  const config = { quantization: "int4" as Quantization };
  expect(() => new Vx(config, inlineHost(new MemoryDisk()))).toThrow('quantization is "int8" or "none"');
});
