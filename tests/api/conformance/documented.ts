/**
 * Whether the OpenAPI document tells of an answer: its status, media type and headers, and what a refusal is named.
 * Called by caller for every answer that the suite gets.
 */
import { expect } from "vitest";

type RefusalBody = { error: true; code: number } | { error: { code: string } };

interface JsonContent {
  example?: RefusalBody;
  examples?: Record<string, { value: RefusalBody }>;
}

interface DocumentedResponse {
  content?: Record<string, JsonContent>;
  headers?: Record<string, object>;
}

interface Operation {
  operationId: string;
  tags: string[];
  requestBody?: { required?: boolean; content: Record<string, { example?: unknown }> };
  responses: Record<string, DocumentedResponse>;
  security?: object[];
  parameters?: { in: string; name: string; schema: { type: unknown } }[];
}

export interface OpenApiDocument {
  openapi: string;
  info: { description: string };
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, Operation>>;
}

/** What HTTP itself has in every answer, and what a server adds of its own. */
const OF_HTTP = ["connection", "content-length", "content-type", "date", "keep-alive", "transfer-encoding"];

export async function checkDocumented(
  { info, paths }: OpenApiDocument,
  method: string,
  path: string,
  response: Response,
): Promise<void> {
  const { status, headers } = response;
  // HEAD is as GET; a method that a path does not take is no operation.
  const operation = operationOf(paths, path)?.[method === "HEAD" ? "get" : method.toLowerCase()];
  if (operation === undefined) return;
  const place = `${method} ${path} ${status}`;
  const told = operation.responses[status];
  expect(told, `${place} is documented`).toBeDefined();
  const mediaType = headers.get("content-type")?.split(";")[0];
  if (mediaType !== undefined) {
    const types = Object.keys(told?.content ?? {});
    expect(types.includes("*/*") || types.includes(mediaType), `${place} may be ${mediaType}`).toBe(true);
  }
  const named = Object.keys(told?.headers ?? {}).map((name) => name.toLowerCase());
  const everywhere = info.description.toLowerCase();
  const untold = [...headers.keys()].filter(
    (name) => !OF_HTTP.includes(name) && !named.includes(name) && !everywhere.includes(`\`${name}\``),
  );
  expect(untold, `headers of ${place} that are not documented`).toEqual([]);
  if (status < 400 || method === "HEAD") return;
  const { error } = (await response.clone().json()) as RefusalBody;
  const shown = examplesOf(told);
  if (error === true || shown.length === 0) return;
  expect(
    shown.map(({ value }) => value.error !== true && value.error.code),
    place,
  ).toContain(error.code);
}

/** Of the JSON that it brings; where there is one, it has no name. */
export function examplesOf(told: DocumentedResponse | undefined): { name?: string; value: RefusalBody }[] {
  const { example, examples = {} } = told?.content?.["application/json"] ?? {};
  const named = Object.entries(examples).map(([name, { value }]) => ({ name, value }));
  return example === undefined ? named : [{ value: example }, ...named];
}

/** A path that is spelt out wins over one with parameters. */
function operationOf(paths: OpenApiDocument["paths"], path: string) {
  const segments = path.split("/");
  const matches = (template: string) => {
    const own = template.split("/");
    const isSame = (segment: string, at: number) => segment.startsWith("{") || segment === segments[at];
    return own.length === segments.length && own.every(isSame);
  };
  return paths[path] ?? paths[Object.keys(paths).find(matches) ?? ""];
}
