/** Server-sent events. Part of the conformance suite. */
import { randomBytes } from "node:crypto";
import { createParser, type EventSourceMessage } from "eventsource-parser";
import { describe, expect, it } from "vitest";
import { type Caller, nodeError } from "./caller.ts";
import { ISO_UTC } from "./known.ts";

export function describeEvents({ call, documentedEvent, refused, share }: Caller): void {
  describe("events", () => {
    /** Reads events until `last` comes; gives all of them. */
    async function eventsUntil(response: Response, last: string): Promise<EventSourceMessage[]> {
      const read: EventSourceMessage[] = [];
      const parser = createParser({ onEvent: (event) => void read.push(event) });
      const decoder = new TextDecoder();
      for await (const bytes of response.body as unknown as AsyncIterable<Uint8Array>) {
        parser.feed(decoder.decode(bytes, { stream: true }));
        if (read.some(({ event }) => event === last)) return read;
      }
      return read;
    }

    it("tells what happens, and replays it to a reader that comes back", async () => {
      const response = await call("/api/v1/events");
      expect(response.headers.get("content-type")).toBe("text/event-stream");
      const reading = eventsUntil(response, "file_deleted");
      const id = await share("event.bin", randomBytes(30));
      await call(`/api/v1/files/${id}`, { method: "DELETE" });
      const events = await reading;
      for (const { data } of events) expect(documentedEvent(JSON.parse(data))).toEqual([]);
      const shared = events.find(({ event }) => event === "file_shared");
      expect(JSON.parse(shared?.data ?? "")).toEqual({
        event: "file_shared",
        timestamp: expect.stringMatching(ISO_UTC),
        data: { file_id: id, name: "event.bin", size: 30, chunks: 1 },
      });
      const headers = { "last-event-id": shared?.id ?? "" };
      const missed = await eventsUntil(await call("/api/v1/events", { headers }), "file_deleted");
      expect(missed.map(({ event }) => event)).toEqual(["file_deleted"]);
    });

    it("sends only the events asked for and refuses unknown ones", async () => {
      const response = await call("/api/v1/events?events=file_deleted");
      const reading = eventsUntil(response, "file_deleted");
      const id = await share("filtered.bin", randomBytes(30));
      await call(`/api/v1/files/${id}`, { method: "DELETE" });
      expect((await reading).map(({ event }) => event)).toEqual(["file_deleted"]);
      expect(await refused(call("/api/v1/events?events=nothing"))).toMatchObject(nodeError(400));
    });
  });
}
