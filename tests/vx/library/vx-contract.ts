/** What Vx promises, whatever runs its engine: one suite for an engine inline and one in a worker. */
import { describe, expect, it } from "vitest";
import type { Config } from "../../../src/vx/config.ts";
import { DimensionMismatchError, InvalidIDError, VxError } from "../../../src/vx/errors.ts";
import { metadataText } from "../../../src/vx/results.ts";
import { type OpenOptions, Vx, type VxHost } from "../../../src/vx/vx.ts";

import {
  addAll,
  expectSame,
  FIT_AFTER,
  fitted,
  idsFrom,
  oracleOf,
  reducing,
  TARGET,
  vectorOf,
} from "./reduced-index.ts";

export interface VxUnderTest {
  host: VxHost;
  /** A path where nothing is yet. */
  newPath(): Promise<string>;
}

function opener({ host }: VxUnderTest) {
  const open = async (config: Config, options?: OpenOptions) => {
    const vx = new Vx(config, host, options);
    await vx.ready();
    return vx;
  };
  const inMemory = () => open({ dimension: 3, distance: "l2" });
  /** Ids 1 to 6 along an axis, at those distances from the origin; odd ones are red. */
  const onAnAxis = async (config: Config = {}) => {
    const vx = await open({ dimension: 3, distance: "l2", ...config });
    const ids = [1, 2, 3, 4, 5, 6];
    const colours = ids.map((id) => ({ colour: id % 2 === 1 ? "red" : "blue", tags: [`t${id % 3}`] }));
    await vx.batchAdd(
      ids,
      ids.map((id) => [id, 0, 0]),
      colours,
    );
    return vx;
  };
  return { open, inMemory, onAnAxis };
}

const idsOf = (results: { id: number | bigint }[]) => results.map(({ id }) => id);
const origin = [0, 0, 0];

export function vxContract(name: string, underTest: VxUnderTest): void {
  const { open, inMemory, onAnAxis } = opener(underTest);

  describe(`Vx, ${name}`, () => {
    it("finds what was added at once, with distance and metadata", async () => {
      const vx = await inMemory();
      await vx.add(7, [3, 4, 0], { topic: "shells" });
      expect(await vx.search(origin)).toEqual([{ id: 7, distance: 5, metadata: { topic: "shells" } }]);
      await vx.add(7, [0, 0, 2]);
      expect(await vx.search(origin)).toEqual([{ id: 7, distance: 2, metadata: {} }]);
      await vx.close();
    });

    it("keeps ids up to 2^64 - 1 and gives numbers where they are exact", async () => {
      const vx = await inMemory();
      const largest = 2n ** 64n - 1n;
      await vx.batchAdd([0, 2 ** 53 - 1, largest], [origin, [1, 0, 0], [2, 0, 0]]);
      expect(idsOf(await vx.search(origin))).toEqual([0, 2 ** 53 - 1, largest]);
      expect((await vx.get(largest))?.vector).toEqual(Float32Array.of(2, 0, 0));
      await vx.close();
    });

    it("keeps metadata to the letter", async () => {
      const vx = await inMemory();
      const text = '{"b":1, "a": 12345678901234567890, "1":"é\\u00e9"}';
      await vx.add(1, origin, text);
      const [result] = await vx.search(origin);
      expect(metadataText(result?.metadata ?? {})).toBe(text);
      expect(result?.metadata).toEqual(JSON.parse(text));
      await vx.close();
    });

    it("parses no metadata for who passes its text on", async () => {
      const vx = await open({ dimension: 3, distance: "l2" }, { passesTexts: true });
      const text = '{"a": 1.0}';
      await vx.batchAdd([1, 2], [origin, [1, 0, 0]], [text, undefined]);
      const answers = [
        vx.search(origin),
        vx.searchWithFilter(origin, 2, "id > 0"),
        vx.facetedSearch(origin, 2, {}),
        vx.searchWithNegatives(origin, []),
        vx.multiVectorSearch([origin]).then(([results = []]) => results),
        vx.list().then(({ records }) => records),
        Promise.all([vx.get(1), vx.get(2)]).then((records) =>
          records.filter((record) => record !== undefined),
        ),
      ];
      for (const found of await Promise.all(answers)) {
        expect(found.map(({ metadata }) => metadata)).toEqual([{}, {}]);
        expect(found.map(({ metadata }) => metadataText(metadata))).toEqual([text, "{}"]);
      }
      await vx.close();
    });

    it("slices the ranking into pages from 1 on", async () => {
      const vx = await onAnAxis();
      expect(idsOf(await vx.search(origin, 5))).toEqual([1, 2, 3, 4, 5]);
      expect(idsOf(await vx.search(origin, 5, 2, 2))).toEqual([3, 4]);
      expect(idsOf(await vx.search(origin, 5, 3, 2))).toEqual([5]);
      expect(idsOf(await vx.search(origin, 5, 4, 2))).toEqual([]);
      expect(idsOf(await vx.search(origin, 5, 1e9, 1e9))).toEqual([]);
      await vx.close();
    });

    it("narrows by filter, by facets and by both arrays and values", async () => {
      const vx = await onAnAxis();
      expect(idsOf(await vx.searchWithFilter(origin, 2, "colour = 'blue'"))).toEqual([2, 4]);
      expect(idsOf(await vx.searchWithFilter(origin, 3, "WHERE id > 3", 1, 2))).toEqual([4, 5]);
      expect(idsOf(await vx.facetedSearch(origin, 9, { colour: "red", tags: "t1" }))).toEqual([1]);
      await vx.close();
    });

    it("ranks away from negatives, over the whole index", async () => {
      const vx = await onAnAxis();
      const results = await vx.searchWithNegatives([3, 0, 0], [[2, 0, 0]], 6);
      const score = (id: number) => 1 / (1 + Math.abs(id - 3)) - 0.5 / (1 + Math.abs(id - 2));
      const expected = [1, 2, 3, 4, 5, 6].sort((a, b) => score(b) - score(a));
      expect(idsOf(results)).toEqual(expected);
      expect(results[0]?.score).toBeCloseTo(score(3), 5);
      expect(results[0]?.distance).toBe(0);
      expect(idsOf(await vx.searchWithNegatives(origin, [], 2))).toEqual([1, 2]);
      await vx.close();
    });

    it("answers several queries, each with its list", async () => {
      const vx = await onAnAxis();
      const lists = await vx.multiVectorSearch([origin, [9, 0, 0]], 2);
      expect(lists.map(idsOf)).toEqual([
        [1, 2],
        [6, 5],
      ]);
      await vx.close();
    });

    it("answers SQL over metadata", async () => {
      const vx = await onAnAxis();
      const rows = await vx.queryMetadata(
        "SELECT colour, count(*) AS n FROM metadata GROUP BY colour ORDER BY 1",
      );
      expect(rows).toEqual([
        { colour: "blue", n: 3 },
        { colour: "red", n: 3 },
      ]);
      expect(rows.truncated).toBe(false);
      await vx.close();
    });

    it("tells whether there are more rows than a query gives", async () => {
      const vx = await inMemory();
      await vx.add(1, origin, { numbers: Array.from({ length: 10_001 }, (_, n) => n) });
      const numbers = "SELECT n.value FROM metadata, json_each(numbers) n";
      const some = await vx.queryMetadata(numbers);
      expect([some.length, some.truncated]).toEqual([10_000, true]);
      const all = await vx.queryMetadata(`${numbers} WHERE n.value > 0`);
      expect([all.length, all.truncated]).toEqual([10_000, false]);
      await vx.close();
    });

    it("lists and deletes", async () => {
      const vx = await onAnAxis();
      expect(await vx.delete(3)).toBe(true);
      expect(await vx.delete(3)).toBe(false);
      expect(await vx.get(3)).toBeUndefined();
      const { total, records } = await vx.list(1, 2);
      expect(total).toBe(5);
      expect(idsOf(records)).toEqual([2, 4]);
      expect(records[0]?.metadata).toEqual({ colour: "blue", tags: ["t2"] });
      expect((await vx.list()).records).toHaveLength(5);
      for (const [offset, limit] of [
        [-1, 1],
        [0, 0],
        [0, 1001],
      ]) {
        await expect(vx.list(offset, limit)).rejects.toMatchObject({ code: "invalid_request" });
      }
      await vx.close();
    });

    it("reads one vector of a batch a turn, where it is told how turns are taken", async () => {
      const vx = await inMemory();
      const ids = [1, 2, 3, 4];
      const readInTurn: number[] = [];
      let read = 0;
      const vectors = ids.map((id) => ({
        length: 3,
        0: id,
        1: 0,
        get 2() {
          read += 1;
          return 0;
        },
      }));
      await vx.batchAdd(ids, vectors, undefined, async (turns) => {
        for (;;) {
          const next = turns.next();
          readInTurn.push(read);
          read = 0;
          if (next.done) return next.value;
        }
      });
      expect(readInTurn).toEqual([2, 2, 2, 2, 0]);
      expect(idsOf(await vx.search(origin))).toEqual(ids);
    });

    it("refuses a whole batch for one bad record", async () => {
      const vx = await inMemory();
      const refused: [ids: number[], vectors: unknown[][], metadata: unknown[], code: string][] = [
        [[1, -1], [origin, origin], [], "invalid_id"],
        [[1, 1.5], [origin, origin], [], "invalid_id"],
        [[1, 2], [origin, [0, 0]], [], "dimension_mismatch"],
        [[1, 2], [origin, [0, 0, Number.NaN]], [], "invalid_vector"],
        [[1, 2], [origin, [0, 0, 1e38 * 10]], [], "invalid_vector"],
        [[1, 2], [origin, [0, 0, "1"]], [], "invalid_vector"],
        [[1, 2], [origin, [0, 0, null]], [], "invalid_vector"],
        [[1, 2], [origin, origin], [{}, []], "invalid_request"],
        [[1, 2], [origin, origin], [{}, new Map([["a", 1]])], "invalid_request"],
        [[1, 2], [origin, origin], [{}, JSON.parse('{"__proto__":1}')], "invalid_request"],
        [[1, 2], [origin, origin], [{}, "{"], "invalid_request"],
        [[1, 2], [origin], [], "invalid_request"],
      ];
      for (const [ids, vectors, metadata, code] of refused) {
        const adding = vx.batchAdd(
          ids,
          vectors as number[][],
          metadata.length > 0 ? (metadata as []) : undefined,
        );
        const refusal: VxError = await adding.then(
          () => expect.unreachable(),
          (error: VxError) => error,
        );
        expect(refusal.code).toBe(code);
        const isOfRecord = vectors.length === 2 && code !== "dimension_mismatch";
        expect(refusal.message.startsWith("vectors[1]: "), refusal.message).toBe(isOfRecord);
        if (code !== "dimension_mismatch") continue;
        expect(refusal.message).toBe("Vector dimension mismatch: expected 3, got 2 (vectors[1], id 2)");
      }
      expect((await vx.collectMetrics()).vector_count).toBe(0);
      await vx.close();
    });

    it("refuses k, pages, ids and vectors out of range", async () => {
      const vx = await onAnAxis();
      for (const k of [0, -1, 1.5, 1e9, Number.NaN, "3" as never]) {
        await expect(vx.search(origin, k)).rejects.toMatchObject({ code: "invalid_request" });
      }
      for (const page of [0, -1, 1.5]) {
        await expect(vx.search(origin, 3, page, 1)).rejects.toMatchObject({ code: "invalid_request" });
        await expect(vx.search(origin, 3, 1, page)).rejects.toMatchObject({ code: "invalid_request" });
      }
      for (const id of [-1, 1.5, 2 ** 53, "1" as never, 2n ** 64n]) {
        await expect(vx.get(id)).rejects.toBeInstanceOf(InvalidIDError);
      }
      for (const wrong of [undefined, 7, "abc", {}, [origin, 1]] as never[]) {
        for (const search of [
          () => vx.multiVectorSearch(wrong, 3),
          () => vx.searchWithNegatives(origin, wrong),
        ]) {
          await expect(search()).rejects.toMatchObject({
            code: expect.stringMatching(/^invalid_(request|vector)$/),
          });
        }
      }
      const noFacets = [undefined, [], new Map([["colour", "red"]]), { a: null }, { a: () => 1 }];
      for (const wrong of noFacets as never[]) {
        await expect(vx.facetedSearch(origin, 3, wrong)).rejects.toMatchObject({ code: "invalid_request" });
      }
      await expect(vx.multiVectorSearch(Array(1001).fill(origin), 1000)).rejects.toMatchObject({
        code: "invalid_request",
      });
      await expect(vx.search([0, Number.NaN, 0])).rejects.toMatchObject({ code: "invalid_vector" });
      await expect(vx.searchWithFilter(origin, 3, "1; DROP TABLE metadata")).rejects.toMatchObject({
        code: "invalid_query",
      });
      await vx.close();
    });

    it("tells errors by class, name and code", async () => {
      const vx = await inMemory();
      const mismatch = await vx.add(1, [1, 2]).catch((error: unknown) => error);
      expect(mismatch).toBeInstanceOf(DimensionMismatchError);
      expect(mismatch).toMatchObject({
        name: "DimensionMismatchError",
        code: "dimension_mismatch",
        message: "Vector dimension mismatch: expected 3, got 2",
      });
      const query = await vx.queryMetadata("DELETE FROM metadata").catch((error: unknown) => error);
      expect(query).toBeInstanceOf(VxError);
      expect(query).toMatchObject({ name: "VxError", code: "invalid_query" });
      await vx.close();
    });

    it("refuses a zero vector under cosine", async () => {
      const vx = await open({ dimension: 3 });
      await expect(vx.add(1, origin)).rejects.toMatchObject({ code: "invalid_vector" });
      await vx.add(1, [1, 0, 0]);
      await expect(vx.search(origin)).rejects.toMatchObject({ code: "invalid_vector" });
      expect((await vx.search([0, 1, 0]))[0]?.distance).toBeCloseTo(1, 6);
      await vx.close();
    });

    it("holds maxElements vectors, and replaces when full", async () => {
      const vx = await open({ dimension: 3, distance: "l2", maxElements: 2 });
      await vx.add(1, origin);
      await expect(vx.batchAdd([2, 3], [origin, origin])).rejects.toMatchObject({
        code: "capacity_exceeded",
      });
      await vx.batchAdd([1, 2], [origin, origin]);
      await expect(vx.add(3, origin)).rejects.toMatchObject({ code: "capacity_exceeded" });
      await vx.delete(1);
      await vx.add(3, origin);
      expect((await vx.collectMetrics()).vector_count).toBe(2);
      await vx.close();
    });

    it("makes changes in the order of their calls, with what these were given", async () => {
      const vx = await inMemory();
      // Checking it takes longer than a turn.
      const long = { text: "x".repeat(4_000_000) };
      const ids = [1, 2, 3];
      const vector = [7, 0, 0];
      const calls = [
        vx.batchAdd(
          ids,
          ids.map(() => origin),
          ids.map(() => long),
        ),
        vx.delete(1),
        vx.add(2, vector),
      ];
      vector[0] = 8;
      expect(await Promise.all(calls)).toEqual([undefined, true, undefined]);
      expect(await vx.get(1)).toBeUndefined();
      expect(await vx.get(2)).toEqual({ id: 2, vector: Float32Array.of(7, 0, 0), metadata: {} });
      await vx.close();
    });

    it("refuses calls once closed", async () => {
      const vx = await inMemory();
      await vx.close();
      await vx.close();
      await expect(vx.search(origin)).rejects.toMatchObject({ code: "unavailable" });
    });
  });

  vxStorageContract(name, underTest);
}

/** The part of it that depends on the medium. */
export function vxStorageContract(name: string, underTest: VxUnderTest): void {
  const { open, inMemory, onAnAxis } = opener(underTest);
  const { newPath } = underTest;

  describe(`Vx stored, ${name}`, () => {
    it("has everything again after a restart", async () => {
      const storagePath = await newPath();
      const vx = await onAnAxis({ storagePath });
      await vx.delete(2);
      await vx.save();
      await vx.add(9, [0, 9, 0], { late: true });
      const before = await vx.search(origin, 10);
      await vx.close();
      const again = await open({ storagePath }, { create: false });
      expect(await again.search(origin, 10)).toEqual(before);
      expect(await again.describe()).toMatchObject({ dimension: 3, distance: "l2" });
      expect(idsOf(await again.searchWithFilter(origin, 10, "late"))).toEqual([9]);
      await again.close();
    });

    it("closes behind the calls that came before", async () => {
      const storagePath = await newPath();
      const vx = new Vx({ storagePath, dimension: 3, distance: "l2" }, underTest.host);
      const adding = vx.add(1, origin);
      await vx.close();
      await adding;
      const again = await open({ storagePath });
      expect((await again.collectMetrics()).vector_count).toBe(1);
      await again.close();
    });

    it("refuses to open what is not there, is open, or is of another kind", async () => {
      const storagePath = await newPath();
      await expect(open({ storagePath }, { create: false })).rejects.toMatchObject({ code: "not_found" });
      const vx = await onAnAxis({ storagePath });
      await expect(open({ storagePath })).rejects.toMatchObject({ code: "conflict" });
      await vx.close();
      await expect(open({ storagePath, dimension: 4 })).rejects.toBeInstanceOf(DimensionMismatchError);
      await expect(open({ storagePath, distance: "cosine" })).rejects.toMatchObject({
        code: "invalid_request",
      });
      await (await open({ storagePath, dimension: 3 })).close();
    });

    it("backs up and restores, in place of all that came later", async () => {
      const folder = await newPath();
      const vx = await onAnAxis({ storagePath: `${folder}/index` });
      const full = await vx.backup(`${folder}/backups/full.zip`);
      expect(full).toMatchObject({ path: `${folder}/backups/full.zip`, incremental: false });
      expect(full.sizeBytes).toBeGreaterThan(0);
      await vx.add(7, [7, 0, 0], { colour: "green" });
      const incremental = await vx.backup(`${folder}/backups/later.zip`, true);
      expect(incremental.incremental).toBe(true);
      await vx.delete(1);
      expect(await vx.restore(full.path)).toMatchObject({ vectorCount: 6, timestamp: full.timestamp });
      expect(idsOf(await vx.search(origin, 10))).toEqual([1, 2, 3, 4, 5, 6]);
      expect(await vx.restore(incremental.path)).toMatchObject({ vectorCount: 7 });
      await vx.add(8, [8, 0, 0]);
      await vx.close();
      const again = await open({ storagePath: `${folder}/index` });
      expect(idsOf(await again.search(origin, 10))).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
      expect(idsOf(await again.searchWithFilter(origin, 10, "colour = 'green'"))).toEqual([7]);
      await again.close();
    });

    it("tells of the links that a restored backup has", async () => {
      const folder = await newPath();
      const other = await onAnAxis({ hnswM: 4 });
      const { path } = await other.backup(`${folder}/backups/links.zip`);
      await other.close();
      const vx = await onAnAxis({ storagePath: `${folder}/index` });
      expect((await vx.describe()).hnswM).toBe(16);
      await vx.restore(path);
      expect((await vx.describe()).hnswM).toBe(4);
      await vx.close();
    });

    it("stays as it is when a restore fails", async () => {
      const folder = await newPath();
      const vx = await onAnAxis({ storagePath: `${folder}/index` });
      await expect(vx.restore(`${folder}/backups/none.zip`)).rejects.toMatchObject({
        code: "backup_not_found",
      });
      const other = await open({ dimension: 2, distance: "l2" });
      const { path } = await other.backup(`${folder}/backups/other.zip`);
      await other.close();
      await expect(vx.restore(path)).rejects.toBeInstanceOf(DimensionMismatchError);
      expect(idsOf(await vx.search(origin, 10))).toEqual([1, 2, 3, 4, 5, 6]);
      await vx.close();
    });

    it("saves an index in memory to a folder, and backs it up", async () => {
      const folder = await newPath();
      const vx = await onAnAxis();
      await expect(vx.save()).rejects.toMatchObject({ code: "invalid_request" });
      await vx.save(`${folder}/saved`);
      const { path } = await vx.backup(`${folder}/backups/memory.zip`);
      const results = await vx.search(origin, 10);
      await vx.close();
      const saved = await open({ storagePath: `${folder}/saved` }, { create: false });
      expect(await saved.search(origin, 10)).toEqual(results);
      await saved.close();
      const restored = await inMemory();
      expect(await restored.restore(path)).toMatchObject({ vectorCount: 6 });
      expect(await restored.search(origin, 10)).toEqual(results);
      await restored.close();
    });

    it("reduces vectors by a model that is there after a restart", async () => {
      const storagePath = await newPath();
      const vx = await open({ ...reducing, storagePath });
      const ids = idsFrom(0, FIT_AFTER);
      await addAll(vx, ids);
      await fitted(vx);
      await vx.add(1000, vectorOf(1000));
      const oracle = await oracleOf(vx, [...ids, 1000]);
      await expectSame(vx, oracle, { query: vectorOf(20.5) });
      const places = await vx.reduceVectors(ids.map(vectorOf));
      expect(places.map(({ length }) => length)).toEqual(ids.map(() => TARGET));
      expect(await vx.describe()).toMatchObject({ reduction: { method: "pca", target: TARGET } });
      await vx.close();
      const again = await open({ storagePath }, { create: false });
      expect(await again.reduceVectors(ids.map(vectorOf))).toEqual(places);
      await expectSame(again, oracle, { query: vectorOf(20.5) });
      expect((await again.get(1000))?.vector).toEqual(Float32Array.from(vectorOf(1000)));
      expect(await again.refit()).toEqual({ vectorCount: FIT_AFTER + 1, reducedDimension: TARGET });
      await again.close();
    });

    it("opens an encrypted index with its key alone", async () => {
      const storagePath = await newPath();
      const encryptionKey = "k".repeat(32);
      const vx = await onAnAxis({ storagePath, encryptionEnabled: true, encryptionKey });
      await vx.close();
      const wrong = { storagePath, encryptionEnabled: true, encryptionKey: "K".repeat(32) };
      await expect(open(wrong)).rejects.toMatchObject({ code: "encryption_key_invalid" });
      const again = await open({ ...wrong, encryptionKey });
      expect((await again.describe()).encrypted).toBe(true);
      await again.close();
    });
  });
}
