/** Which events a reader is sent, when, and from where on: src/api/event-stream. */
import { createParser, type EventSourceMessage } from "eventsource-parser";
import { describe, expect, it } from "vitest";
import { bodyStream } from "../../../src/api/body-stream.ts";
import { eventStream } from "../../../src/api/event-stream.ts";
import { EVENT_HEARTBEAT_MS, MAX_PENDING_EVENTS, MAX_PENDING_PROGRESS } from "../../../src/api/limits.ts";
import { createNodeEvents, type NodeEvents } from "../../../src/sharing/events.ts";
import { EVENT_HISTORY } from "../../../src/sharing/limits.ts";
import { HandClock, settled } from "../hand-clock.ts";

function progressOf(transferId: string, progress: number) {
  return {
    transfer_id: transferId,
    file_id: "f",
    status: "in_progress",
    progress,
    speed: 1,
    peers: 1,
    estimated_completion: null,
  };
}

interface OpenOptions {
  after?: number;
  reads?: boolean;
  mayRead?: () => boolean;
}

function open({ after, reads = true, mayRead = () => true }: OpenOptions = {}, events?: NodeEvents) {
  const clock = new HandClock();
  const node = events ?? createNodeEvents(clock);
  const overrun = new AbortController();
  const options = {
    events: node,
    clock,
    after,
    idPrefix: "run-",
    wants: () => true,
    mayRead: async () => mayRead(),
    onOverrun: () => overrun.abort(new Error("too slow")),
  };
  const reader = bodyStream((signal) => eventStream(options, signal), overrun.signal).getReader();
  const read: EventSourceMessage[] = [];
  const comments: string[] = [];
  const parser = createParser({
    onEvent: (event) => void read.push(event),
    onComment: (comment) => void comments.push(comment),
  });
  async function readAll(): Promise<void> {
    for (let next = await reader.read(); next.value !== undefined; next = await reader.read()) {
      parser.feed(new TextDecoder().decode(next.value));
    }
  }
  const done = reads ? readAll() : Promise.resolve();
  return { clock, node, reader, read, readAll, comments, done, overrun };
}

const progresses = (read: EventSourceMessage[]) => read.map(({ data }) => JSON.parse(data).data.progress);

describe("an event stream", () => {
  it("ends with the first event that its reader may no longer read", async () => {
    let isKeyValid = true;
    const { node, read, done } = open({ mayRead: () => isKeyValid });
    await settled();
    node.publish("file_deleted", { file_id: "f" });
    await settled();
    isKeyValid = false;
    node.publish("file_deleted", { file_id: "g" });
    await done;
    expect(read).toHaveLength(1);
  });

  it("ends in the silence, too, once its reader may no longer read", async () => {
    const { clock, comments, done } = open({ mayRead: () => false });
    await clock.pass(EVENT_HEARTBEAT_MS);
    await done;
    expect(comments).toEqual(["connected"]);
  });

  it("sends events at once, as ids, names and webhook bodies", async () => {
    const { node, read } = open();
    await settled();
    node.publish("file_deleted", { file_id: "f" });
    await settled();
    expect(read).toEqual([
      {
        id: "run-1",
        event: "file_deleted",
        data: '{"event":"file_deleted","timestamp":"2023-11-14T22:13:20.000Z","data":{"file_id":"f"}}',
        retry: undefined,
      },
    ]);
  });

  it("sends progress of a transfer at most four times a second, the newest", async () => {
    const { clock, node, read, comments } = open();
    await settled();
    for (let step = 0; step < 100; step += 1) {
      node.publish("transfer_progress", progressOf("t", step / 100));
      await clock.pass(20);
    }
    await clock.pass(1000);
    expect(read.length).toBeGreaterThanOrEqual(8);
    expect(read.length).toBeLessThanOrEqual(9);
    expect(progresses(read).at(-1)).toBe(0.99);
    expect(progresses(read)).toEqual([...progresses(read)].sort((a, b) => a - b));
    expect(comments).toEqual(["connected"]);
  });

  it("knows of so many transfers when it last sent their progress, and sends that of those before as if new", async () => {
    const { node, read } = open();
    await settled();
    const tell = async (ids: number[]) => {
      for (const id of ids) node.publish("transfer_progress", progressOf(`${id}`, 0.5));
      await settled();
    };
    await tell(Array.from({ length: MAX_PENDING_PROGRESS }, (_, id) => id));
    await tell([MAX_PENDING_PROGRESS]);
    read.length = 0;
    await tell([0, MAX_PENDING_PROGRESS]);
    expect(read.map(({ data }) => JSON.parse(data).data.transfer_id)).toEqual(["0"]);
  });

  it("holds progress of one transfer back no longer because of another", async () => {
    const { node, read } = open();
    await settled();
    for (const id of ["a", "b", "c"]) node.publish("transfer_progress", progressOf(id, 0.5));
    await settled();
    expect(read).toHaveLength(3);
  });

  it("sends what waits for its reader in the order of the ids, after which one that returns is told no more", async () => {
    const { node, reader, read, readAll } = open({ reads: false });
    await reader.read();
    node.publish("transfer_progress", progressOf("a", 0.5));
    node.publish("file_deleted", { file_id: "f" });
    node.publish("transfer_progress", progressOf("b", 0.5));
    void readAll();
    await settled();
    expect(read.map(({ id }) => id)).toEqual(["run-1", "run-2", "run-3"]);
  });

  it("keeps progress of so many transfers for its reader, and forgets the oldest of more", async () => {
    const { node, reader, read, readAll } = open({ reads: false });
    await reader.read();
    for (let count = 0; count <= MAX_PENDING_PROGRESS; count += 1)
      node.publish("transfer_progress", progressOf(`${count}`, 0.5));
    void readAll();
    await settled();
    expect(read).toHaveLength(MAX_PENDING_PROGRESS);
    expect(read[0]?.id).toBe("run-2");
  });

  it("sends no progress after the event that ended its transfer", async () => {
    const { clock, node, read } = open();
    await settled();
    node.publish("transfer_progress", progressOf("t", 0.1));
    await settled();
    node.publish("transfer_progress", progressOf("t", 0.9));
    node.publish("transfer_cancelled", { transfer_id: "t", file_id: "f" });
    await clock.pass(1000);
    expect(read.map(({ event }) => event)).toEqual(["transfer_progress", "transfer_cancelled"]);
  });

  it("begins with what was missed, in order and without repeats", async () => {
    const events = createNodeEvents(new HandClock());
    for (const id of ["a", "b", "c"]) events.publish("file_deleted", { file_id: id });
    const { read } = open({ after: 1 }, events);
    await settled();
    expect(read.map(({ id }) => id)).toEqual(["run-2", "run-3"]);
  });

  it("bears what happens while one that was away is still sent the whole history", async () => {
    const events = createNodeEvents(new HandClock());
    for (let nth = 0; nth < EVENT_HISTORY; nth += 1) {
      events.publish("file_deleted", { file_id: `${nth}` });
      events.publish("peer_disconnected", { peer_id: `${nth}` });
    }
    const { reader, read, readAll, overrun } = open({ after: 0, reads: false }, events);
    await reader.read();
    events.publish("file_deleted", { file_id: "meanwhile" });
    expect(overrun.signal.aborted).toBe(false);
    void readAll();
    await settled();
    expect(read).toHaveLength(2 * EVENT_HISTORY + 1);
  });

  it("breaks the silence with comments", async () => {
    const { clock, comments } = open();
    await clock.pass(46_000);
    expect(comments).toEqual(["connected", "still here", "still here", "still here"]);
  });

  it("ends a reader that does not read, and listens no more", async () => {
    const { node, reader, overrun } = open({ reads: false });
    await reader.read();
    for (let count = 0; count <= MAX_PENDING_EVENTS + 1; count += 1)
      node.publish("file_deleted", { file_id: "f" });
    expect(overrun.signal.aborted).toBe(true);
    await expect(reader.read()).rejects.toThrow("too slow");
  });

  it("has one timer while it waits, and none once it was broken off", async () => {
    const { clock, node, overrun, done } = open();
    for (const file_id of ["f", "g"]) {
      await settled();
      node.publish("file_deleted", { file_id });
    }
    await settled();
    expect(clock.sleeperCount).toBe(1);
    overrun.abort(new Error("the node stops"));
    await expect(done).rejects.toThrow("the node stops");
    await settled();
    expect(clock.sleeperCount).toBe(0);
  });

  it("stops listening when its reader leaves", async () => {
    const listeners: unknown[] = [];
    const events = createNodeEvents(new HandClock());
    const counted: NodeEvents = {
      ...events,
      subscribe(listener) {
        listeners.push(listener);
        return () => void listeners.splice(listeners.indexOf(listener), 1);
      },
    };
    const { reader } = open({ reads: false }, counted);
    await reader.read();
    expect(listeners).toHaveLength(1);
    await reader.cancel();
    expect(listeners).toHaveLength(0);
  });
});
