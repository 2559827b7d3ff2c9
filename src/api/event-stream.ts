/**
 * One reader of the node's events as server-sent events: first what it missed, then what happens, with comments
 * in between so that proxies keep the line open. Progress of a transfer goes out at most 4 times a second, the
 * newest alone. Memory is bounded: a reader that is too slow is ended, and finds what it missed on its return.
 * Called by events. Source: WHATWG HTML, "Server-sent events".
 */
import { Bell } from "../sharing/bell.ts";
import type { NodeEvent, NodeEvents } from "../sharing/events.ts";
import { forgetOldest } from "../sharing/forget-oldest.ts";
import type { Clock } from "../sharing/ports.ts";
import {
  EVENT_HEARTBEAT_MS,
  MAX_PENDING_EVENTS,
  MAX_PENDING_PROGRESS,
  PROGRESS_INTERVAL_MS,
} from "./limits.ts";

type Progress = Extract<NodeEvent, { event: "transfer_progress" }>;

export interface EventStreamOptions {
  events: NodeEvents;
  clock: Clock;
  /** Kept events above this id come first; undefined: none. */
  after: number | undefined;
  /** Text before the number in each event's id, so that ids of another run are told apart. */
  idPrefix: string;
  wants: (event: NodeEvent) => boolean;
  /** Asked before every line that is sent: a key may be revoked while its reader is here. false ends the stream. */
  mayRead: () => Promise<boolean>;
  /** Called when the reader is too slow; ends the stream, also while nobody reads it. */
  onOverrun: () => void;
}

/** Text of the stream until `signal` aborts. */
export async function* eventStream(
  options: EventStreamOptions,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const { events, clock, wants } = options;
  const encoder = new TextEncoder();
  const pending: NodeEvent[] = [];
  const progress = new Map<string, Progress>();
  const lastSentMs = new Map<string, number>();
  const news = new Bell();

  function take(event: NodeEvent): void {
    if (!wants(event)) return;
    if (event.event === "transfer_progress") {
      progress.set(event.data.transfer_id, event);
      forgetOldest(progress, MAX_PENDING_PROGRESS);
    } else {
      if ("transfer_id" in event.data) forget(event.data.transfer_id);
      pending.push(event);
    }
    news.ring();
  }

  /** Progress that its transfer has outrun; told in the event that ended it. */
  function forget(transferId: string): void {
    progress.delete(transferId);
    lastSentMs.delete(transferId);
  }

  /** What may go out now, in the order of the ids. */
  function due(): NodeEvent[] {
    const now = clock.monotonic();
    const ready = pending.splice(0);
    for (const [transferId, event] of progress) {
      if (now - (lastSentMs.get(transferId) ?? Number.NEGATIVE_INFINITY) < PROGRESS_INTERVAL_MS) continue;
      progress.delete(transferId);
      lastSentMs.delete(transferId);
      lastSentMs.set(transferId, now);
      ready.push(event);
    }
    while (forgetOldest(lastSentMs, MAX_PENDING_PROGRESS) !== undefined);
    return ready.sort((a, b) => a.id - b.id);
  }

  const unsubscribe = events.subscribe((event) => {
    take(event);
    if (pending.length <= MAX_PENDING_EVENTS) return;
    unsubscribe();
    options.onOverrun();
  });
  try {
    if (options.after !== undefined) for (const event of events.since(options.after)) take(event);
    yield encoder.encode(": connected\n\n");
    while (!signal.aborted) {
      const ready = due();
      if (ready.length > 0) {
        if (!(await options.mayRead())) return;
        yield encoder.encode(ready.map((event) => eventText(event, options.idPrefix)).join(""));
        continue;
      }
      const waitMs = progress.size > 0 ? PROGRESS_INTERVAL_MS : EVENT_HEARTBEAT_MS;
      // It throws where the signal aborts, which ends the loop.
      const isNews = await news.waitUntil(clock.monotonic() + waitMs, clock, signal).catch(() => true);
      if (isNews || progress.size > 0) continue;
      if (!(await options.mayRead())) return;
      yield encoder.encode(": still here\n\n");
    }
  } finally {
    unsubscribe();
  }
}

/** The body is that of a webhook for the same event. */
function eventText({ id, event, timestamp, data }: NodeEvent, idPrefix: string): string {
  return `id: ${idPrefix}${id}\nevent: ${event}\ndata: ${JSON.stringify({ event, timestamp, data })}\n\n`;
}
