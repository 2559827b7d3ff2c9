/** Vectors of the index: added, listed, read, replaced, deleted. Part of the conformance suite. */
import { Table, tableToIPC, vectorFromArray } from "apache-arrow";
import { expect, it } from "vitest";
import { vectorSchema } from "../../../src/vx/arrow/read-arrow.ts";
import { bodyOf, vxError } from "./caller.ts";
import type { VxCaller } from "./vx-caller.ts";

export function describeVxVectors(vx: VxCaller): void {
  const { call, documented, refused, vector, told, found, add, describeIndex } = vx;

  describeIndex("vectors", () => {
    it("are found by the very next search, and read as they were added", async () => {
      const metadata = { category: "science", rating: 4.5, tags: ["a", "b"], deep: { "": null } };
      expect(await told("/vectors", { id: 7, vector: vector(0.5, 1), metadata })).toEqual({
        success: true,
        id: 7,
      });
      expect(await told("/search", { vector: vector(0.5, 1), k: 1 })).toMatchObject({
        results: [{ id: 7, metadata }],
      });
      const { status, body } = await documented("GET /vectors/{id}", call("/vectors/7"));
      expect([status, body]).toEqual([200, { id: 7, vector: vector(0.5, 1), metadata }]);
    });

    it("come in batches, also of none", async () => {
      const vectors = [1, 2, 3].map((id) => ({ id, vector: vector(id, 1), metadata: { id: String(id) } }));
      expect(await told("/vectors/batch", { vectors })).toEqual({ success: true, count: 3 });
      expect(await told("/vectors/batch", { vectors: [] })).toEqual({ success: true, count: 0 });
      expect((await bodyOf(call("/vectors"))).total).toBe(3);
    });

    it("of a batch with one that is wrong are not added at all", async () => {
      for (const wrong of [
        { id: -1, vector: vector(1) },
        { id: 2, vector: [1] },
        { id: 2, vector: vector(0) },
      ]) {
        const answer = await vx.call("/vectors/batch", {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify({ vectors: [{ id: 1, vector: vector(1) }, wrong] }),
        });
        expect(answer.status).toBe(400);
        await answer.body?.cancel();
      }
      expect((await bodyOf(call("/vectors"))).total).toBe(0);
    });

    it("replace what their id held, metadata too", async () => {
      await add({ id: 1, vector: vector(1), metadata: { a: 1 } });
      await add({ id: 1, vector: vector(0, 1) });
      const { body } = await documented("GET /vectors/{id}", call("/vectors/1"));
      expect(body).toEqual({ id: 1, vector: vector(0, 1), metadata: {} });
      expect((await bodyOf(call("/vectors"))).total).toBe(1);
      await told("/vectors", { id: 1, vector: vector(1), metadata: { a: 1 } });
      await told("/vectors", { id: 1, vector: vector(1), metadata: null });
      expect((await bodyOf(call("/vectors/1"))).metadata).toEqual({});
    });

    it("keep their metadata to the letter, long numbers too", async () => {
      const text = `{"id": 2, "vector": ${JSON.stringify(vector(1))}, "metadata": {"n":12345678901234567890, "x" : 1.10}}`;
      const headers = { "content-type": "application/json" };
      expect((await call("/vectors", { method: "POST", headers, body: text })).status).toBe(200);
      expect(await (await call("/vectors/2")).text()).toContain('{"n":12345678901234567890, "x" : 1.10}');
    });

    it("have ids up to 2^53 - 1, however these are spelt", async () => {
      const spelt = `{"vectors":[{"id":9007199254740991,"vector":V},{"id":1e1,"vector":V},{"id":20.0,"vector":V},{"id":-0,"vector":V}]}`;
      const body = spelt.replaceAll("V", JSON.stringify(vector(1)));
      const headers = { "content-type": "application/json" };
      expect((await call("/vectors/batch", { method: "POST", headers, body })).status).toBe(200);
      const { vectors } = await bodyOf(call("/vectors"));
      expect(vectors.map(({ id }) => id).sort((a, b) => a - b)).toEqual([0, 10, 20, Number.MAX_SAFE_INTEGER]);
    });

    it("are listed in pages", async () => {
      await add(...[1, 2, 3, 4, 5].map((id) => ({ id, vector: vector(1), metadata: { n: id } })));
      const pages = await Promise.all(
        [0, 2, 4, 6].map((offset) => documented("GET /vectors", call(`/vectors?limit=2&offset=${offset}`))),
      );
      expect(pages.map(({ body }) => [body.total, body.vectors.length])).toEqual([
        [5, 2],
        [5, 2],
        [5, 1],
        [5, 0],
      ]);
      const listed = pages.flatMap(({ body }) => body.vectors);
      expect(new Set(listed.map(({ id }) => id)).size).toBe(5);
      for (const { id, metadata } of listed) expect(metadata).toEqual({ n: id });
    });

    it("are listed with their numbers where these are asked for", async () => {
      const list = async (query: string) => {
        const { body } = await documented("GET /vectors", call(`/vectors?vectors=true${query}`));
        return body as { total: number; vectors: unknown[] };
      };
      expect(await list("")).toEqual({ total: 0, vectors: [] });
      const added = Array.from({ length: 40 }, (_, id) => ({
        id,
        vector: vector(1, id / 8),
        metadata: { n: id },
      }));
      await add(...added);
      const { total, vectors } = await list("");
      expect(total).toBe(40);
      expect(new Map(vectors.map((entry) => [(entry as { id: number }).id, entry]))).toEqual(
        new Map(added.map((entry) => [entry.id, entry])),
      );
      expect((await list("&limit=7&offset=35")).vectors).toHaveLength(5);
      expect((await list("&limit=1000")).vectors).toHaveLength(40);
      expect((await call("/vectors?vectors=maybe")).status).toBe(400);
    });

    it("are gone once deleted", async () => {
      await add({ id: 1, vector: vector(1) }, { id: 2, vector: vector(0, 1) });
      const answer = await documented("DELETE /vectors/{id}", call("/vectors/1", { method: "DELETE" }));
      expect([answer.status, answer.body]).toEqual([200, { success: true, id: 1 }]);
      expect(await found("/search", { vector: vector(1) })).toEqual([2]);
      expect(await refused(call("/vectors/1"))).toMatchObject(vxError(404, "not_found"));
      expect(await refused(call("/vectors/1", { method: "DELETE" }))).toMatchObject(
        vxError(404, "not_found"),
      );
    });

    it("come as an Arrow stream too", async () => {
      const { fields } = vectorSchema(vector().length);
      const table = new Table({
        id: vectorFromArray([1n, 2n], fields[0]?.type),
        vector: vectorFromArray([vector(1), vector(0, 1)], fields[1]?.type),
        color: vectorFromArray(["red", "blue"]),
      });
      const body = new Uint8Array(tableToIPC(table, "stream"));
      const headers = { "content-type": "application/vnd.apache.arrow.stream" };
      const answer = documented(
        "POST /vectors/arrow",
        call("/vectors/arrow", { method: "POST", headers, body }),
      );
      expect(await answer).toMatchObject({ status: 200, body: { success: true, count: 2 } });
      expect(await told("/search", { vector: vector(0, 1), k: 1 })).toMatchObject({
        results: [{ id: 2, metadata: { color: "blue" } }],
      });
    });

    it("come by Arrow with no id that no other route could name", async () => {
      const { fields } = vectorSchema(vector().length);
      const stream = (id: bigint) =>
        new Uint8Array(
          tableToIPC(
            new Table({
              id: vectorFromArray([id], fields[0]?.type),
              vector: vectorFromArray([vector(1)], fields[1]?.type),
            }),
            "stream",
          ),
        );
      const headers = { "content-type": "application/vnd.apache.arrow.stream" };
      const send = (id: bigint) => call("/vectors/arrow", { method: "POST", headers, body: stream(id) });
      expect(await refused(send(2n ** 53n))).toMatchObject(vxError(400, "invalid_id"));
      expect((await send(2n ** 53n - 1n)).status).toBe(200);
      expect((await call(`/vectors/${Number.MAX_SAFE_INTEGER}`, { method: "DELETE" })).status).toBe(200);
    });
  });
}
