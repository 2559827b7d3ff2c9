/**
 * The Hono app that resources add their routes to, and what their declarations share: the answer to input that
 * fails its schema, the documented refusals, and the parameters of lists.
 */
import { OpenAPIHono, z } from "@hono/zod-openapi";
import { REFUSAL_HEADERS } from "./answer-headers.ts";
import { ApiError, VX_CODES } from "./errors.ts";
import { queryInteger } from "./fields.ts";
import { issueText } from "./issue-text.ts";
import { MAX_LIST_LIMIT } from "./limits.ts";
import { schemaWords } from "./schema-words.ts";

z.config({ customError: schemaWords });

export type ApiHono = OpenAPIHono;

export function createHonoApp(): ApiHono {
  const app = new OpenAPIHono({
    defaultHook: (result, c) => {
      if (result.success) return;
      const { target, error } = result;
      if (target === "query") refuseRepeated(error.issues, c.req.queries());
      throw new ApiError(400, issueText(error.issues, target === "json" ? "The body" : `The ${target}`));
    },
  });
  app.openAPIRegistry.registerComponent("securitySchemes", "apiKey", { type: "http", scheme: "bearer" });
  app.onError((error) => {
    throw error;
  });
  return app;
}

/** Body of every refusal under /api/v1. */
const NodeError = z
  .object({ error: z.literal(true), code: z.int(), message: z.string() })
  .openapi("NodeError");

/** Body of every refusal elsewhere. */
export const VxError = z
  .object({ error: z.object({ code: z.string().openapi({ enum: VX_CODES }), message: z.string() }) })
  .openapi("VxError");

type NoTyping = Record<never, never>;

/** Refusals that a route documents beside 401, 403 and 429, which any may give. Handlers throw them. */
export function refusals(...statuses: number[]): NoTyping {
  return openRefusals(401, ...statuses);
}

/** The same for routes that anyone may call. */
export function openRefusals(...statuses: number[]): NoTyping {
  return documented(NodeError, [403, 429, 500, ...statuses]);
}

/** The same for the index; routes that need a key (401) are those that its rate limit counts. */
export function vxRefusals(...statuses: number[]): NoTyping {
  return documented(VxError, [403, 500, ...(statuses.includes(401) ? [429] : []), ...statuses]);
}

function documented(schema: z.ZodType, statuses: number[]): NoTyping {
  return Object.fromEntries(
    [...new Set(statuses)]
      .sort((a, b) => a - b)
      .map((status) => [
        status,
        {
          description: REFUSAL_MEANING[status] ?? "Refused",
          content: { "application/json": { schema } },
          headers: REFUSAL_HEADERS[status] ?? {},
        },
      ]),
  );
}

const REFUSAL_MEANING: Record<number, string> = {
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
  503: "Too busy, still loading, or no node is running",
  507: "Storage is full",
};

/** Routes that need a key say so; open routes carry `security: []`. */
export const KEY_REQUIRED = [{ apiKey: [] }];

export const jsonAnswer = <T extends z.ZodType>(schema: T, description: string) => ({
  200: { description, content: { "application/json": { schema } } },
});

/** A body that may be `{}` may be left out. The example is what the API's page has filled in when it is tried out there. */
export const jsonBody = <T extends z.ZodType>(schema: T, example: object) => ({
  body: { required: !schema.safeParse({}).success, content: { "application/json": { schema, example } } },
});

/** Refusals of any route but GET and HEAD: what comes to one that takes nothing is refused as other bodies are, then dropped. */
export const BODY_REFUSALS = [400, 413, 415];

export const ListQuery = z.object({
  limit: queryInteger(1, MAX_LIST_LIMIT).optional().openapi({ description: "Most entries" }),
  offset: queryInteger(0).optional().openapi({ description: "Entries left out at the start" }),
});

export const Total = z.int().openapi({ description: "Entries there are, whatever limit and offset" });

/** The part of a list that a query asks for. */
export function pageOf<T>(entries: T[], query: z.infer<typeof ListQuery>): T[] {
  const offset = query.offset ?? 0;
  return entries.slice(offset, query.limit === undefined ? undefined : offset + query.limit);
}

/** A parameter of a query that was given twice is refused for that. `given`: the values of each. @throws ApiError 400 */
function refuseRepeated([issue]: readonly { path: PropertyKey[] }[], given: Record<string, string[]>): void {
  const name = String(issue?.path[0]);
  if (!Object.hasOwn(given, name) || (given[name] ?? []).length < 2) return;
  throw new ApiError(400, `${name}: is given more than once`);
}
