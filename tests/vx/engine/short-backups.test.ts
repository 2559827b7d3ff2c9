/**
 * A full backup of a small index that was written many times over holds hardly more than the index, and needs no
 * snapshot for it.
 */
import { expect, onTestFinished, test } from "vitest";
import { readConfig } from "../../../src/vx/config.ts";
import { openEngine } from "../../../src/vx/engine/open-engine.ts";
import { MemoryDisk } from "../library/memory-disk.ts";
import { Faults, failing } from "../storage/failing-storage.ts";

const DIMENSION = 4096;
const COUNT = 100;
const BATCH_BYTES = COUNT * DIMENSION * 4;

/** An engine whose journal is longer than half of its graph. */
async function openWritten(faults: Faults, encryptionKey?: string) {
  const disk = new MemoryDisk();
  const config = { dimension: DIMENSION, storagePath: "index", persistInterval: 0, encryptionKey };
  const open = async (path: string) => {
    const settings = readConfig(
      { ...config, storagePath: path, encryptionEnabled: encryptionKey !== undefined },
      true,
    );
    const engine = await openEngine(settings, {
      openStorage: async (folder) => failing(await disk.openStorage(folder), faults),
      locateArchive: (archive) => disk.locateArchive(archive),
    });
    onTestFinished(() => engine.close());
    return engine;
  };
  const engine = await open("index");
  const ids = BigUint64Array.from({ length: COUNT }, (_, id) => BigInt(id));
  const write = (round: number) =>
    engine.add({ ids, vectors: Float32Array.from({ length: COUNT * DIMENSION }, (_, i) => i % (round + 7)) });
  for (let round = 0; ; round++) {
    await write(round);
    const { journal_bytes, memory_usage_mb } = await engine.metrics();
    if (journal_bytes > (memory_usage_mb * 1e6) / 2) return { engine, open, write, round, journal_bytes };
  }
}

test.each([undefined, "k".repeat(32)])(
  "its journal is left out, and what comes later is in it (key: %s)",
  async (key) => {
    const { engine, open, write, round, journal_bytes } = await openWritten(new Faults(), key);
    const full = await engine.backup({ path: "b/full.zip", incremental: false, compress: false });
    expect(full.sizeBytes).toBeLessThan(journal_bytes - BATCH_BYTES);
    expect((await engine.metrics()).journal_bytes).toBe(0);
    const vector = (await engine.get(7n))?.vector;
    await write(round + 1);
    const next = await engine.backup({ path: "b/next.zip", incremental: true, compress: false });
    expect(next.incremental).toBe(true);
    expect(next.sizeBytes).toBeLessThan(BATCH_BYTES * 1.1);
    const later = (await engine.get(7n))?.vector;
    expect(later).not.toEqual(vector);
    const other = await open("other");
    expect((await other.restore("b/full.zip")).vectorCount).toBe(COUNT);
    expect((await other.get(7n))?.vector).toEqual(vector);
    await other.restore("b/next.zip");
    expect((await other.get(7n))?.vector).toEqual(later);
  },
);

test("a disk too full for a snapshot has it backed up with its journal", async () => {
  const faults = new Faults();
  const { engine, open, journal_bytes } = await openWritten(faults);
  faults.freeBytes = 1024;
  const full = await engine.backup({ path: "b/full.zip", incremental: false, compress: false });
  expect(full.sizeBytes).toBeGreaterThan(journal_bytes);
  faults.freeBytes = Number.POSITIVE_INFINITY;
  const other = await open("other");
  expect((await other.restore("b/full.zip")).vectorCount).toBe(COUNT);
  expect((await other.get(7n))?.vector).toEqual((await engine.get(7n))?.vector);
});
