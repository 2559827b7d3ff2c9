/**
 * An index that is opened, written a little and left again and again leaves no more journal than the next opening
 * should read.
 */
import { expect, test } from "vitest";
import { readConfig } from "../../../src/vx/config.ts";
import { MAX_REPLAY_SEGMENTS } from "../../../src/vx/engine/limits.ts";
import { openEngine } from "../../../src/vx/engine/open-engine.ts";
import { MemoryMedium, openMemoryIndexStorage } from "../../../src/vx/storage/memory-index-storage.ts";
import { MemoryDisk } from "../library/memory-disk.ts";

test("one session in some puts its journal into a snapshot", async () => {
  const medium = new MemoryMedium();
  const settings = readConfig({ dimension: 4, storagePath: "index", persistInterval: 0 }, true);
  const segments = () => [...medium.files.keys()].filter((name) => name.startsWith("journal")).length;
  let most = 0;
  const session = async (id: number) => {
    const engine = await openEngine(settings, {
      openStorage: () => openMemoryIndexStorage(medium),
      locateArchive: (path) => new MemoryDisk().locateArchive(path),
    });
    await engine.add({ ids: BigUint64Array.of(BigInt(id)), vectors: Float32Array.of(id, 1, 2, 3) });
    most = Math.max(most, segments());
    const { vector_count } = await engine.metrics();
    await engine.close();
    return vector_count;
  };
  for (let id = 0; id < MAX_REPLAY_SEGMENTS * 2.5; id++) expect(await session(id)).toBe(id + 1);
  expect(most).toBe(MAX_REPLAY_SEGMENTS + 1);
  expect(segments()).toBeLessThan(MAX_REPLAY_SEGMENTS);
});
