/**
 * Tickets: a media element or a save can't send a key, so a client trades its key for a path to the bytes of
 * one file. POST /api/v1/tickets and GET /api/v1/stream/{ticket}. Called by app; kept by given-tickets.
 */
import { createRoute, z } from "@hono/zod-openapi";
import { keyOf } from "./bearer.ts";
import {
  CONTENT_REFUSALS,
  CONTENT_RESPONSES,
  ContentQuery,
  ContentRequestHeaders,
  contentResponse,
} from "./content.ts";
import { ApiError } from "./errors.ts";
import { FILE_ID } from "./examples.ts";
import { FileIdInBody, Timestamp } from "./fields.ts";
import { GivenTickets } from "./given-tickets.ts";
import { type ApiHono, jsonBody, KEY_REQUIRED } from "./hono-app.ts";
import type { NodePorts } from "./ports.ts";
import { BODY_REFUSALS, openRefusals, refusals } from "./refusals.ts";

const Ticket = z
  .object({
    url: z
      .string()
      .openapi({ description: "Path for GET and HEAD, no key needed; it ends with the key that took it" }),
    expires_at: Timestamp,
  })
  .openapi("Ticket");

const TicketRequest = z.object({ file_id: FileIdInBody });

export type Ticket = z.infer<typeof Ticket>;

export function ticketRoutes(app: ApiHono, { node, clock, keys }: NodePorts): void {
  const tickets = new GivenTickets(clock);

  const addRoute = createRoute({
    method: "post",
    path: "/api/v1/tickets",
    operationId: "createTicket",
    summary: "A path to a file's bytes for readers that can't send a key",
    security: KEY_REQUIRED,
    request: jsonBody(TicketRequest, { file_id: FILE_ID }),
    responses: {
      201: { description: "The ticket", content: { "application/json": { schema: Ticket } } },
      ...refusals(...BODY_REFUSALS, 404),
    },
  });
  app.openapi(addRoute, (c) => {
    const file = node.file(c.req.valid("json").file_id);
    const { ticket, expiresMs } = tickets.give({ fileId: file.id, key: keyOf(c.req.raw) ?? "" });
    const url = `/api/v1/stream/${ticket}`;
    return c.json({ url, expires_at: new Date(expiresMs).toISOString() }, 201);
  });

  const streamRoute = createRoute({
    method: "get",
    path: "/api/v1/stream/{ticket}",
    operationId: "getTicketContent",
    summary: "Bytes of the file a ticket was given for",
    security: [],
    request: {
      params: z.object({ ticket: z.string() }),
      query: ContentQuery,
      headers: ContentRequestHeaders,
    },
    responses: { ...CONTENT_RESPONSES, ...openRefusals(...CONTENT_REFUSALS) },
  });
  app.openapi(streamRoute, async (c) => {
    const given = tickets.find(c.req.valid("param").ticket);
    // It is worth no more than the key that it was traded for.
    if (given === undefined || !(await keys.verify(given.key))) throw new ApiError(404, "No such ticket");
    return await contentResponse(node, node.file(given.fileId), c.req.raw, c.req.valid("query"));
  });
}
