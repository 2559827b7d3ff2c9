/** SQL over metadata, and vectors reduced without being added. Called by routes. */
import { z } from "@hono/zod-openapi";
import { VxError } from "../../vx/errors.ts";
import { VectorList } from "./fields.ts";
import { postJson, type VxApp } from "./json-route.ts";
import type { VxIndex } from "./ports.ts";
import { rowsText } from "./results.ts";

const Row = z.record(z.string(), z.union([z.string(), z.number(), z.null()]));

export function queryRoutes(app: VxApp, index: VxIndex): void {
  postJson(
    app,
    {
      path: "/metadata/query",
      summary: "Rows of one SELECT over the table `metadata`",
      description:
        "Columns: `id`, `json`, and each key. Arrays and objects are JSON text, booleans 1 and 0. At most 10,000 rows.",
      body: z.object({
        query: z.string().openapi({ example: "SELECT category, count(*) FROM metadata GROUP BY 1" }),
      }),
      shape: "value",
      answer: z.object({ results: z.array(Row) }),
      answered: "The rows, by column",
    },
    async ({ query }) => `{"results":${rowsText(await index.queryMetadata(query))}}`,
  );

  postJson(
    app,
    {
      path: "/reduce",
      summary: "Vectors with fewer dimensions, by the index's reduction",
      body: z.object({ vectors: VectorList }),
      shape: { keys: { vectors: { of: "numbers" } } },
      answer: z.object({ vectors: z.array(z.array(z.number())) }),
      answered: "In the order given",
      refusals: [409],
    },
    async ({ vectors }) => {
      if (index.reduceVectors === undefined) {
        throw new VxError("reduction_disabled", "The index does not reduce vectors");
      }
      return { vectors: Array.from(await index.reduceVectors(vectors), (vector) => Array.from(vector)) };
    },
  );
}
