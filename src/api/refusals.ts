/**
 * The refusals that a route documents, with the bodies that they bring. Handlers throw them, and errors.ts makes the answers.
 */
import { z } from "@hono/zod-openapi";
import type { VxErrorCode } from "../vx/errors.ts";
import { REFUSAL_HEADERS } from "./answer-headers.ts";
import { nodeErrorBody, type RefusalStatus, VX_CODES, VX_STATUS, vxErrorBody } from "./errors.ts";

/** Body of every refusal under /api/v1. */
const NodeError = z
  .object({ error: z.literal(true), code: z.int(), message: z.string() })
  .openapi("NodeError");

/** Body of every refusal elsewhere. */
export const VxError = z
  .object({ error: z.object({ code: z.string().openapi({ enum: VX_CODES }), message: z.string() }) })
  .openapi("VxError");

/** A status with its usual code, or a code of the index with its status. */
export type VxRefusal = RefusalStatus | VxErrorCode;

/** Bodies of a status, by what tells them apart. */
type Bodies = Record<string, object>;

type NoTyping = Record<never, never>;

/** Refusals of any route but GET and HEAD: what comes to one that takes nothing is refused as other bodies are, then dropped. */
export const BODY_REFUSALS: RefusalStatus[] = [400, 413, 415];

/** Refusals that a route documents beside 401, 403 and 429, which any may give. */
export function refusals(...statuses: RefusalStatus[]): NoTyping {
  return openRefusals(401, ...statuses);
}

/** The same for routes that anyone may call. */
export function openRefusals(...statuses: RefusalStatus[]): NoTyping {
  const byStatus = new Map<RefusalStatus, Bodies>();
  for (const status of [403, 429, 500, ...statuses] as const) {
    byStatus.set(status, { refused: nodeErrorBody(status, MEANING[status]) });
  }
  return documented(NodeError, byStatus);
}

/** The same for the index; routes that need a key (401) are those that its rate limit counts. */
export function vxRefusals(...refused: VxRefusal[]): NoTyping {
  const byStatus = new Map<RefusalStatus, Bodies>();
  for (const refusal of [403, 500, ...(refused.includes(401) ? [429] : []), ...refused] as VxRefusal[]) {
    const status = typeof refusal === "number" ? refusal : VX_STATUS[refusal];
    const body =
      typeof refusal === "number"
        ? vxErrorBody(status, MEANING[status])
        : vxErrorBody(status, VX_MEANING[refusal] ?? MEANING[status], refusal);
    byStatus.set(status, { ...byStatus.get(status), [body.error.code]: body });
  }
  return documented(VxError, byStatus);
}

function documented(schema: z.ZodType, byStatus: Map<RefusalStatus, Bodies>): NoTyping {
  const sorted = [...byStatus].sort(([a], [b]) => a - b);
  return Object.fromEntries(
    sorted.map(([status, bodies]) => {
      const content = { "application/json": { schema, ...shown(bodies) } };
      return [status, { description: MEANING[status], content, headers: REFUSAL_HEADERS[status] ?? {} }];
    }),
  );
}

/** Where there is one, a choice of examples would be a choice of none. */
function shown(bodies: Bodies): { example: object } | { examples: Record<string, { value: object }> } {
  const [[, only] = [], ...others] = Object.entries(bodies);
  if (only !== undefined && others.length === 0) return { example: only };
  return { examples: Object.fromEntries(Object.entries(bodies).map(([name, value]) => [name, { value }])) };
}

const MEANING: Record<RefusalStatus, string> = {
  400: "The request is malformed",
  401: "No API key, or not a valid one",
  403: "The host, origin or path is not allowed",
  404: "There is no such thing",
  405: "The path does not take this method",
  406: "None of the media types asked for can be given",
  409: "The thing is in another state",
  412: "The bytes are not those that If-Match names",
  413: "The body is too long",
  415: "The body is of another media type",
  416: "The range lies outside the file",
  422: "The backup is damaged",
  429: "Too many requests; see Retry-After",
  500: "A failure of the node",
  502: "A peer could not be reached or misbehaved",
  503: "Too busy, still loading, stopping, or no node is running",
  507: "Storage is full",
};

/** Of codes whose status says less. */
const VX_MEANING: Partial<Record<VxErrorCode, string>> = {
  dimension_mismatch: "The vector has more or fewer numbers than those of the index",
  invalid_id: "The id is no integer from 0 to 9007199254740991",
  invalid_vector: "The vector has something else than finite numbers, or no direction",
  invalid_query: "The expression or SELECT is no SQL, or asks for what is not given",
  encryption_key_invalid: "The index's key does not open the archive",
  backup_not_found: "There is no such archive",
  capacity_exceeded: "The index is full",
  reduction_disabled: "The index does not reduce vectors",
};
