/** The end of the reading thread that waits: deadlines, threads that end, and threads with nothing to do. */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import * as Comlink from "comlink";
import { describe, expect, it } from "vitest";
import type { ServingThread } from "../../../src/search/serving-thread.ts";
import { DOCUMENT_TIMEOUT_MS, THREAD_IDLE_MS } from "../../../src/search/texts/limits.ts";
import { TextReader } from "../../../src/search/texts/text-reader.ts";
import { deferred } from "../../deferred.ts";
import { HandClock } from "../hand-clock.ts";
import { textThread } from "./word-model.ts";

setFlagsFromString("--expose-gc");
const collect: () => void = runInNewContext("gc");

const { signal } = new AbortController();
const bytes = () => new TextEncoder().encode("Knead the dough.");

/** A reader whose threads the test sees. */
function openReader(serve?: (port: Comlink.Endpoint) => void) {
  const clock = new HandClock();
  const threads: ServingThread[] = [];
  let ended = 0;
  const reader = new TextReader(() => {
    const thread = textThread(serve);
    void thread.ended.then(() => {
      ended += 1;
    });
    threads.push(thread);
    return thread;
  }, clock);
  return { reader, clock, threads, endedCount: () => ended };
}

/** Loads what it is asked to, and never comes back from a document; `asked` is told of each. */
const neverReads = (asked: () => void) => (port: Comlink.Endpoint) => {
  const read = () => {
    asked();
    return new Promise(() => undefined);
  };
  Comlink.expose({ load: async () => undefined, read }, port);
};

const failsToLoad = (port: Comlink.Endpoint) => {
  const load = async () => {
    throw new Error("no such part");
  };
  Comlink.expose({ load }, port);
};

const loadsForEver = (port: Comlink.Endpoint) =>
  Comlink.expose({ load: () => new Promise(() => undefined) }, port);

describe("the reader of texts", () => {
  it("reads several documents in one thread, which ends when there are no more", async () => {
    const { reader, clock, threads, endedCount } = openReader();
    for (let i = 0; i < 2; i++) {
      expect(await reader.read("a.txt", bytes(), signal)).toEqual({ text: "Knead the dough." });
    }
    expect(threads).toHaveLength(1);
    expect(endedCount()).toBe(0);
    await clock.pass(THREAD_IDLE_MS);
    expect(endedCount()).toBe(1);
    expect(await reader.read("a.txt", bytes(), signal)).toEqual({ text: "Knead the dough." });
    expect(threads).toHaveLength(2);
    await reader.close();
  });

  it("keeps nothing of what it has read, however long its thread goes on", async () => {
    const { reader } = openReader();
    const read: WeakRef<object>[] = [];
    for (let i = 0; i < 10; i++) read.push(new WeakRef(await reader.read("a.txt", bytes(), signal)));
    // What a job of the engine's has looked at is held until its end.
    await new Promise((resolve) => setImmediate(resolve));
    collect();
    expect(read.filter((text) => text.deref() !== undefined).length).toBeLessThan(2);
    await reader.close();
  });

  it("gives a document up after its time, and its thread with it", async () => {
    const asked = deferred();
    const { reader, clock, endedCount } = openReader(neverReads(asked.resolve));
    const reading = reader.read("a.pdf", bytes(), signal);
    await asked.promise;
    await clock.pass(DOCUMENT_TIMEOUT_MS);
    expect(await reading).toEqual({ unreadable: expect.stringContaining("too long") });
    expect(endedCount()).toBe(1);
  });

  it("keeps no thread that it gave up over a document", async () => {
    const ports: WeakRef<object>[] = [];
    for (let i = 0; i < 3; i++) {
      const asked = deferred();
      const { reader, threads } = openReader(neverReads(asked.resolve));
      const reading = reader.read("a.pdf", bytes(), signal);
      await asked.promise;
      ports.push(new WeakRef((threads[0] as ServingThread).port));
      await reader.close();
      await reading;
    }
    const countKept = () => {
      collect();
      return ports.filter((port) => port.deref() !== undefined).length;
    };
    await expect.poll(countKept).toBeLessThan(2);
  });

  it("tells that a thread ended over a document, and starts another for the next", async () => {
    let asked = deferred();
    const { reader, threads } = openReader(neverReads(() => asked.resolve()));
    const reading = reader.read("a.pdf", bytes(), signal);
    await asked.promise;
    await threads[0]?.end();
    expect(await reading).toHaveProperty("unreadable");
    asked = deferred();
    const next = reader.read("b.pdf", bytes(), signal);
    expect(threads).toHaveLength(2);
    await asked.promise;
    await reader.close();
    expect(await next).toHaveProperty("unreadable");
  });

  it.each([
    ["its thread ends before it runs", () => undefined, /ended/],
    ["a part of it is not to be had", failsToLoad, /no such part/],
    ["it takes too long", loadsForEver, /too long/],
  ])("fails where what reads a document can't be loaded: %s", async (_why, serve, reason) => {
    const { reader, clock, threads, endedCount } = openReader(serve);
    const reading = reader.read("a.pdf", bytes(), signal);
    const failing = expect(reading).rejects.toThrow(reason);
    if (serve === loadsForEver) await clock.pass(DOCUMENT_TIMEOUT_MS);
    else if (serve !== failsToLoad) await threads[0]?.end();
    await failing;
    expect(endedCount()).toBe(1);
  });

  it("ends its thread when it is told to stop", async () => {
    const { reader, endedCount } = openReader(loadsForEver);
    const stopping = new AbortController();
    const reading = reader.read("a.pdf", bytes(), stopping.signal);
    stopping.abort(new Error("stop"));
    await expect(reading).rejects.toThrow("stop");
    expect(endedCount()).toBe(1);
  });
});
