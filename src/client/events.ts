/**
 * The node's events as an async iterable. Called by client. Source: WHATWG HTML, "Server-sent events", read over
 * fetch because EventSource can send no key.
 */
import { createParser, type EventSourceMessage } from "eventsource-parser";
import type { StreamEvent } from "../api/events.ts";
import { holds, isText } from "./answer-checks.ts";
import type { Send } from "./send.ts";
import { jsonObject, ShoalError } from "./shoal-error.ts";

/** `id` goes into `lastEventId` of the next reading, to be told what was missed in between. */
export type ShoalEvent = StreamEvent & { id: string };

export interface EventOptions {
  /** Default: all. */
  events?: readonly StreamEvent["event"][] | undefined;
  lastEventId?: string | undefined;
  signal?: AbortSignal | undefined;
}

const PLACE = "GET /api/v1/events";
const isEvent = holds<StreamEvent>({ event: isText, data: holds({}) });

export async function* readEvents(send: Send, options: EventOptions): AsyncGenerator<ShoalEvent> {
  const response = await send("GET", "/api/v1/events", {
    query: { events: options.events?.join(",") },
    headers: options.lastEventId === undefined ? {} : { "last-event-id": options.lastEventId },
    signal: options.signal,
  });
  const mediaType = response.headers.get("content-type") ?? "";
  if (!/^text\/event-stream\b/i.test(mediaType)) {
    await response.body?.cancel();
    throw ShoalError.badAnswer(PLACE, response.status, "is no stream of events", mediaType);
  }
  const reader = response.body?.getReader();
  const messages: EventSourceMessage[] = [];
  const parser = createParser({ onEvent: (message) => void messages.push(message) });
  const decoder = new TextDecoder();
  try {
    for (let next = await reader?.read(); next?.value !== undefined; next = await reader?.read()) {
      parser.feed(decoder.decode(next.value, { stream: true }));
      for (const { id, data } of messages.splice(0)) {
        const event = jsonObject(data);
        if (event === undefined || !isEvent(event)) {
          throw ShoalError.badAnswer(PLACE, response.status, "is no event", data);
        }
        yield { ...(event as StreamEvent), id: id ?? "" };
      }
    }
  } finally {
    await reader?.cancel();
  }
}
