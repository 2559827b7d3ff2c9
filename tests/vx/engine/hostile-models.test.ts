/** Snapshots of a reduced index that no engine writes: each is refused when it is opened, by name. */
import { describe, expect, it } from "vitest";
import { readConfig } from "../../../src/vx/config.ts";
import { openEngine } from "../../../src/vx/engine/open-engine.ts";
import { HnswGraph } from "../../../src/vx/hnsw/hnsw-graph.ts";
import { fitModel } from "../../../src/vx/reduction/fit.ts";
import { MemoryMedium, openMemoryIndexStorage } from "../../../src/vx/storage/memory-index-storage.ts";
import { openIndexStore } from "../../../src/vx/storage/open-index-store.ts";
import type { IndexFacts, ReducedSource } from "../../../src/vx/storage/stored-index.ts";

const reduction = { method: "pca", target: 2, adaptive: false, minVariance: 0.95, fitAfter: 8 } as const;
const facts: IndexFacts = { dimension: 3, metric: "l2", m: 4, efConstruction: 20, reduction };
const vectors = Float32Array.from({ length: 30 }, (_, at) => Math.sin(at * at));
const COUNT = 10;

async function modelOf(dimension: number, target: number): Promise<ReducedSource["model"]> {
  const { model } = await fitModel(vectors, dimension, { ...reduction, target });
  return { id: new Uint8Array(16), bytes: model.encode() };
}

function originalsOf(byteLength: number): ReducedSource["originals"] {
  return { byteLength, read: (_, into) => void into.fill(0) };
}

/** Opens an index whose snapshot has a graph of that dimension, the model and the originals. */
async function openWith(
  graphDimension: number,
  model: ReducedSource["model"],
  originalBytes = COUNT * 12,
): Promise<void> {
  const medium = new MemoryMedium();
  const graph = new HnswGraph({ dimension: graphDimension, metric: "l2", m: 4, efConstruction: 20 });
  for (let id = 0; id < COUNT; id++) graph.add(id, new Float32Array(graphDimension).fill(id));
  const store = await openIndexStore(await openMemoryIndexStorage(medium), { create: facts });
  await store.load({ async graph() {}, metadata() {}, operations() {} });
  const reduced = { model, originals: originalsOf(originalBytes) };
  await store.replace(facts, () => ({ state: graph.exportState(), metadata: [], reduced }));
  await store.close();
  const host = { openStorage: () => openMemoryIndexStorage(medium), locateArchive: Promise.reject };
  const engine = await openEngine(readConfig({ storagePath: "disk" }, false), host);
  await engine.close();
}

describe("a snapshot with a model", () => {
  it("opens where all of it fits together", async () => {
    await openWith(2, await modelOf(3, 2));
  });

  it.each([
    { what: "of another dimension", open: async () => openWith(2, await modelOf(5, 2)), says: "model" },
    { what: "of another target", open: async () => openWith(2, await modelOf(3, 1)), says: "graph" },
    {
      what: "beside a graph that is not reduced",
      open: async () => openWith(3, await modelOf(3, 2)),
      says: "graph",
    },
    {
      what: "with too few originals",
      open: async () => openWith(2, await modelOf(3, 2), COUNT * 12 - 4),
      says: "originals",
    },
    {
      what: "that is none",
      open: () => openWith(2, { id: new Uint8Array(16), bytes: new Uint8Array(100) }),
      says: "model",
    },
    {
      what: "that is shorter than its name",
      open: () => openWith(2, { id: new Uint8Array(3), bytes: new Uint8Array(0) }),
      says: "model has 3 bytes",
    },
  ])("is refused $what", async ({ open, says }) => {
    await expect(open()).rejects.toMatchObject({
      name: "VxError",
      code: expect.stringMatching(/^(internal|backup_corrupt)$/),
      message: expect.stringContaining(says),
    });
  });
});
