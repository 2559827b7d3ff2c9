/** Calls that come before the index is open, arguments that change after a call, and what is no text. */
import { expect, onTestFinished, test } from "vitest";
import { Vx } from "../../../src/vx/vx.ts";
import { inlineHost, MemoryDisk } from "./memory-disk.ts";

const config = { dimension: 3, distance: "l2", storagePath: "index" } as const;
const origin = [0, 0, 0];

/** An index of two records that is closed, and how it is opened. */
async function stored(): Promise<() => Vx> {
  const host = inlineHost(new MemoryDisk());
  const vx = new Vx(config, host);
  await vx.batchAdd([1, 2], [origin, [1, 0, 0]], [{ a: 1 }, { a: 2 }]);
  await vx.close();
  return () => {
    const again = new Vx(config, host);
    onTestFinished(() => again.close());
    return again;
  };
}

test.each<[method: string, call: (vx: Vx) => Promise<unknown>, answer: object | boolean | undefined]>([
  ["ready", (vx) => vx.ready(), undefined],
  ["describe", (vx) => vx.describe(), { dimension: 3, distance: "l2" }],
  ["add", (vx) => vx.add(3, origin), undefined],
  ["batchAdd", (vx) => vx.batchAdd([3], [origin]), undefined],
  ["get", (vx) => vx.get(1), { id: 1 }],
  ["delete", (vx) => vx.delete(1), true],
  ["list", (vx) => vx.list(), { total: 2 }],
  ["search", (vx) => vx.search(origin), [{ id: 1 }, { id: 2 }]],
  ["searchWithFilter", (vx) => vx.searchWithFilter(origin, 2, "a = 2"), [{ id: 2 }]],
  ["facetedSearch", (vx) => vx.facetedSearch(origin, 2, { a: 2 }), [{ id: 2 }]],
  ["searchWithNegatives", (vx) => vx.searchWithNegatives(origin, []), [{ id: 1 }, { id: 2 }]],
  ["multiVectorSearch", (vx) => vx.multiVectorSearch([origin], 1), [[{ id: 1 }]]],
  ["queryMetadata", (vx) => vx.queryMetadata("SELECT a FROM metadata"), [{ a: 1 }, { a: 2 }]],
  ["save", (vx) => vx.save(), undefined],
  ["backup", (vx) => vx.backup("folder/one.zip"), { path: "folder/one.zip" }],
  ["backup without a path", (vx) => vx.backup(), { incremental: false }],
  ["healthCheck", (vx) => vx.healthCheck(), { vectorCount: 2 }],
  ["collectMetrics", (vx) => vx.collectMetrics(), { vector_count: 2 }],
])("%s waits until the index is open", async (_method, call, answer) => {
  const open = await stored();
  const got = await call(open());
  if (typeof answer === "object") expect(got).toMatchObject(answer);
  else expect(got).toBe(answer);
});

test.each<[method: string, call: (vx: Vx) => Promise<unknown>]>([
  ["reduceVectors", (vx) => vx.reduceVectors([])],
  ["refit", (vx) => vx.refit()],
  ["restore", (vx) => vx.restore("folder/none.zip")],
])("%s is refused by the index, once that is open", async (_method, call) => {
  const open = await stored();
  await expect(call(open())).rejects.toMatchObject({
    code: expect.stringMatching(/^(reduction_disabled|backup_not_found)$/),
  });
});

test("searches take their vectors as they are when they are called", async () => {
  const open = await stored();
  const vx = open();
  await vx.ready();
  const vector = [0, 0, 0];
  const searches = [
    vx.search(vector, 1),
    vx.searchWithFilter(vector, 1, "a > 0"),
    vx.facetedSearch(vector, 1, {}),
    vx.searchWithNegatives(vector, [], 1),
    vx.multiVectorSearch([vector], 1).then(([first]) => first),
  ];
  vector[0] = 1;
  for (const found of await Promise.all(searches)) expect(found).toMatchObject([{ id: 1 }]);
});

test.each<[what: string, call: (vx: Vx, wrong: never) => Promise<unknown>]>([
  ["The filter", (vx, wrong) => vx.searchWithFilter(origin, 1, wrong)],
  ["The query", (vx, wrong) => vx.queryMetadata(wrong)],
  ["The path", (vx, wrong) => vx.save(wrong)],
  ["The path", (vx, wrong) => vx.backup(wrong)],
  ["The path", (vx, wrong) => vx.restore(wrong)],
])("%s must be a text", async (what, call) => {
  const open = await stored();
  const vx = open();
  for (const wrong of [7, null, ["a"]] as never[]) {
    await expect(call(vx, wrong)).rejects.toMatchObject({
      code: "invalid_request",
      message: `${what} must be a string`,
    });
  }
});

test("many queries find a million results together, and no more", async () => {
  const open = await stored();
  const vx = open();
  const found = await vx.multiVectorSearch(Array(100).fill(origin), 10_000);
  expect(found.map(({ length }) => length)).toEqual(Array(100).fill(2));
  await expect(vx.multiVectorSearch(Array(101).fill(origin), 10_000)).rejects.toMatchObject({
    code: "invalid_request",
  });
});

test("a backup is full, and a listing has a hundred records, where nothing else is said", async () => {
  const open = await stored();
  const vx = open();
  const ids = Array.from({ length: 101 }, (_, id) => id);
  await vx.batchAdd(
    ids,
    ids.map(() => origin),
  );
  await vx.backup("folder/one.zip");
  expect(await vx.backup("folder/two.zip")).toMatchObject({ incremental: false });
  const { total, records } = await vx.list();
  expect([total, records.length]).toEqual([101, 100]);
});
