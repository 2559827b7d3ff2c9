/** The searches: plain, with a filter, with facets, away from negatives, and several at once. Called by routes. */
import { z } from "@hono/zod-openapi";
import { DEFAULT_K, MAX_K } from "../../vx/limits.ts";
import { OTHER_VECTOR, VECTOR } from "../examples.ts";
import { pageSizeOf, Range, VECTOR_REFUSALS, Vector, VectorList, vectorListShape } from "./fields.ts";
import { postJson, type VxApp } from "./json-route.ts";
import type { VxIndex } from "./ports.ts";
import { arraysTexts, arrayTexts, objectTexts, Result, resultText, Scored } from "./results.ts";

const Results = z.object({ results: z.array(Result) });

/** Fields that narrow a search: passed over, they would give what they are to keep out. */
const NARROWING = {
  filter: "/search/hybrid",
  facets: "/search/faceted",
  negative_vectors: "/search/negatives",
};

/** Those that a route does not take. */
function elsewhere(own?: keyof typeof NARROWING): Record<string, string> {
  return Object.fromEntries(Object.entries(NARROWING).filter(([field]) => field !== own));
}

const query = { vector: "numbers" } as const;

export function searchRoutes(app: VxApp, index: VxIndex): void {
  const declared = { answer: Results, answered: "Nearest first", refusals: VECTOR_REFUSALS };

  postJson(
    app,
    {
      ...declared,
      path: "/search",
      operationId: "searchVectors",
      summary: "The nearest of a vector",
      body: Range.extend({ vector: Vector }),
      example: { vector: VECTOR, k: 10 },
      shape: { keys: query },
      elsewhere: elsewhere(),
    },
    async (input) => {
      const results = await index.search(input.vector, input.k, input.page, pageSizeOf(input));
      return objectTexts("results", arrayTexts(results, resultText));
    },
  );

  postJson(
    app,
    {
      ...declared,
      path: "/search/hybrid",
      operationId: "searchHybrid",
      summary: "The nearest of a vector whose metadata an SQL expression is true for",
      body: Range.extend({
        vector: Vector,
        filter: z.string().openapi({
          description:
            "One SQL expression in SQLite's dialect. Columns are `id` and the keys of metadata, NULL where a record lacks one; " +
            "texts stand in single quotes, and double ones make a key of any name; " +
            "`json_array_contains(tags, 'physics')` looks into a list",
        }),
      }),
      refusals: [...VECTOR_REFUSALS, "invalid_query"],
      example: { vector: VECTOR, filter: "category = 'science' AND rating > 4", k: 10 },
      shape: { keys: query },
      elsewhere: elsewhere("filter"),
    },
    async (input) => {
      const { vector, k, filter, page } = input;
      const results = await index.searchWithFilter(vector, k, filter, page, pageSizeOf(input));
      return objectTexts("results", arrayTexts(results, resultText));
    },
  );

  postJson(
    app,
    {
      ...declared,
      path: "/search/faceted",
      operationId: "searchFaceted",
      summary: "The nearest of a vector whose metadata has every value, or an array that contains it",
      body: Range.extend({
        vector: Vector,
        facets: z.record(
          z.string(),
          z.union([z.string(), z.number(), z.boolean()], "must be a text, a number, true or false"),
        ),
      }),
      example: { vector: VECTOR, facets: { category: "science", tags: "physics" }, k: 10 },
      shape: { keys: { ...query, facets: { keys: {}, others: "exact" } } },
      elsewhere: elsewhere("facets"),
    },
    async (input) => {
      const { vector, k, facets, page } = input;
      const results = await index.facetedSearch(vector, k, facets, page, pageSizeOf(input));
      return objectTexts("results", arrayTexts(results, resultText));
    },
  );

  postJson(
    app,
    {
      path: "/search/negatives",
      operationId: "searchWithNegatives",
      summary: "Near to one vector and far from others",
      body: Range.extend({ positive_vector: Vector, negative_vectors: VectorList }),
      example: { positive_vector: VECTOR, negative_vectors: [OTHER_VECTOR], k: 10 },
      shape: { keys: { positive_vector: "numbers", negative_vectors: vectorListShape("negative_vectors") } },
      elsewhere: elsewhere("negative_vectors"),
      answer: z.object({ results: z.array(Scored) }),
      answered: "Highest score first",
      refusals: VECTOR_REFUSALS,
    },
    async (input) => {
      const { positive_vector, negative_vectors, k, page } = input;
      const size = pageSizeOf(input);
      const results = await index.searchWithNegatives(positive_vector, negative_vectors, k, page, size);
      return objectTexts("results", arrayTexts(results, resultText));
    },
  );

  postJson(
    app,
    {
      path: "/search/multi",
      operationId: "searchMultiple",
      summary: "The nearest of each of several vectors",
      body: z.object({ vectors: VectorList, k: z.int().min(1).max(MAX_K).default(DEFAULT_K) }),
      example: { vectors: [VECTOR, OTHER_VECTOR], k: 10 },
      shape: { keys: { vectors: vectorListShape("vectors") } },
      elsewhere: elsewhere(),
      answer: z.object({ results: z.array(z.array(Result)) }),
      answered: "One list a vector, nearest first",
      refusals: VECTOR_REFUSALS,
    },
    async ({ vectors, k }) => {
      const lists = await index.multiVectorSearch(vectors, k);
      return objectTexts("results", arraysTexts(lists, resultText));
    },
  );
}
