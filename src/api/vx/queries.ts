/** SQL over metadata. Called by routes. */
import { z } from "@hono/zod-openapi";
import { postJson, type VxApp } from "./json-route.ts";
import type { VxIndex } from "./ports.ts";
import { arrayTexts, objectTexts, rowText } from "./results.ts";

const Row = z.record(z.string(), z.union([z.string(), z.number(), z.null()]));

export function queryRoutes(app: VxApp, index: VxIndex): void {
  postJson(
    app,
    {
      path: "/metadata/query",
      operationId: "queryMetadata",
      summary: "Rows of one SELECT over the table `metadata`",
      description:
        "Columns: `id`, `json`, and each key. Arrays and objects are JSON text, booleans 1 and 0. Integers from -2^63 to 2^63 - 1 " +
        "are exact, and longer ones rounded: `json -> 'key'` is the text of one as it was added. At most 10,000 rows: " +
        "`truncated` tells whether there are more.",
      body: z.object({ query: z.string() }),
      example: { query: "SELECT category, count(*) FROM metadata GROUP BY 1" },
      shape: "value",
      answer: z.object({
        results: z.array(Row),
        truncated: z.boolean().openapi({ description: "There are more rows than the answer holds" }),
      }),
      answered: "The rows, by column",
      refusals: ["invalid_query"],
    },
    async ({ query }) => {
      const rows = await index.queryMetadata(query);
      return objectTexts("results", arrayTexts(rows, rowText), `,"truncated":${rows.truncated}`);
    },
  );
}
