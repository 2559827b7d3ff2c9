/**
 * GET /vectors: the records page by page, with their vectors where these are asked for. Called by routes. A page with
 * vectors may be long (1,000 of 4,096 numbers: 40 MB of text), so it is written as it is read.
 */
import { createRoute, z } from "@hono/zod-openapi";
import { MAX_LIST_RECORDS } from "../../vx/limits.ts";
import { metadataText, type RecordList } from "../../vx/results.ts";
import { bodyStream } from "../body-stream.ts";
import { queryInteger } from "../fields.ts";
import { KEY_REQUIRED } from "../hono-app.ts";
import { vxRefusals } from "../refusals.ts";
import { Id, Metadata } from "./fields.ts";
import { jsonText } from "./json-pieces.ts";
import { textAnswer, type VxApp } from "./json-route.ts";
import { LISTED_VECTORS_AT_ONCE } from "./limits.ts";
import type { VxIndex } from "./ports.ts";
import { recordText } from "./results.ts";

const VectorEntry = z
  .object({
    id: Id,
    vector: z.array(z.number()).optional().openapi({ description: "Where vectors=true asks for it" }),
    metadata: Metadata,
  })
  .openapi("VectorEntry");

export type VectorEntry = z.infer<typeof VectorEntry>;

const VectorQuery = z.object({
  limit: queryInteger(1, MAX_LIST_RECORDS).default(100).openapi({ default: 100 }),
  offset: queryInteger(0).default(0).openapi({ default: 0 }),
  vectors: z.enum(["true", "false"]).optional().openapi({ description: "true: the vectors too" }),
});

export function listingRoutes({ hono }: VxApp, index: VxIndex): void {
  const route = createRoute({
    method: "get",
    path: "/vectors",
    operationId: "listVectors",
    summary: "Ids and metadata of the vectors, in an order that changes of the index may change",
    security: KEY_REQUIRED,
    request: { query: VectorQuery },
    responses: {
      ...textAnswer(z.object({ vectors: z.array(VectorEntry), total: z.int().min(0) }), "One page of them"),
      ...vxRefusals(400, 401, 503),
    },
  });
  hono.openapi(route, async (c) => {
    const { limit, offset, vectors } = c.req.valid("query");
    const page = await index.list(offset, limit);
    if (vectors === "true") return vectorsBody(index, page, c.req.raw.signal);
    const entries = page.records.map(
      ({ id, metadata }) => `{"id":${id},"metadata":${metadataText(metadata)}}`,
    );
    return jsonText(`{"vectors":[${entries.join(",")}],"total":${page.total}}`);
  });
}

function vectorsBody(index: VxIndex, { total, records }: RecordList, ended: AbortSignal): Response {
  const encoder = new TextEncoder();
  const body = bodyStream(pieces, ended);
  return new Response(body, { headers: { "Content-Type": "application/json" } });

  async function* pieces(): AsyncGenerator<Uint8Array> {
    let before = `{"total":${total},"vectors":[`;
    for (let at = 0; at < records.length; at += LISTED_VECTORS_AT_ONCE) {
      const ids = records.slice(at, at + LISTED_VECTORS_AT_ONCE).map(({ id }) => id);
      const found = await Promise.all(ids.map((id) => index.get(id)));
      // One that was deleted meanwhile is left out.
      const texts = found.flatMap((record) => (record === undefined ? [] : [recordText(record)]));
      if (texts.length === 0) continue;
      yield encoder.encode(before + texts.join(","));
      before = ",";
    }
    yield encoder.encode(before === "," ? "]}" : `${before}]}`);
  }
}
