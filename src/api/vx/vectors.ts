/** The vectors: add one, a batch or an Arrow stream, read, delete. Called by routes. */
import { createRoute, z } from "@hono/zod-openapi";
import { isSharingError } from "../../sharing/errors.ts";
import { InvalidIDError, VxError } from "../../vx/errors.ts";
import { ApiError } from "../errors.ts";
import { OTHER_VECTOR, VECTOR } from "../examples.ts";
import { jsonAnswer, KEY_REQUIRED } from "../hono-app.ts";
import { inTurns } from "../in-turns.ts";
import { BODY_REFUSALS, type VxRefusal, vxRefusals } from "../refusals.ts";
import { arrowMessages } from "./arrow-messages.ts";
import {
  exactInteger,
  Id,
  IdText,
  Metadata,
  MetadataText,
  RECORD_SHAPE,
  VECTOR_REFUSALS,
  Vector,
} from "./fields.ts";
import { jsonText } from "./json-pieces.ts";
import { checked, postJson, textAnswer, type VxApp } from "./json-route.ts";
import { refuseMistaken } from "./meant-fields.ts";
import type { VxIndex } from "./ports.ts";
import { recordText } from "./results.ts";

const NewVector = z.object({ id: IdText, vector: Vector, metadata: MetadataText }).openapi("NewVector");

type NewVector = z.output<typeof NewVector>;

const RECORD_FIELDS = Object.keys(NewVector.shape);

/** Its elements are checked one by one as they are read, which takes longer than a turn for all of them. */
const CheckedVectors = z
  .custom<NewVector[]>(Array.isArray, "must be an array of vectors")
  .openapi({ type: "array", items: { $ref: "#/components/schemas/NewVector" } });

const Added = z.object({ success: z.literal(true), id: Id }).openapi("AddedVector");
const AddedAll = z.object({ success: z.literal(true), count: z.int().min(0) }).openapi("AddedVectors");
const VectorRecord = z
  .object({ id: Id, vector: z.array(z.number()), metadata: Metadata })
  .openapi("VectorRecord");

export type VectorRecord = z.infer<typeof VectorRecord>;

const IdParam = z.object({ id: z.string().openapi({ type: "integer", minimum: 0 }) });

/** JSON, and with it every other route, has exact numbers up to here. */
const MAX_ID = BigInt(Number.MAX_SAFE_INTEGER);

const RECORD = { id: 1, vector: VECTOR, metadata: { category: "science", tags: ["physics"], rating: 4.5 } };

export const ARROW_STREAM = "application/vnd.apache.arrow.stream";

export function vectorRoutes(app: VxApp, index: VxIndex): void {
  const refusals: VxRefusal[] = [...VECTOR_REFUSALS, "invalid_id", "capacity_exceeded", "storage_full"];
  const adding = { answered: "Durable, and found by the next search", refusals };

  postJson(
    app,
    {
      ...adding,
      path: "/vectors",
      operationId: "addVector",
      summary: "Add a vector, in place of what the id held",
      body: NewVector,
      example: RECORD,
      shape: RECORD_SHAPE,
      answer: Added,
    },
    async ({ id, vector, metadata }) => {
      await index.add(id, vector, metadata);
      return { success: true, id };
    },
  );

  postJson(
    app,
    {
      ...adding,
      path: "/vectors/batch",
      operationId: "addVectors",
      summary: "Add vectors: all of them or none",
      body: z.object({ vectors: CheckedVectors }),
      example: { vectors: [RECORD, { id: 2, vector: OTHER_VECTOR, metadata: { category: "arts" } }] },
      shape: {
        keys: {
          vectors: { of: RECORD_SHAPE, map: checkedRecord },
        },
      },
      answer: AddedAll,
    },
    async ({ vectors }) => {
      const ids = vectors.map(({ id }) => id);
      const rows = vectors.map(({ vector }) => vector);
      const metadata = vectors.map((record) => record.metadata);
      await index.batchAdd(ids, rows, metadata, inTurns);
      return { success: true, count: vectors.length };
    },
  );

  const { hono } = app;
  const arrowRoute = createRoute({
    method: "post",
    path: "/vectors/arrow",
    operationId: "addArrowVectors",
    summary: "Add the vectors of an Arrow IPC stream of any length, each of its batches all or none",
    description:
      "Columns: `id` (integers from 0 to 2^53 - 1), `vector` (a fixed-size list of float32), and one for each key of metadata; or `metadata`, an object each: its JSON text, a struct or a map.",
    security: KEY_REQUIRED,
    request: {
      body: { required: true, content: { [ARROW_STREAM]: { schema: { type: "string", format: "binary" } } } },
    },
    responses: {
      ...jsonAnswer(AddedAll, adding.answered),
      ...vxRefusals(401, ...BODY_REFUSALS, ...refusals, 503),
    },
  });
  hono.openapi(arrowRoute, async (c) => {
    const { headers, body } = c.req.raw;
    const [mediaType] = (headers.get("content-type") ?? "").toLowerCase().split(";");
    if (mediaType?.trim() !== ARROW_STREAM) throw new ApiError(415, `The body must be ${ARROW_STREAM}`);
    if (body === null) throw new VxError("invalid_request", "The body is empty");
    const { count } = await app.arrowStreams
      .run(c.req.raw, () => index.appendFromArrow(arrowMessages(body), { maxId: MAX_ID }))
      .catch(refusedByCause);
    return c.json({ success: true as const, count }, 200);
  });

  const getRoute = createRoute({
    method: "get",
    path: "/vectors/{id}",
    operationId: "getVector",
    summary: "One vector and its metadata",
    security: KEY_REQUIRED,
    request: { params: IdParam },
    responses: {
      ...textAnswer(VectorRecord, "The record"),
      ...vxRefusals("invalid_id", 401, "not_found", 503),
    },
  });
  hono.openapi(getRoute, async (c) => {
    const record = await index.get(idInPath(c.req.valid("param").id));
    if (record === undefined) throw noVector();
    return jsonText(recordText(record));
  });

  const deleteRoute = createRoute({
    method: "delete",
    path: "/vectors/{id}",
    operationId: "deleteVector",
    summary: "Delete a vector",
    security: KEY_REQUIRED,
    request: { params: IdParam },
    responses: {
      ...jsonAnswer(Added, "Deleted"),
      ...vxRefusals(401, ...BODY_REFUSALS, "invalid_id", "not_found", 503, "storage_full"),
    },
  });
  hono.openapi(deleteRoute, async (c) => {
    const id = idInPath(c.req.valid("param").id);
    if (!(await index.delete(id))) throw noVector();
    return c.json({ success: true as const, id }, 200);
  });
}

/** @throws VxError `invalid_request`, or the code of the field */
function checkedRecord(record: unknown, at: number): NewVector {
  refuseMistaken(record, RECORD_FIELDS, {}, `vectors[${at}].`);
  return checked(NewVector, record, ["vectors", at]);
}

/** A path names a vector in one spelling, unlike JSON, in which numbers have several. @throws InvalidIDError */
function idInPath(text: string): number {
  const id = /^\d+$/.test(text) ? exactInteger(text) : undefined;
  if (id !== undefined) return id;
  throw new InvalidIDError("An id is an integer from 0 to 9007199254740991");
}

/** What arrowMessages refuses, or ends its body, comes back as the cause of what could not be read. */
function refusedByCause(error: Error): never {
  const { cause } = error;
  throw cause instanceof ApiError || isSharingError(cause, "stopped") ? cause : error;
}

function noVector(): VxError {
  return new VxError("not_found", "There is no vector of that id");
}
