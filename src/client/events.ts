/**
 * The node's events as an async iterable. Called by client. Source: WHATWG HTML, "Server-sent events", read over
 * fetch because EventSource can send no key.
 */
import { createParser, type EventSourceMessage } from "eventsource-parser";
import type { StreamEvent } from "../api/events.ts";
import type { Send } from "./send.ts";
import { jsonObject, ShoalError } from "./shoal-error.ts";

/** `id` goes into `lastEventId` of the next reading, to be told what was missed in between. */
export type ShoalEvent = StreamEvent & { id: string };

export interface EventOptions {
  /** Default: all. */
  events?: readonly StreamEvent["event"][];
  lastEventId?: string;
  signal?: AbortSignal;
}

export async function* readEvents(send: Send, options: EventOptions): AsyncGenerator<ShoalEvent> {
  const response = await send("GET", "/api/v1/events", {
    query: { events: options.events?.join(",") },
    headers: options.lastEventId === undefined ? {} : { "last-event-id": options.lastEventId },
    signal: options.signal,
  });
  const reader = response.body?.getReader();
  const messages: EventSourceMessage[] = [];
  const parser = createParser({ onEvent: (message) => void messages.push(message) });
  const decoder = new TextDecoder();
  try {
    for (let next = await reader?.read(); next?.value !== undefined; next = await reader?.read()) {
      parser.feed(decoder.decode(next.value, { stream: true }));
      for (const { id, data } of messages.splice(0)) {
        const event = jsonObject(data);
        if (event === undefined) throw ShoalError.badAnswer("GET /api/v1/events", response.status, data);
        yield { ...(event as StreamEvent), id: id ?? "" };
      }
    }
  } finally {
    await reader?.cancel();
  }
}
