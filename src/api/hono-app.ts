/**
 * The Hono app that resources add their routes to, and what their declarations share: the answer to input that
 * fails its schema, bodies of JSON, and the parameters of lists.
 */
import { OpenAPIHono, z } from "@hono/zod-openapi";
import { ApiError } from "./errors.ts";
import { queryInteger } from "./fields.ts";
import { issueText } from "./issue-text.ts";
import { MAX_LIST_LIMIT } from "./limits.ts";
import { refuseMistyped } from "./meant-names.ts";
import type { ApiClient } from "./ports.ts";
import { schemaWords } from "./schema-words.ts";

z.config({ customError: schemaWords });

/** Its handlers find who asks in `c.env`. */
export type ApiHono = OpenAPIHono<{ Bindings: ApiClient }>;

export function createHonoApp(): ApiHono {
  const app: ApiHono = new OpenAPIHono({
    defaultHook: (result, c) => {
      if (result.success) return;
      const { target, error } = result;
      if (target === "query") refuseRepeated(error.issues, c.req.queries());
      throw new ApiError(400, issueText(error.issues, target === "json" ? "The body" : `The ${target}`));
    },
  });
  app.openAPIRegistry.registerComponent("securitySchemes", "apiKey", {
    type: "http",
    scheme: "bearer",
    description: KEY_ADVICE,
  });
  app.onError((error) => {
    throw error;
  });
  return app;
}

/** Beside the field for it on the API's page. */
const KEY_ADVICE =
  "The key alone, `shoal_...`, without `Bearer`. `shoal generate-api-key` makes one; a node's first start tells one or where it lies; in a page of Shoal the screen API has it.";

/** Routes that need a key say so; open routes carry `security: []`. */
export const KEY_REQUIRED = [{ apiKey: [] }];

export const jsonAnswer = <T extends z.ZodType>(schema: T, description: string) => ({
  200: { description, content: { "application/json": { schema } } },
});

/**
 * A body that may be `{}` may be left out. Mistyped fields are refused. The example is what the API's page has filled in when it
 * is tried out there.
 */
export const jsonBody = <T extends z.ZodObject>(schema: T, example: object) => ({
  body: {
    required: !schema.safeParse({}).success,
    content: { "application/json": { schema: z.preprocess(refusingMistyped(schema), schema), example } },
  },
});

function refusingMistyped({ shape }: z.ZodObject): (body: unknown) => unknown {
  return (body) => {
    if (typeof body === "object" && body !== null) refuseMistyped(Object.keys(body), Object.keys(shape));
    return body;
  };
}

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
