/** The typed client of the index against the app in this process. */
import { Table, tableToIPC, vectorFromArray } from "apache-arrow";
import { describe, expect, it, onTestFinished } from "vitest";
import type { VxIndex } from "../../../src/api/vx/ports.ts";
import { Client } from "../../../src/client/vx-client.ts";
import { DimensionMismatchError, InvalidIDError, VxError } from "../../../src/client/vx-error.ts";
import { vectorSchema } from "../../../src/vx/arrow/read-arrow.ts";
import type { Config } from "../../../src/vx/config.ts";
import { allRejected } from "../../all-rejected.ts";
import { BASE_URL, KEY, openInProcess } from "../in-process.ts";
import { openVx } from "../open-vx.ts";

async function openClient(apiKey = KEY, config?: Config): Promise<Client> {
  const vx = await openVx(config);
  onTestFinished(() => vx.close());
  const { app } = openInProcess({ vx });
  return new Client(`${BASE_URL}/`, {
    apiKey,
    fetch: (request) => app.fetch(request, { address: "127.0.0.1" }),
  });
}

async function openFilled(): Promise<Client> {
  const client = await openClient();
  await client.add(1, [1, 0, 0], { category: "science", tags: ["a", "b"] });
  await client.batchAdd([
    { id: 2, vector: Float32Array.of(1, 1, 0), metadata: { category: "arts" } },
    { id: 3, vector: [0, 1, 0] },
  ]);
  return client;
}

const ids = (results: { id: number }[]) => results.map(({ id }) => id);

describe("Client", () => {
  it("throws VxError for an answer that is no JSON object", async () => {
    const client = new Client(BASE_URL, { fetch: async () => new Response("<html>") });
    const refusal = {
      name: "VxError",
      status: 200,
      code: "bad_answer",
      message: expect.stringContaining("<html>"),
    };
    await allRejected([client.search([1]), client.get(1), client.metrics(), client.add(1, [1])], refusal);
  });

  it.each([
    [404, "Not Found"],
    [404, '{"code":"not_found","message":"no route matched"}'],
    [404, '{"error":"not_found","message":"no such page"}'],
    [404, '{"error":{"code":"not_found"}}'],
    [404, '{"error":true,"code":404,"message":"No such path"}'],
    [502, '{"error":{"code":"not_found","message":"no such upstream"}}'],
  ])(
    "does not take what something between answers for a vector that is missing: %i %s",
    async (status, text) => {
      const client = new Client(BASE_URL, { fetch: async () => new Response(text, { status }) });
      await expect(client.get(1)).rejects.toMatchObject({ name: "VxError", status });
      await expect(client.delete(1)).rejects.toMatchObject({ name: "VxError", status });
    },
  );

  it("takes nothing for an id that leads to another route", async () => {
    const client = await openFilled();
    const { path } = await client.backup("kept.zip");
    for (const id of ["../admin/backups/kept.zip", "a/b", "1?x", "", "é"]) {
      // As plain JavaScript may call it.
      await expect(client.delete(id as never)).rejects.toBeInstanceOf(InvalidIDError);
      await expect(client.get(id as never)).rejects.toBeInstanceOf(InvalidIDError);
    }
    expect((await client.backups()).map((backup) => backup.path)).toEqual([path]);
  });

  it("throws VxError for JSON that is no index's, whatever was asked", async () => {
    const client = new Client(BASE_URL, { fetch: async () => Response.json({}) });
    const calls: Record<string, () => Promise<unknown>> = {
      add: () => client.add(1, [1]),
      batchAdd: () => client.batchAdd([]),
      batchAddJson: () => client.batchAddJson(new Blob([])),
      appendFromArrow: () => client.appendFromArrow(new Uint8Array()),
      get: () => client.get(1),
      delete: () => client.delete(1),
      list: () => client.list(),
      search: () => client.search([1]),
      hybridSearch: () => client.hybridSearch([1], 1, "a"),
      searchWithNegatives: () => client.searchWithNegatives([1], []),
      facetedSearch: () => client.facetedSearch([1], 1, {}),
      multiVectorSearch: () => client.multiVectorSearch([[1]]),
      queryMetadata: () => client.queryMetadata("SELECT"),
      reduceVectors: () => client.reduceVectors([[1]]),
      refit: () => client.refit(),
      backup: () => client.backup(),
      restore: () => client.restore("a.zip"),
      backups: () => client.backups(),
      uploadBackup: () => client.uploadBackup("a.zip", new Uint8Array()),
      deleteBackup: () => client.deleteBackup("a.zip"),
      metrics: () => client.metrics(),
      health: () => client.health(),
    };
    for (const [name, call] of Object.entries(calls)) {
      await expect(call(), name).rejects.toMatchObject({ name: "VxError", code: "bad_answer", status: 200 });
    }
    // That one gives bytes.
    const methods = Object.getOwnPropertyNames(Client.prototype);
    expect(Object.keys(calls)).toEqual(
      methods.filter((name) => !["constructor", "downloadBackup"].includes(name)),
    );
  });

  it.each([
    { results: {} },
    { results: [1] },
    { results: [{ id: 1 }] },
    { results: [{ id: 1, distance: "0" }] },
  ])("throws VxError for results that are none: %j", async (answer) => {
    const client = new Client(BASE_URL, { fetch: async () => Response.json(answer) });
    const refusal = { name: "VxError", code: "bad_answer" };
    await allRejected([client.search([1]), client.multiVectorSearch([[1]])], refusal);
  });

  it("searches in every way of the seed", async () => {
    const client = await openFilled();
    expect(ids(await client.search([1, 0, 0], 3))).toEqual([1, 2, 3]);
    expect(ids(await client.search(Float32Array.of(1, 0, 0), 3, 2, 2))).toEqual([3]);
    expect(ids(await client.hybridSearch([1, 0, 0], 3, "category = 'arts'"))).toEqual([2]);
    expect(ids(await client.facetedSearch([1, 0, 0], 3, { tags: "b" }))).toEqual([1]);
    expect(ids(await client.hybridSearch([1, 0, 0], 3, "id < 3", 2, 1))).toEqual([2]);
    expect(ids(await client.facetedSearch([1, 0, 0], undefined, {}, 2, 2))).toEqual([3]);
    const [first] = await client.searchWithNegatives([1, 1, 0], [[0, 1, 0]], 3);
    expect(first).toMatchObject({ id: 1, score: expect.any(Number) });
    expect(
      (
        await client.multiVectorSearch(
          [
            [1, 0, 0],
            [0, 1, 0],
          ],
          1,
        )
      ).map(ids),
    ).toEqual([[1], [3]]);
    expect(await client.queryMetadata("SELECT id, category FROM metadata ORDER BY id LIMIT 2")).toEqual([
      { id: 1, category: "science" },
      { id: 2, category: "arts" },
    ]);
  });

  it("takes no facets and no metadata that JSON would leave out unsaid", async () => {
    const client = await openFilled();
    // As plain JavaScript may call it.
    for (const facets of [
      { category: undefined },
      { category: () => "arts" },
      { category: Symbol("arts") },
      new Map([["category", "arts"]]),
    ]) {
      const found = client.facetedSearch([1, 0, 0], 3, facets as never);
      await expect(found).rejects.toMatchObject({ name: "VxError", code: "invalid_request", status: 400 });
    }
    for (const metadata of [new Map([["category", "arts"]]), new Set(["arts"]), () => "arts"] as never[]) {
      const refused = { name: "VxError", code: "invalid_request", status: 400 };
      await expect(client.add(1, [1, 1, 1], metadata)).rejects.toMatchObject(refused);
      const inBatch = await client
        .batchAdd([
          { id: 0, vector: [1, 1, 1] },
          { id: 1, vector: [1, 1, 1], metadata },
        ])
        .catch((error: unknown) => error);
      expect(inBatch).toMatchObject(refused);
      expect((inBatch as Error).message).toMatch(/^vectors\[1\]: /);
    }
    expect((await client.get(1))?.metadata).toEqual({ category: "science", tags: ["a", "b"] });
  });

  it("refuses what JSON can't hold as the library does, by a promise", async () => {
    const client = await openFilled();
    const { index: library, close } = await openVx();
    onTestFinished(close);
    const v = [1, 1, 1];
    const cycle = { self: {} };
    cycle.self = cycle;
    const unwritable = {
      toJSON() {
        throw "no error of JavaScript's own";
      },
    };
    // As plain JavaScript may call them.
    const calls: ((index: Client | VxIndex) => Promise<unknown>)[] = [
      (index) => index.add(undefined as never, v),
      (index) => index.add(1, undefined as never),
      (index) => index.add(1, [1n, 1n, 1n] as never),
      (index) => index.add(1, [1, Number.NaN, 1]),
      (index) => index.add(1, v, { big: 7n }),
      (index) => index.add(1, v, cycle),
      (index) => index.add(1, v, unwritable),
      (index) => index.search(undefined as never, 1),
      (index) => index.search({ 0: 1, 1: 1, 2: 1 } as never, 1),
      (index) => index.search(v, 1n as never),
      (index) => index.facetedSearch(v, 1, { big: 7n } as never),
      (index) => index.searchWithNegatives(v, undefined as never),
      (index) => index.multiVectorSearch(v as never),
      (index) => index.multiVectorSearch(undefined as never),
    ];
    for (const call of calls) {
      const { name, code } = (await call(library).catch((error: unknown) => error)) as VxError;
      const message = expect.stringMatching(/^.*$/);
      await expect(call(client), String(call)).rejects.toMatchObject({ name, code, message, status: 400 });
    }
    for (const number of [Number.NaN, Number.POSITIVE_INFINITY, 1n as never])
      await expect(client.add(1, [1, number, 1])).rejects.toMatchObject({
        code: "invalid_vector",
        message: `A vector's elements must be finite numbers; element 1 is ${number}`,
      });
    for (const records of [undefined, [null]] as never[])
      await expect(client.batchAdd(records)).rejects.toMatchObject({ code: "invalid_request" });
  });

  it("takes the ids that the library gives, as far as JSON does", async () => {
    const client = await openClient();
    await client.add(7n, [1, 0, 0]);
    await client.batchAdd([{ id: 8n, vector: [0, 1, 0] }]);
    expect(await client.get(7n)).toMatchObject({ id: 7 });
    expect(await client.delete(8n)).toBe(true);
    for (const id of [0n, BigInt(Number.MAX_SAFE_INTEGER)]) {
      await client.add(id, [1, 0, 0]);
      expect(await client.get(id)).toMatchObject({ id: Number(id) });
    }
    for (const id of [2n ** 53n, -1n]) {
      await expect(client.add(id, [1, 0, 0])).rejects.toBeInstanceOf(InvalidIDError);
      await expect(client.get(id)).rejects.toBeInstanceOf(InvalidIDError);
    }
  });

  it("tells whether there are more rows than an answer holds", async () => {
    const client = await openClient();
    await client.add(1, [1, 0, 0], { n: Array.from({ length: 10_001 }, (_, n) => n) });
    const query = "SELECT each.value FROM metadata, json_each(n) each";
    const some = await client.queryMetadata(query);
    expect([some.length, some.truncated]).toEqual([10_000, true]);
    const all = await client.queryMetadata(`${query} WHERE each.value > 0`);
    expect([all.length, all.truncated]).toEqual([10_000, false]);
  });

  it("reads, lists and deletes", async () => {
    const client = await openFilled();
    expect(await client.get(2)).toEqual({ id: 2, vector: [1, 1, 0], metadata: { category: "arts" } });
    expect(await client.delete(2)).toBe(true);
    expect(await client.delete(2)).toBe(false);
    expect(await client.get(2)).toBeUndefined();
    const { vectors, total } = await client.list({ limit: 1, offset: 1 });
    expect([vectors.length, total]).toEqual([1, 2]);
    const whole = await client.list({ vectors: true });
    expect(whole.vectors.find(({ id }) => id === 3)).toEqual({ id: 3, vector: [0, 1, 0], metadata: {} });
    expect(await client.metrics()).toMatchObject({ vector_count: 2, dimension: 3 });
    expect(await client.health()).toMatchObject({ status: "ok" });
  });

  it("backs up, carries the archive to another index and restores it there", async () => {
    const from = await openFilled();
    const to = await openClient();
    const { path, size_bytes } = await from.backup("whole.zip", false, true);
    expect((await from.backups()).map((entry) => entry.path)).toEqual([path]);
    const download = await from.downloadBackup("whole.zip");
    const uploaded = await to.uploadBackup("copy.zip", download.body as ReadableStream<Uint8Array>);
    expect(uploaded).toMatchObject({ name: "copy.zip", size_bytes });
    expect((await to.restore("copy.zip")).vector_count).toBe(3);
    expect(ids(await to.search([1, 0, 0]))).toEqual([1, 2, 3]);
    await from.deleteBackup("whole.zip");
    expect(await from.backups()).toEqual([]);
    await expect(from.deleteBackup("whole.zip")).rejects.toMatchObject({ code: "backup_not_found" });
  });

  it("adds records of a JSON text as it stands", async () => {
    const client = await openClient();
    const text = '{"vectors":[{"id":4,"vector":[1,0,0]},{"id":5,"vector":[0,1,0],"metadata":{"a":1}}]}';
    expect(await client.batchAddJson(new Blob([text]))).toBe(2);
    expect((await client.get(5))?.metadata).toEqual({ a: 1 });
    await expect(client.batchAddJson(new Blob(["[]"]))).rejects.toMatchObject({ code: "invalid_request" });
  });

  it("appends Arrow streams", async () => {
    const client = await openClient();
    const { fields } = vectorSchema(3);
    const table = new Table({
      id: vectorFromArray([8n], fields[0]?.type),
      vector: vectorFromArray([[0, 0, 1]], fields[1]?.type),
    });
    expect(await client.appendFromArrow(new Uint8Array(tableToIPC(table, "stream")))).toBe(1);
    expect(ids(await client.search([0, 0, 1]))).toEqual([8]);
  });

  it("reduces vectors, refits their model and tells how far that is", async () => {
    const config = { dimension: 3, distance: "l2", enableDimReduction: true, dimReductionTarget: 2 } as const;
    const client = await openClient(KEY, { ...config, fitAfter: 20 });
    const vectors = Array.from({ length: 15 }, (_, id) => [id, id % 4, 2 * id]);
    expect(await client.reduceVectors([])).toEqual([]);
    await client.batchAdd(vectors.map((vector, id) => ({ id, vector })));
    await expect(client.reduceVectors(vectors)).rejects.toMatchObject({ code: "conflict", status: 409 });
    expect(await client.refit()).toEqual({ success: true, vector_count: 15, reduced_dimension: 2 });
    expect((await client.reduceVectors(vectors)).map(({ length }) => length)).toEqual(Array(15).fill(2));
    expect(await client.search([5, 1, 10], 1)).toMatchObject([{ id: 5, distance: 0 }]);
    expect((await client.get(5))?.vector).toEqual([5, 1, 10]);
    expect(await client.metrics()).toMatchObject({ reduced_dimension: 2, fit_progress: 0, fits_total: 1 });
  });

  it("throws the errors of the seed, with code and status", async () => {
    const client = await openClient();
    const mismatch = await client.search([1, 2]).catch((error: unknown) => error);
    expect(mismatch).toBeInstanceOf(DimensionMismatchError);
    expect(mismatch).toBeInstanceOf(VxError);
    expect(mismatch).toMatchObject({
      name: "DimensionMismatchError",
      code: "dimension_mismatch",
      status: 400,
      message: "Vector dimension mismatch: expected 3, got 2",
    });
    await expect(client.add(-1, [1, 0, 0])).rejects.toBeInstanceOf(InvalidIDError);
    for (const id of [-1, 1.5, 1e21, Number.NaN, 2 ** 53]) {
      await expect(client.get(id)).rejects.toBeInstanceOf(InvalidIDError);
      await expect(client.delete(id)).rejects.toBeInstanceOf(InvalidIDError);
    }
    await expect(client.queryMetadata("DROP TABLE metadata")).rejects.toMatchObject({
      name: "VxError",
      code: "invalid_query",
    });
    await expect(client.restore("nowhere.zip")).rejects.toMatchObject({
      code: "backup_not_found",
      status: 404,
    });
    await expect(client.reduceVectors([[1, 2, 3]])).rejects.toMatchObject({ code: "reduction_disabled" });
    await expect(client.refit()).rejects.toMatchObject({ code: "reduction_disabled", status: 409 });
    await expect((await openClient("wrong")).metrics()).rejects.toMatchObject({
      code: "unauthorized",
      status: 401,
    });
  });
});
