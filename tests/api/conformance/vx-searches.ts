/** Searches, SQL over metadata, metrics. Part of the conformance suite; that results are right is tests/vx' matter. */
import { expect, it } from "vitest";
import { bodyOf } from "./caller.ts";
import type { VxCaller } from "./vx-caller.ts";

export function describeVxSearches({
  call,
  documented,
  vector,
  told,
  found,
  add,
  describeIndex,
}: VxCaller): void {
  /** Five vectors at growing angles to the first axis. */
  const addFan = () =>
    add(
      ...[0, 1, 2, 3, 4].map((n) => ({
        id: n,
        vector: vector(4 - n, n),
        metadata: { n, parity: n % 2 === 0 ? "even" : "odd", tags: n < 2 ? ["near", "x"] : ["far"] },
      })),
    );

  describeIndex("searches", () => {
    it("rank by distance: 1 - cosine similarity", async () => {
      await addFan();
      const { results } = await told("/search", { vector: vector(1), k: 5 });
      expect(results.map(({ id }) => id)).toEqual([0, 1, 2, 3, 4]);
      expect(results[0]?.distance).toBeCloseTo(0, 6);
      expect(results[2]?.distance).toBeCloseTo(1 - Math.SQRT1_2, 6);
      expect(results[4]?.distance).toBeCloseTo(1, 6);
    });

    it("find ten by default, and no more than there are", async () => {
      expect(await found("/search", { vector: vector(1) })).toEqual([]);
      await add(...Array.from({ length: 12 }, (_, id) => ({ id, vector: vector(1, id) })));
      expect(await found("/search", { vector: vector(1) })).toHaveLength(10);
      expect(await found("/search", { vector: vector(1), k: 10_000 })).toHaveLength(12);
    });

    it("give pages of the k nearest, by either spelling of the size", async () => {
      await addFan();
      const page = (page: number, size: object) =>
        found("/search", { vector: vector(1), k: 5, page, ...size });
      expect(await page(1, { page_size: 2 })).toEqual([0, 1]);
      expect(await page(3, { pageSize: 2 })).toEqual([4]);
      expect(await page(4, { page_size: 2 })).toEqual([]);
      expect(await found("/search", { vector: vector(1), k: 3, page: 2, page_size: 2 })).toEqual([2]);
      const hybrid = { vector: vector(1), k: 5, filter: "n > 0", page: 2, page_size: 3 };
      expect(await found("/search/hybrid", hybrid)).toEqual([4]);
      const faceted = { vector: vector(1), k: 5, facets: { tags: "far" }, page: 2, page_size: 2 };
      expect(await found("/search/faceted", faceted)).toEqual([4]);
      const apart = { positive_vector: vector(1), negative_vectors: [vector(0, 0, 1)], k: 5 };
      const { results } = await told("/search/negatives", apart);
      expect(results).toHaveLength(5);
      expect((await told("/search/negatives", { ...apart, page: 2, page_size: 2 })).results).toEqual(
        results.slice(2, 4),
      );
    });

    it("are narrowed by SQL, with or without WHERE", async () => {
      await addFan();
      for (const filter of [
        "parity = 'odd'",
        "WHERE parity = 'odd'",
        "id IN (1, 3)",
        "json_array_contains(tags, 'far') AND n = 3 OR n = 1",
      ]) {
        expect(await found("/search/hybrid", { vector: vector(1), filter }), filter).toEqual([1, 3]);
      }
    });

    it("are narrowed by facets", async () => {
      await addFan();
      expect(
        await found("/search/faceted", { vector: vector(1), facets: { parity: "even", tags: "near" } }),
      ).toEqual([0]);
      expect(await found("/search/faceted", { vector: vector(1), facets: { n: "3" } })).toEqual([3]);
      expect(await found("/search/faceted", { vector: vector(1), facets: { absent: "3" } })).toEqual([]);
    });

    it("are narrowed by whole numbers beyond 2^53 to the last digit", async () => {
      const bodyWith = (member: string) => ({
        method: "POST",
        headers: { "content-type": "application/json" },
        body: `{"id":1,"vector":${JSON.stringify(vector(1))},${member}}`,
      });
      await call("/vectors", bodyWith('"metadata":{"n":9007199254740993,"tags":[12345678901234567890]}'));
      for (const [facets, results] of [
        ['{"n":9007199254740993}', 1],
        ['{"n":9007199254740992}', 0],
        ['{"n":9007199254740993,"tags":12345678901234567890}', 1],
        ['{"n":1e999}', undefined],
      ] as const) {
        const answer = await bodyOf(call("/search/faceted", bodyWith(`"facets":${facets}`)));
        expect(answer.results?.length, facets).toBe(results);
      }
    });

    it("keep away from negatives, and tell the score", async () => {
      await addFan();
      const body = { positive_vector: vector(1, 1), negative_vectors: [vector(0, 1)], k: 5 };
      const { results } = await told("/search/negatives", body);
      const expected = results.map(({ id }) => {
        const [x, y] = [4 - id, id];
        const length = Math.hypot(x, y);
        return (x + y) / length / Math.SQRT2 - (0.5 * y) / length;
      });
      expect(results.map(({ score }) => score)).toEqual(expected.map((score) => expect.closeTo(score, 5)));
      expect(expected).toEqual(expected.toSorted((a, b) => b - a));
      const plain = await found("/search/negatives", { positive_vector: vector(1), negative_vectors: [] });
      expect(plain).toEqual([0, 1, 2, 3, 4]);
    });

    it("take several vectors at once", async () => {
      await addFan();
      const { results } = await told("/search/multi", { vectors: [vector(1), vector(0, 1)], k: 2 });
      const lists = results as unknown as { id: number }[][];
      expect(lists.map((list) => list.map(({ id }) => id))).toEqual([
        [0, 1],
        [4, 3],
      ]);
      expect((await told("/search/multi", { vectors: [] })).results).toEqual([]);
    });
  });

  describeIndex("SQL over metadata", () => {
    it("gives rows by column", async () => {
      await addFan();
      const query = "SELECT parity, count(*) AS many, max(n) FROM metadata GROUP BY parity ORDER BY 1";
      expect(await told("/metadata/query", { query })).toEqual({
        results: [
          { parity: "even", many: 3, "max(n)": 4 },
          { parity: "odd", many: 2, "max(n)": 3 },
        ],
        truncated: false,
      });
    });

    it("gives the first 10,000 rows, and tells whether there are more", async () => {
      await add({ id: 1, vector: vector(1), metadata: { n: Array.from({ length: 10_001 }, (_, n) => n) } });
      const query = "SELECT each.value FROM metadata, json_each(n) each";
      const some = await told("/metadata/query", { query });
      expect([some.results.length, some.truncated]).toEqual([10_000, true]);
      const all = await told("/metadata/query", { query: `${query} WHERE each.value > 0` });
      expect([all.results.length, all.truncated]).toEqual([10_000, false]);
    });

    it("gives integers beyond 2^53 with all their digits", async () => {
      const headers = { "content-type": "application/json" };
      const body = JSON.stringify({ query: "SELECT 9223372036854775807 AS n" });
      const text = await (await call("/metadata/query", { method: "POST", headers, body })).text();
      expect(text).toBe('{"results":[{"n":9223372036854775807}],"truncated":false}');
    });

    it("gives infinity as a number, not as NULL", async () => {
      const query = "SELECT 9e999 AS most, -9e999 AS least, 9e999 - 9e999 AS none";
      expect((await told("/metadata/query", { query })).results).toEqual([
        { most: Number.POSITIVE_INFINITY, least: Number.NEGATIVE_INFINITY, none: null },
      ]);
    });
  });

  describeIndex("metrics of the index", () => {
    it("tell what it holds, as JSON and as Prometheus text", async () => {
      await addFan();
      const { status, body } = await documented("GET /admin/metrics", call("/admin/metrics"));
      expect([status, body]).toMatchObject([200, { vector_count: 5, dimension: vector().length }]);
      expect(await (await call("/metrics")).text()).toContain("\nshoal_vx_vectors 5\n");
      expect((await bodyOf(call("/health"))).status).toBe("ok");
    });
  });
}
