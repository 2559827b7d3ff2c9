/**
 * A POST route of the index that takes JSON: declares it, reads its body, and answers. Called by the routes of this
 * folder; calls json-reader in turns, so that a long body keeps no search waiting, and the value it gives is the one
 * that the schema checks.
 */
import type { z } from "@hono/zod-openapi";
import { unlessAborted } from "../../sharing/unless-aborted.ts";
import { VxError } from "../../vx/errors.ts";
import { type ApiHono, jsonAnswer, jsonBody, KEY_REQUIRED } from "../hono-app.ts";
import { inTurns } from "../in-turns.ts";
import { issueText } from "../issue-text.ts";
import { readJson, type Shape } from "../json-reader.ts";
import { BODY_REFUSALS, type VxRefusal, vxRefusals } from "../refusals.ts";
import { readJsonBody } from "../request-body.ts";
import type { CodedIssue } from "./fields.ts";
import { jsonPieces, jsonText } from "./json-pieces.ts";
import type { LongBodies } from "./long-bodies.ts";
import { refuseMistaken } from "./meant-fields.ts";

/** The app, and how it takes bodies. */
export interface VxApp {
  hono: ApiHono;
  bodies: LongBodies;
  arrowStreams: LongBodies;
  maxBodyBytes: number;
}

export interface JsonRoute<Input extends z.ZodObject> {
  path: string;
  /** What generated clients call it. */
  operationId: string;
  summary: string;
  description?: string;
  body: Input;
  example: object;
  /** How the parts of the body are read; the schema checks what comes of it. */
  shape: Shape;
  /** Fields that are refused here, since who sends them expects what another route does, by its path. */
  elsewhere?: Record<string, string>;
  answer: z.ZodType;
  answered: string;
  /** Beside those of every route with a body. */
  refusals?: VxRefusal[];
}

/** What a handler gives is the answer's body: the texts that make its JSON, or an object to make it of. */
export function postJson<Input extends z.ZodObject>(
  { hono, bodies, maxBodyBytes }: VxApp,
  {
    path,
    operationId,
    summary,
    description,
    body,
    example,
    shape,
    elsewhere = {},
    answer,
    answered,
    refusals = [],
  }: JsonRoute<Input>,
  handle: (input: z.output<Input>) => Promise<object | Generator<string>>,
): void {
  const documented = jsonBody(body, example);
  hono.openAPIRegistry.registerPath({
    method: "post",
    path,
    operationId,
    summary,
    ...(description !== undefined && { description }),
    security: KEY_REQUIRED,
    request: documented,
    responses: { ...jsonAnswer(answer, answered), ...vxRefusals(401, ...BODY_REFUSALS, 503, ...refusals) },
  });
  hono.post(path, async (c) => {
    const request = c.req.raw;
    const input = await bodies.run(request, async () => {
      const bytes = await readJsonBody(request, maxBodyBytes, documented.body.required);
      const value = await inTurns(readJson(bytes, shape));
      refuseMistaken(value, Object.keys(body.shape), elsewhere);
      return checked(body, value);
    });
    // The index goes on to the end of what it was asked.
    const answerBody = await unlessAborted(handle(input), request.signal);
    return Symbol.iterator in answerBody
      ? jsonPieces(answerBody, request.signal)
      : jsonText(JSON.stringify(answerBody));
  });
}

/** The documented answer of a handler that writes its JSON by jsonText. */
export function textAnswer(schema: z.ZodType, description: string): { 200: { description: string } } {
  return jsonAnswer(schema, description);
}

/** `place` stands before the field in the message. @throws VxError `invalid_request`, or the code of the field */
export function checked<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  place: PropertyKey[] = [],
): z.output<Schema> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.map((issue) => ({ ...issue, path: [...place, ...issue.path] }));
  const code = (issues[0] as CodedIssue | undefined)?.params?.vxCode ?? "invalid_request";
  throw new VxError(code, issueText(issues, "The body"));
}
