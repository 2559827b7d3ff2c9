/** An index that reduces its vectors, against the exact twin in the space that it searches. */
import { describe, expect, it, vi } from "vitest";
import { DimensionMismatchError, VxError } from "../../../src/vx/errors.ts";
import { HnswGraph } from "../../../src/vx/hnsw/hnsw-graph.ts";
import { MetadataIndex } from "../../../src/vx/metadata/metadata-index.ts";
import { nextTurn } from "../../../src/vx/turns.ts";
import type { Vx } from "../../../src/vx/vx.ts";
import { deferred } from "../../deferred.ts";
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
  sameRanking,
  TARGET,
  vectorOf,
} from "./reduced-index.ts";

const host = inlineHost(new MemoryDisk());
const query = vectorOf(1000.5);

describe("an index that reduces vectors", () => {
  it("searches exactly in the original space until enough vectors are there", async () => {
    const vx = await open(host, reducing);
    const ids = idsFrom(0, FIT_AFTER - 1);
    for (const id of ids) await vx.add(id, vectorOf(id));
    await expectSame(vx, await oracleOf(vx, ids), { query, k: ids.length });
    expect(await vx.collectMetrics()).toMatchObject({ reduced_dimension: 0, fit_progress: 0, fits_total: 0 });
    expect(await vx.reduceVectors([])).toEqual([]);
    await expect(vx.reduceVectors([query])).rejects.toMatchObject({
      code: "conflict",
      message: `Vectors are reduced once ${FIT_AFTER} are there to fit a model to: there are ${ids.length}`,
    });
    await vx.close();
  });

  it("searches exactly also among thousands that wait for a model, with a filter too", async () => {
    const walks = [vi.spyOn(HnswGraph.prototype, "search"), vi.spyOn(HnswGraph.prototype, "searchNegatives")];
    const vx = await open(host, { ...reducing, fitAfter: 10_000 });
    const ids = idsFrom(0, 3000);
    await addAll(vx, ids);
    const oracle = await oracleOf(vx, ids);
    await expectSame(vx, oracle, { query, k: 100 });
    for (const id of idsFrom(0, 20)) await expectSame(vx, oracle, { query: vectorOf(150 * id + 0.5) });
    const odd = oracle.search(query, ({ metadata }) => metadata.parity === "odd").slice(0, 50);
    sameRanking(await vx.searchWithFilter(query, 50, "parity = 'odd'"), odd);
    const negatives = [vectorOf(3), vectorOf(4)];
    const scored = oracle.searchWithNegatives(query, negatives).slice(0, 50);
    sameRanking(await vx.searchWithNegatives(query, negatives, 50), scored);
    for (const walk of walks) expect(walk).not.toHaveBeenCalled();
    await vx.close();
  });

  it("fits a model once, then finds what the twin finds in the reduced space", async () => {
    const vx = await open(host, reducing);
    const ids = idsFrom(0, FIT_AFTER);
    await addAll(vx, ids);
    await fitted(vx);
    const more = idsFrom(FIT_AFTER, 60);
    await addAll(vx, more);
    await vx.add(5000, vectorOf(5000));
    const oracle = await oracleOf(vx, [...ids, ...more, 5000]);
    for (const at of [0.5, 30.25, 77.75]) await expectSame(vx, oracle, { query: vectorOf(at), k: 12 });
    expect(await vx.search(vectorOf(5000), 1)).toMatchObject([{ id: 5000, distance: 0 }]);
    expect(await vx.collectMetrics()).toMatchObject({
      dimension: DIMENSION,
      reduced_dimension: TARGET,
      fit_progress: 0,
      fits_total: 1,
      vector_count: FIT_AFTER + 61,
    });
    await vx.close();
  });

  it("reduces negatives and several queries likewise", async () => {
    const vx = await open(host, reducing);
    const ids = idsFrom(0, 60);
    await addAll(vx, ids);
    await fitted(vx);
    const oracle = await oracleOf(vx, ids);
    const [positive, ...negatives] = (await vx.reduceVectors([query, vectorOf(3), vectorOf(4)])).map((it) => [
      ...it,
    ]);
    const scored = await vx.searchWithNegatives(query, [vectorOf(3), vectorOf(4)], 10);
    sameRanking(scored, oracle.searchWithNegatives(positive ?? [], negatives).slice(0, 10));
    const [first, second] = await vx.multiVectorSearch([query, vectorOf(7)], 4);
    expect(first).toEqual(await vx.search(query, 4));
    expect(second).toEqual(await vx.search(vectorOf(7), 4));
    await vx.close();
  });

  it("keeps metadata, filters, facets and pages over a fit, and gives vectors back as they were added", async () => {
    const vx = await open(host, reducing);
    await addAll(vx, idsFrom(0, 60));
    await fitted(vx);
    const isEven = ({ metadata }: { metadata: Record<string, unknown> }) => metadata.parity === "even";
    const all = await vx.search(query, 60);
    expect(await vx.searchWithFilter(query, 8, "parity = 'even'")).toEqual(all.filter(isEven).slice(0, 8));
    expect(await vx.facetedSearch(query, 8, { parity: "even" }, 2, 3)).toEqual(
      all.filter(isEven).slice(3, 6),
    );
    expect(await vx.queryMetadata("SELECT count(*) AS n FROM metadata WHERE n < 10")).toEqual([{ n: 10 }]);
    expect((await vx.get(17))?.vector).toEqual(Float32Array.from(vectorOf(17)));
    expect((await vx.get(17))?.metadata).toEqual({ parity: "odd", n: 17 });
    await vx.close();
  });

  it("replaces, deletes and takes ids again after a fit", async () => {
    const vx = await open(host, reducing);
    const ids = idsFrom(0, 60);
    await addAll(vx, ids);
    await fitted(vx);
    for (const id of idsFrom(0, 20)) expect(await vx.delete(id)).toBe(true);
    await vx.add(30, vectorOf(3), { n: "replaced" });
    await vx.add(5, vectorOf(5), { n: "again" });
    expect(await vx.search(vectorOf(3), 1)).toMatchObject([
      { id: 30, distance: 0, metadata: { n: "replaced" } },
    ]);
    expect(await vx.search(vectorOf(5), 1)).toMatchObject([{ id: 5, distance: 0, metadata: { n: "again" } }]);
    expect((await vx.get(30))?.vector).toEqual(Float32Array.from(vectorOf(3)));
    expect(await vx.get(7)).toBeUndefined();
    expect((await vx.search(query, 100)).length).toBe(41);
    await vx.close();
  });

  it("checks vectors against the dimension in which they are added", async () => {
    const vx = await open(host, reducing);
    await addAll(vx, idsFrom(0, 50));
    await fitted(vx);
    const short = vectorOf(1).slice(0, TARGET);
    for (const call of [
      () => vx.add(1, short),
      () => vx.search(short),
      () => vx.reduceVectors([short]),
      () => vx.searchWithNegatives(query, [short]),
    ]) {
      await expect(call()).rejects.toEqual(new DimensionMismatchError(DIMENSION, TARGET));
    }
    await expect(vx.search([...vectorOf(1).slice(1), Number.NaN])).rejects.toMatchObject({
      code: "invalid_vector",
    });
    await vx.close();
  });

  it("keeps, under cosine, a vector that the model takes to the origin", async () => {
    const vx = await open(host, { ...reducing, distance: "cosine" });
    const ids = idsFrom(0, 60);
    await addAll(vx, ids);
    await fitted(vx);
    const mean = vectorOf(0).map((_, at) => ids.reduce((sum, id) => sum + (vectorOf(id)[at] ?? 0), 0) / 60);
    const same = Array.from({ length: DIMENSION }, () => 1);
    await vx.add(100, mean);
    await vx.add(101, same);
    await expectSame(vx, await oracleOf(vx, ids, "cosine"), { query, k: 3 });
    expect(await vx.search(mean, 1)).toMatchObject([{ id: 100 }]);
    await expect(vx.search(Array.from({ length: DIMENSION }, () => 0))).rejects.toMatchObject({
      code: "invalid_vector",
    });
    await vx.close();
  });

  it("keeps an index of equal vectors searchable", async () => {
    const vx = await open(host, { ...reducing, distance: "cosine" });
    await vx.batchAdd(idsFrom(0, 50), Array(50).fill(vectorOf(1)));
    await fitted(vx);
    expect((await vx.search(vectorOf(1), 60)).length).toBe(50);
    expect(await vx.healthCheck()).toMatchObject({ status: "ok" });
    await vx.close();
  });

  it("takes and finds what is added while a model is fitted", async () => {
    const vx = await open(host, { ...reducing, fitAfter: 400 });
    await addAll(vx, idsFrom(0, 400));
    const during: number[] = [];
    while ((await vx.collectMetrics()).fits_total === 0) {
      const id = 1000 + during.length;
      await vx.add(id, vectorOf(id));
      await vx.delete(during.length);
      during.push(id);
      expect(await vx.search(vectorOf(id), 1)).toMatchObject([{ id }]);
      // The engine is in this thread, and nothing above waits for a turn of it.
      await nextTurn();
    }
    expect(during.length).toBeGreaterThan(0);
    const held = [...idsFrom(during.length, Math.max(0, 400 - during.length)), ...during];
    expect((await vx.collectMetrics()).vector_count).toBe(held.length);
    await expectSame(vx, await oracleOf(vx, held), { query, k: 20 });
    await vx.close();
  });

  it("fits another model on demand, to what is there by then", async () => {
    const vx = await open(host, reducing);
    await addAll(vx, idsFrom(0, FIT_AFTER));
    await fitted(vx);
    const before = await vx.reduceVectors([query]);
    const ids = idsFrom(0, 200);
    await addAll(vx, ids);
    expect(await vx.refit()).toEqual({ vectorCount: 200, reducedDimension: TARGET });
    expect(await vx.reduceVectors([query])).not.toEqual(before);
    await expectSame(vx, await oracleOf(vx, ids), { query, k: 20 });
    expect((await vx.get(17))?.vector).toEqual(Float32Array.from(vectorOf(17)));
    expect((await vx.collectMetrics()).fits_total).toBe(2);
    await vx.close();
  });

  it("refits before its time where that is wanted, but never to too few vectors", async () => {
    const vx = await open(host, reducing);
    await addAll(vx, idsFrom(0, 2 * TARGET - 1));
    await expect(vx.refit()).rejects.toMatchObject({ code: "conflict" });
    await addAll(vx, idsFrom(0, 2 * TARGET));
    await Promise.all([vx.refit(), vx.refit()]);
    expect((await vx.collectMetrics()).fits_total).toBe(1);
    await vx.close();
  });

  it("gives up a fit for a restore and a close, and fits what came instead", async () => {
    const config = { ...reducing, storagePath: "disk/given-up" };
    const vx = await open(host, config);
    await addAll(vx, idsFrom(0, FIT_AFTER));
    await fitted(vx);
    await vx.backup("disk/backups/given-up.zip");
    const before = await vx.reduceVectors([query]);
    await addAll(vx, idsFrom(0, 100));
    const refused = expect(vx.refit()).rejects.toMatchObject({ code: "unavailable" });
    await vx.restore("disk/backups/given-up.zip");
    await refused;
    expect(await vx.reduceVectors([query])).toEqual(before);
    expect((await vx.collectMetrics()).fits_total).toBe(1);

    const closing = expect(vx.refit()).rejects.toMatchObject({ code: "unavailable" });
    await vx.close();
    await closing;
    const again = await open(host, config);
    expect(await again.reduceVectors([query])).toEqual(before);
    expect(await again.healthCheck()).toMatchObject({ status: "ok" });
    await again.close();
  });

  /** A host on which the next restores wait to begin, and what lets them go on. */
  function holdingRestores(disk: MemoryDisk) {
    const { promise, resolve: letGo } = deferred<void>();
    const locateArchive = async (path: string) => {
      if (disk.archivesIn("disk/backups").includes(path.slice("disk/backups/".length))) await promise;
      return disk.locateArchive(path);
    };
    return { held: inlineHost({ openStorage: (path) => disk.openStorage(path), locateArchive }), letGo };
  }

  /** Made, the new records of a fit wait until a restore is over to be put into force. */
  async function fitWaits(vx: Vx): Promise<void> {
    await expect.poll(async () => (await vx.collectMetrics()).fit_progress).toBe(1);
  }

  it("is refitted when a restore is over, whatever is left of a fit that was given up for it", async () => {
    const { held, letGo } = holdingRestores(new MemoryDisk());
    const vx = await open(held, reducing);
    await addAll(vx, idsFrom(0, FIT_AFTER - 1));
    await vx.backup("disk/backups/few.zip");
    const restore = vx.restore("disk/backups/few.zip");
    await addAll(vx, idsFrom(0, FIT_AFTER));
    await fitWaits(vx);
    letGo();
    await restore;
    expect(await vx.refit()).toEqual({ vectorCount: FIT_AFTER - 1, reducedDimension: TARGET });
    await vx.close();
  });

  it("gives up no fit for a restore that is refused at once, of another index", async () => {
    const disk = new MemoryDisk();
    const other = await open(inlineHost(disk), { dimension: 2 });
    await other.backup("disk/backups/other.zip");
    await other.close();
    const { held, letGo } = holdingRestores(disk);
    const vx = await open(held, reducing);
    await addAll(vx, idsFrom(0, FIT_AFTER - 1));
    const refused = expect(vx.restore("disk/backups/other.zip")).rejects.toBeInstanceOf(
      DimensionMismatchError,
    );
    const refit = vx.refit();
    await fitWaits(vx);
    letGo();
    await refused;
    expect(await refit).toEqual({ vectorCount: FIT_AFTER - 1, reducedDimension: TARGET });
    await vx.close();
  });

  const full = new VxError("capacity_exceeded", "No memory for more metadata");

  async function refitWithoutMemory(vx: Vx): Promise<void> {
    const taking = vi.spyOn(MetadataIndex.prototype, "setAll").mockImplementationOnce(() => {
      throw full;
    });
    await expect(vx.refit()).rejects.toMatchObject({ code: full.code, message: full.message });
    taking.mockRestore();
  }

  it("tells of a fit that memory has no place for, and goes on as before", async () => {
    const vx = await open(host, reducing);
    const ids = idsFrom(0, FIT_AFTER - 1);
    await addAll(vx, ids);
    await refitWithoutMemory(vx);
    const { failures } = await vx.healthCheck();
    expect(failures).toMatchObject([{ task: "fit", code: full.code, message: full.message }]);
    await expectSame(vx, await oracleOf(vx, ids), { query });
    await vx.close();
  });

  it("fits by itself after a fit that failed once there are twice as many, or others that were restored", async () => {
    const vx = await open(host, reducing);
    await addAll(vx, idsFrom(0, FIT_AFTER - 1));
    await refitWithoutMemory(vx);
    const fitsNothing = (count: number) =>
      expect(vx.reduceVectors([query])).rejects.toThrow(`there are ${count}`);
    await vx.add(FIT_AFTER, vectorOf(FIT_AFTER));
    await fitsNothing(FIT_AFTER);
    await vx.backup("disk/backups/enough.zip");
    await addAll(vx, idsFrom(0, 2 * (FIT_AFTER - 1) - 1));
    await fitsNothing(2 * (FIT_AFTER - 1) - 1);
    await vx.add(-1 + 2 * FIT_AFTER, query);
    await fitted(vx);
    await vx.close();

    const other = await open(host, reducing);
    await addAll(other, idsFrom(0, FIT_AFTER - 1));
    await other.backup("disk/backups/few.zip");
    await refitWithoutMemory(other);
    await other.restore("disk/backups/few.zip");
    expect((await other.healthCheck()).failures).toEqual([]);
    await refitWithoutMemory(other);
    await other.restore("disk/backups/enough.zip");
    const state = await other.reduceVectors([query]).then(() => "it was fitted", String);
    expect(state).toMatch(/it was fitted|it is being fitted/);
    await fitted(other);
    await other.close();
  });

  it.each(["TSNE", "umap"])("reduces by %s too", async (dimReductionMethod) => {
    const vx = await open(host, { ...reducing, dimReductionMethod, dimReductionTarget: 2 });
    const ids = idsFrom(0, 80);
    await addAll(vx, ids);
    await fitted(vx);
    await addAll(vx, idsFrom(80, 10));
    await expectSame(vx, await oracleOf(vx, idsFrom(0, 90)), { query: vectorOf(40), k: 1 });
    expect((await vx.collectMetrics()).reduced_dimension).toBe(2);
    await vx.close();
  });

  it("lets the variance decide on the target", async () => {
    const vx = await open(host, {
      ...reducing,
      dimReductionTarget: DIMENSION,
      dimReductionAdaptive: true,
      dimReductionMinVariance: 0.95,
    });
    await addAll(vx, idsFrom(0, 100));
    await reduced(vx);
    expect((await vx.collectMetrics()).reduced_dimension).toBeLessThanOrEqual(3);
    await vx.close();
  });

  it("lets the variance leave no single number under cosine, which tells no more than its sign", async () => {
    const along = (id: number) => Array.from({ length: DIMENSION }, (_, at) => (id + 1) * (at + 1));
    for (const [distance, expected] of [
      ["cosine", 2],
      ["l2", 1],
    ] as const) {
      const vx = await open(host, { ...reducing, distance, dimReductionAdaptive: true });
      const ids = idsFrom(0, 100);
      await vx.batchAdd(ids, ids.map(along));
      await reduced(vx);
      expect((await vx.collectMetrics()).reduced_dimension).toBe(expected);
      await vx.close();
    }
  });

  it("refuses to reduce and to refit where reduction is off", async () => {
    const vx = await open(host, { dimension: DIMENSION });
    await expect(vx.reduceVectors([])).rejects.toMatchObject({ code: "reduction_disabled" });
    await expect(vx.refit()).rejects.toMatchObject({ code: "reduction_disabled" });
    expect(await vx.describe()).toMatchObject({ reduction: undefined });
    await vx.close();
  });

  it.each([
    { dimReductionMethod: "LDA" },
    { dimReductionTarget: 0 },
    { dimReductionTarget: DIMENSION + 1 },
    { dimension: 4097 },
    { dimReductionMinVariance: 1.01 },
    { dimReductionMinVariance: Number.NaN },
    { fitAfter: 0 },
  ])("refuses the settings %o", async (wrong) => {
    await expect(async () => open(host, { ...reducing, ...wrong })).rejects.toMatchObject({
      code: "invalid_request",
    });
  });
});
