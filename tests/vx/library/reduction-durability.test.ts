/** A reduced index over restarts, backups and crashes: its model, its vectors as they were added, its settings. */
import { describe, expect, it } from "vitest";
import type { Config } from "../../../src/vx/config.ts";
import { MemoryMedium, openMemoryIndexStorage } from "../../../src/vx/storage/memory-index-storage.ts";
import { nextTurn } from "../../../src/vx/turns.ts";
import type { Vx } from "../../../src/vx/vx.ts";
import { Faults, failing } from "../storage/failing-storage.ts";
import { copyOf, watched } from "../storage/watched-storage.ts";
import { inlineHost, MemoryDisk } from "./memory-disk.ts";
import {
  addAll,
  DIMENSION,
  expectSame,
  FIT_AFTER,
  fitted,
  idsFrom,
  open,
  oracleOf,
  reduced,
  reducing,
  TARGET,
  vectorOf,
} from "./reduced-index.ts";

const query = vectorOf(1000.5);
const stored = { ...reducing, storagePath: "disk/index" } satisfies Config;

/** Everything that a user can see of the vectors. */
async function seen(vx: Vx, ids: number[]) {
  return {
    model: await vx.reduceVectors([query, vectorOf(3)]),
    found: await vx.search(query, 30),
    vectors: await Promise.all(ids.map(async (id) => (await vx.get(id))?.vector)),
  };
}

describe("a reduced index", () => {
  it("opens with the model it was closed with, and goes on by it", async () => {
    const host = inlineHost(new MemoryDisk());
    const vx = await open(host, stored);
    const ids = idsFrom(0, FIT_AFTER);
    await addAll(vx, ids);
    await fitted(vx);
    const more = idsFrom(FIT_AFTER, 30);
    await addAll(vx, more);
    await vx.delete(3);
    const before = await seen(vx, [...ids, ...more]);
    await vx.close();

    // What is stored says how.
    const again = await open(host, { storagePath: stored.storagePath }, { create: false });
    expect(await seen(again, [...ids, ...more])).toEqual(before);
    expect(await again.collectMetrics()).toMatchObject({ reduced_dimension: TARGET, fits_total: 0 });
    await again.save();
    await again.close();
    const third = await open(host, stored);
    expect(await seen(third, [...ids, ...more])).toEqual(before);
    await third.close();
  });

  it("comes back from full and incremental backups with the model of each", async () => {
    const disk = new MemoryDisk();
    const vx = await open(inlineHost(disk), stored);
    const ids = idsFrom(0, FIT_AFTER - 1);
    await addAll(vx, ids);
    await vx.backup("disk/backups/before.zip");
    await vx.add(FIT_AFTER, vectorOf(FIT_AFTER));
    await fitted(vx);
    // It has a model, which the one before has not.
    expect(await vx.backup("disk/backups/full.zip", true)).toMatchObject({ incremental: false });
    const full = await seen(vx, ids);
    await vx.add(1, vectorOf(500));
    const { incremental } = await vx.backup("disk/backups/more.zip", true);
    const more = await seen(vx, ids);
    expect(incremental).toBe(true);
    await addAll(vx, idsFrom(600, 60));
    await vx.refit();
    expect(await vx.backup("disk/backups/other.zip", true)).toMatchObject({ incremental: false });

    await vx.restore("disk/backups/full.zip");
    expect(await seen(vx, ids)).toEqual(full);
    const other = await open(inlineHost(disk), { ...stored, storagePath: "disk/other" });
    await other.restore("disk/backups/more.zip");
    expect(await seen(other, ids)).toEqual(more);
    await other.close();

    // One of before the fit is searched exactly again, until there is one vector more.
    await vx.restore("disk/backups/before.zip");
    await expectSame(vx, await oracleOf(vx, ids), { query, k: ids.length });
    await vx.add(9000, vectorOf(9000));
    await reduced(vx);
    await vx.close();
  });

  it("is encrypted with its model, in its folder and in backups", async () => {
    const disk = new MemoryDisk();
    const config = { ...stored, encryptionEnabled: true, encryptionKey: "k".repeat(32) };
    const vx = await open(inlineHost(disk), config);
    const ids = idsFrom(0, 60);
    await addAll(vx, ids);
    await fitted(vx);
    await vx.backup("disk/backups/full.zip");
    const before = await seen(vx, ids);
    await vx.close();
    const again = await open(inlineHost(disk), config);
    expect(await seen(again, ids)).toEqual(before);
    await addAll(again, idsFrom(0, 1000));
    await again.restore("disk/backups/full.zip");
    expect(await seen(again, ids)).toEqual(before);
    await again.close();
  });

  it("has all that was acknowledged, wherever its process ends in a fit", async () => {
    const medium = new MemoryMedium();
    const photos: { medium: MemoryMedium; done: number }[] = [];
    let done = 0;
    const shoot = () => void photos.push({ medium: copyOf(medium), done });
    const host = (openStorage: typeof openMemoryIndexStorage) => {
      return inlineHost({ openStorage: () => openStorage(), locateArchive: Promise.reject });
    };
    const config = { ...stored, fitAfter: 10 };
    const vx = await open(
      host(async () => watched(await openMemoryIndexStorage(medium), shoot)),
      config,
    );
    /** Ids that are there after so many steps. */
    const held: number[][] = [[]];
    const step = async (ids: number[], work: Promise<unknown>) => {
      held[done + 1] = ids;
      await work;
      done++;
      await nextTurn();
    };
    const grow = async () => {
      const ids = held[done] as number[];
      await step([...ids, done], vx.add(done, vectorOf(done)));
    };
    while (done < 10) await grow();
    while ((await vx.collectMetrics()).fits_total === 0) await grow();
    const refit = vx.refit();
    while ((await vx.collectMetrics()).fits_total === 1) {
      const [first, ...others] = held[done] as [number, ...number[]];
      await step(others, vx.delete(first));
      await grow();
    }
    await refit;
    await vx.close();

    const spread = photos.filter((_, at) => at % Math.ceil(photos.length / 40) === 0);
    for (const photo of [...spread, ...photos.slice(-1)]) {
      const again = await open(
        host(() => openMemoryIndexStorage(photo.medium)),
        config,
      );
      const { total, records } = await again.list(0, 1000);
      const ids = records.map(({ id }) => Number(id)).sort((a, b) => a - b);
      // What was under way may be there.
      const possible = [held[photo.done], held[photo.done + 1]].map((one) => one?.join());
      expect(possible).toContain(ids.join());
      if (total >= config.fitAfter) await reduced(again);
      await expectSame(again, await oracleOf(again, ids), { query, k: 50 });
      await again.close();
    }
  });
});

describe("a reduced index on its medium", () => {
  it("is copied with its model, and backed up from memory alone", async () => {
    const disk = new MemoryDisk();
    const vx = await open(inlineHost(disk), reducing);
    const ids = idsFrom(0, 60);
    await addAll(vx, ids);
    await fitted(vx);
    const before = await seen(vx, ids);
    await vx.save("disk/copy");
    await vx.backup("disk/backups/memory.zip");
    await vx.close();
    const copy = await open(inlineHost(disk), { ...stored, storagePath: "disk/copy" });
    expect(await seen(copy, ids)).toEqual(before);
    await copy.close();
    const restored = await open(inlineHost(disk), reducing);
    await restored.restore("disk/backups/memory.zip");
    expect(await seen(restored, ids)).toEqual(before);
    await restored.close();
  });

  it("tells of a fit that could not be stored, searches as before, and fits when it is asked again", async () => {
    const faults = new Faults();
    const medium = new MemoryMedium();
    const host = inlineHost({
      openStorage: async () => failing(await openMemoryIndexStorage(medium), faults),
      locateArchive: Promise.reject,
    });
    const vx = await open(host, stored);
    const ids = idsFrom(0, FIT_AFTER);
    await addAll(vx, ids);
    faults.freeBytes = 0;
    await expect
      .poll(async () => (await vx.healthCheck()).failures)
      .toMatchObject([{ task: "fit", code: "storage_full" }]);
    await expectSame(vx, await oracleOf(vx, ids), { query, k: 10 });
    await expect(vx.refit()).rejects.toMatchObject({ code: "storage_full" });
    faults.freeBytes = Number.POSITIVE_INFINITY;
    await vx.add(FIT_AFTER, vectorOf(FIT_AFTER));
    expect((await vx.collectMetrics()).reduced_dimension).toBe(0);
    await vx.refit();
    expect(await vx.healthCheck()).toMatchObject({ status: "ok" });
    await expectSame(vx, await oracleOf(vx, idsFrom(0, FIT_AFTER + 1)), { query, k: 10 });
    await vx.close();
  });

  it.each([
    ["no reduction", { enableDimReduction: false }, "reduces vectors"],
    ["another method", { dimReductionMethod: "umap" }, "method pca, not umap"],
    ["another target", { dimReductionTarget: 2 }, "target 3, not 2"],
    ["an adaptive one", { dimReductionAdaptive: true }, "adaptive false, not true"],
    ["another variance", { dimReductionMinVariance: 0.5 }, "not 0.5"],
    ["another time", { fitAfter: 41 }, "fitAfter 40, not 41"],
  ])("refuses an opener who asks for %s", async (_, asked, message) => {
    const host = inlineHost(new MemoryDisk());
    await (await open(host, stored)).close();
    await expect(open(host, { ...stored, ...asked })).rejects.toMatchObject({
      code: "invalid_request",
      message: expect.stringContaining(message),
    });
    const same = { dimReductionMethod: "Pca", dimReductionMinVariance: 0.95, fitAfter: FIT_AFTER };
    await (await open(host, { ...stored, ...same })).close();
  });

  it("is not made of one that was stored without reduction, nor restored into one", async () => {
    const disk = new MemoryDisk();
    const host = inlineHost(disk);
    const plain = { dimension: DIMENSION, distance: "l2", storagePath: "disk/index" } as const;
    const vx = await open(host, plain);
    await vx.backup("disk/backups/plain.zip");
    await vx.close();
    await expect(open(host, stored)).rejects.toMatchObject({ code: "invalid_request" });
    const other = await open(host, { ...stored, storagePath: "disk/other" });
    await expect(other.restore("disk/backups/plain.zip")).rejects.toMatchObject({ code: "invalid_request" });
    await other.close();
  });

  it("refuses a target beyond the default dimension before anything is made", async () => {
    const host = inlineHost(new MemoryDisk());
    const config = { storagePath: "disk/index", enableDimReduction: true, dimReductionTarget: 385 };
    await expect(open(host, config)).rejects.toMatchObject({ code: "invalid_request" });
    await expect(open(host, config, { create: false })).rejects.toMatchObject({ code: "not_found" });
  });
});
