/** Pages of one ranking: joined they are that ranking, however many of its results are equally near. */
import fc from "fast-check";
import { expect, test } from "vitest";
import type { SearchResult } from "../../../src/vx/results.ts";
import { Vx } from "../../../src/vx/vx.ts";
import { inlineHost, MemoryDisk } from "./memory-disk.ts";

/** Few places for many vectors, so that most have others at their distance. */
const vector = fc.tuple(...[1, 2, 3].map(() => fc.integer({ min: 1, max: 3 })));
const records = fc.array(fc.record({ vector, part: fc.nat(3) }), { minLength: 1, maxLength: 150 });

type Search = (vx: Vx, query: number[], k: number, page?: number, size?: number) => Promise<SearchResult[]>;

const ways: [search: Search, passes: (part: number) => boolean][] = [
  [(vx, query, ...range) => vx.search(query, ...range), () => true],
  [(vx, query, ...range) => vx.searchWithNegatives(query, [[3, 1, 2]], ...range), () => true],
  [(vx, query, k, ...page) => vx.searchWithFilter(query, k, "part < 2", ...page), (part) => part < 2],
  [(vx, query, k, ...page) => vx.facetedSearch(query, k, { part: 1 }, ...page), (part) => part === 1],
];

async function joined(search: Search, vx: Vx, query: number[], k: number, size: number) {
  const pages: SearchResult[] = [];
  for (let page = 1; ; page++) {
    const results = await search(vx, query, k, page, size);
    pages.push(...results);
    if (results.length < size) return pages;
  }
}

test.each(["cosine", "l2"] as const)("pages are a ranking in pieces, under %s", async (distance) => {
  const k = fc.integer({ min: 1, max: 60 });
  const size = fc.integer({ min: 1, max: 20 });
  await fc.assert(
    fc.asyncProperty(
      records,
      fc.array(fc.nat(149)),
      vector,
      k,
      size,
      async (given, deleted, query, k, size) => {
        // So few candidates that searches walk the graph.
        const vx = new Vx({ dimension: 3, distance, hnswEfSearch: 1 }, inlineHost(new MemoryDisk()));
        await vx.batchAdd(
          given.map((_, id) => id),
          given.map(({ vector }) => vector),
          given.map(({ part }) => ({ part })),
        );
        for (const id of deleted) await vx.delete(id);
        for (const [search, passes] of ways) {
          const whole = await search(vx, query, k);
          expect(await joined(search, vx, query, k, size)).toEqual(whole);
          const left = given.filter(({ part }, id) => passes(part) && !deleted.includes(id)).length;
          const ids = new Set(whole.map(({ id }) => Number(id)));
          expect([ids.size, whole.length]).toEqual([whole.length, Math.min(k, left)]);
          for (const id of ids) expect(deleted.includes(id) || !passes(given[id]?.part ?? -1)).toBe(false);
        }
        await vx.close();
      },
    ),
    { numRuns: 10 },
  );
});
