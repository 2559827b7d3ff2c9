/**
 * GET /api/v1/events: what happens on the node, as server-sent events. Read by fetch with a key in its header;
 * a reader that comes back with Last-Event-ID is told what it missed. Called by app; calls event-stream.
 */
import { createRoute, z } from "@hono/zod-openapi";
import type { NodeEvent, NodeEventName } from "../sharing/events.ts";
import { EVENT_STREAM_HEADERS } from "./answer-headers.ts";
import { hasKey } from "./bearer.ts";
import { bodyStream } from "./body-stream.ts";
import { ApiError } from "./errors.ts";
import { eventSchema } from "./event-schema.ts";
import { eventStream } from "./event-stream.ts";
import { nameList, requestHeader } from "./fields.ts";
import { type ApiHono, KEY_REQUIRED } from "./hono-app.ts";
import { MAX_EVENT_STREAMS } from "./limits.ts";
import { type NodePorts, WEBHOOK_EVENTS } from "./ports.ts";
import { refusals } from "./refusals.ts";

const STREAM_EVENTS = [
  ...WEBHOOK_EVENTS,
  "transfer_progress",
  "transfer_interrupted",
  "file_unlisted",
  "invitation_received",
  "invitation_answered",
] as const satisfies readonly NodeEventName[];

/** What the data of each event in the stream holds. */
export type StreamEvent = NodeEvent extends infer E ? (E extends NodeEvent ? Omit<E, "id"> : never) : never;

const StreamEvent = eventSchema(STREAM_EVENTS).openapi("NodeEvent");

const EventsQuery = z.object({
  events: nameList(STREAM_EVENTS, "Only these events, with commas between").optional(),
});

const EventsRequestHeaders = z.object({
  "Last-Event-ID": requestHeader("Id of the last event that was read: those after it come first"),
});

export function eventRoutes(app: ApiHono, { node, clock, keys }: NodePorts): void {
  /** Numbers of events start anew with each run of the node; this tells the runs apart. */
  const idPrefix = `${clock.now().toString(36)}-`;
  let openStreams = 0;

  const route = createRoute({
    method: "get",
    path: "/api/v1/events",
    operationId: "streamEvents",
    summary: "Events as they happen",
    security: KEY_REQUIRED,
    request: { query: EventsQuery, headers: EventsRequestHeaders },
    responses: {
      200: {
        description: "Server-sent events: each has an id, its name, and this as JSON for its data",
        content: { "text/event-stream": { schema: StreamEvent } },
        headers: EVENT_STREAM_HEADERS,
      },
      ...refusals(400, 503),
    },
  });
  app.openapi(route, (c) => {
    const headers = { "Content-Type": "text/event-stream", "X-Accel-Buffering": "no" };
    if (c.req.raw.method === "HEAD") return new Response(null, { headers });
    if (openStreams >= MAX_EVENT_STREAMS) throw new ApiError(503, "Too many event streams are open");
    const names: readonly NodeEventName[] = c.req.valid("query").events ?? STREAM_EVENTS;
    const tooSlow = new AbortController();
    const options = {
      events: node.events,
      clock,
      after: missedAfter(c.req.header("last-event-id"), idPrefix),
      idPrefix,
      wants: ({ event }: { event: NodeEventName }) => names.includes(event),
      mayRead: () => hasKey(c.req.raw, keys),
      onOverrun: () => tooSlow.abort(new Error("The reader of the event stream is too slow")),
    };
    // Counted from now on: those that come at once would all find room before the first is read.
    openStreams += 1;
    const body = bodyStream(
      (signal) => eventStream(options, signal),
      AbortSignal.any([c.req.raw.signal, tooSlow.signal]),
      () => {
        openStreams -= 1;
      },
    );
    return new Response(body, { headers });
  });
}

/** An id of another run means that all of this one was missed. */
function missedAfter(lastEventId: string | undefined, idPrefix: string): number | undefined {
  if (lastEventId === undefined || lastEventId === "") return undefined;
  const number = lastEventId.startsWith(idPrefix) ? Number(lastEventId.slice(idPrefix.length)) : 0;
  return Number.isSafeInteger(number) && number > 0 ? number : 0;
}
