/** Who has the model when, and what becomes of its thread: src/search/embedding/model-queue. */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { EmbeddingError } from "../../src/search/embedding/errors.ts";
import {
  BACKGROUND_IDLE_MS,
  CROWD_LOOK_MS,
  IDLE_MS,
  LOOK_MS,
  MAX_BATCH_TEXTS,
  MAX_TEXT_CHARS,
  MAX_WAITING_CALLS,
  START_RETRY_MS,
  TYPING_MS,
} from "../../src/search/embedding/limits.ts";
import { ModelQueue } from "../../src/search/embedding/model-queue.ts";
import { RemoteModel } from "../../src/search/embedding/remote-model.ts";
import { CARD, embeddingOf, ServedModels } from "./served-model.ts";

setFlagsFromString("--expose-gc");
const collect: () => void = runInNewContext("gc");

const texts = (count: number, name = "text") => Array.from({ length: count }, (_, at) => `${name} ${at}`);

describe("the queue before a model", () => {
  let served: ServedModels;
  let queue: ModelQueue;

  beforeEach(() => {
    served = new ServedModels();
    queue = ModelQueue.onDemand(CARD, served.startThread);
  });
  afterEach(async () => {
    vi.useRealTimers();
    await queue.close();
  });

  it("starts the thread with the first call, and tells the model before it", async () => {
    expect(queue).toMatchObject(CARD);
    expect(queue.background).toMatchObject(CARD);
    expect(served.started).toBe(0);
    await queue.embed(["a"]);
    await queue.background.embed(["b"]);
    expect(served.started).toBe(1);
  });

  it("gives the embeddings in the texts' order, by batches of bounded size", async () => {
    const all = texts(MAX_BATCH_TEXTS * 2 + 5);
    expect([...(await queue.embed(all))]).toEqual(all.flatMap(embeddingOf));
    expect(served.batches.map(({ length }) => length)).toEqual([MAX_BATCH_TEXTS, MAX_BATCH_TEXTS, 5]);
    expect(await queue.background.embed(all)).toEqual(await queue.embed(all));
    expect(await queue.embed([])).toEqual(new Float32Array(0));
  });

  it("keeps no embedding that the model gave, however long its thread goes on", async () => {
    const model = await RemoteModel.open(served.startThread, undefined);
    const given: WeakRef<object>[] = [];
    for (let i = 0; i < 10; i++) given.push(new WeakRef(await model.embed(["a"])));
    // What a job of the engine's has looked at is held until its end.
    await new Promise((resolve) => setImmediate(resolve));
    collect();
    expect(given.filter((numbers) => numbers.deref() !== undefined).length).toBeLessThan(2);
    await model.end();
  });

  it("keeps no thread that was lost amid a batch", async () => {
    const release = served.hold();
    const ports: WeakRef<object>[] = [];
    for (let i = 0; i < 3; i++) {
      const startThread = () => {
        const thread = served.startThread();
        ports.push(new WeakRef(thread.port));
        return thread;
      };
      const model = await RemoteModel.open(startThread, undefined);
      const arrived = served.nextBatch();
      // What is expected to throw, the test keeps until its end.
      const lost = model.embed(["a"]).catch(() => undefined);
      await arrived;
      served.crash();
      await lost;
    }
    release();
    const countKept = () => {
      collect();
      return ports.filter((port) => port.deref() !== undefined).length;
    };
    await expect.poll(countKept).toBeLessThan(2);
  });

  it("sends no more of a text than is read", async () => {
    await queue.embed(["x".repeat(10 * MAX_TEXT_CHARS)]);
    expect(served.batches[0]?.[0]).toHaveLength(MAX_TEXT_CHARS);
  });

  it("answers a query between two batches of the background", async () => {
    await queue.background.embed(["warm"]);
    served.batches.length = 0;
    const release = served.hold();
    const arrived = served.nextBatch();
    const background = queue.background.embed(texts(MAX_BATCH_TEXTS * 3, "background"));
    await arrived;
    const query = queue.embed(["query"]);
    release();
    await query;
    expect(served.batches[1]).toEqual(["query"]);
    await background;
    expect(served.batches.slice(2).flat()).not.toContain("query");
  });

  it("goes on without a call that is aborted, under way or waiting", async () => {
    const release = served.hold();
    const [first, second] = [new AbortController(), new AbortController()];
    const arrived = served.nextBatch();
    const underWay = queue.embed(["under way"], first.signal);
    const waiting = queue.embed(["waiting"], second.signal);
    const kept = queue.embed(["kept"]);
    await arrived;
    first.abort();
    second.abort(new Error("typed on"));
    await Promise.all([
      expect(underWay).rejects.toMatchObject({ name: "AbortError" }),
      expect(waiting).rejects.toThrow("typed on"),
    ]);
    release();
    expect([...(await kept)]).toEqual(embeddingOf("kept"));
    expect(served.batches.flat()).not.toContain("waiting");
    await expect(queue.embed(["late"], AbortSignal.abort())).rejects.toMatchObject({ name: "AbortError" });
  });

  it("fails all calls when it is closed, and takes no more", async () => {
    served.hold();
    const arrived = served.nextBatch();
    const calls = [queue.embed(["a"]), queue.embed(["b"]), queue.background.embed(["c"])];
    const outcomes = Promise.allSettled(calls);
    await arrived;
    await queue.close();
    for (const outcome of await outcomes) {
      expect(outcome).toMatchObject({ status: "rejected", reason: { name: "closed" } });
    }
    expect(served.ended).toBe(1);
    await expect(queue.embed(["d"])).rejects.toMatchObject({ name: "closed" });
    await expect(queue.background.embed(["e"])).rejects.toMatchObject({ name: "closed" });
  });

  it("fails a call whose thread is lost, and starts another for the next", async () => {
    served.hold();
    const arrived = served.nextBatch();
    const lost = expect(queue.embed(["a"])).rejects.toMatchObject({
      name: "unavailable",
      message: "The model's thread was lost",
      cause: expect.objectContaining({ message: "out of memory" }),
    });
    await arrived;
    served.crash();
    await lost;
    served.hold()();
    expect([...(await queue.embed(["abc"]))]).toEqual(embeddingOf("abc"));
    expect(served.started).toBe(2);
  });

  it("ends the thread after a while without a call", async () => {
    await queue.embed(["a"]);
    vi.useFakeTimers();
    await queue.embed(["b"]);
    await vi.advanceTimersByTimeAsync(IDLE_MS - 1);
    expect(served.ended).toBe(0);
    await vi.advanceTimersByTimeAsync(1);
    expect(served.ended).toBe(1);
    vi.useRealTimers();
    await queue.embed(["c"]);
    expect(served.started).toBe(2);
  });

  it("tells what the system says of a model's files to the log alone", async () => {
    served.failure = new Error("ENOENT: no such file or directory, open '/home/who/web/model.onnx'");
    const refusal = await queue.embed(["a"]).catch((error: unknown) => error);
    expect(refusal).toMatchObject({
      name: "unavailable",
      message: expect.not.stringContaining("/home/who"),
      cause: { message: expect.stringContaining("/home/who") },
    });
  });

  it("tries a model that did not start again after a while, not for every call", async () => {
    vi.useFakeTimers({ toFake: ["performance"] });
    served.failure = new EmbeddingError("bad_model", "it is none");
    for (let call = 0; call < 3; call++) {
      await expect(queue.embed(["a"])).rejects.toMatchObject({ name: "bad_model", message: "it is none" });
    }
    expect(served.started).toBe(1);
    served.failure = undefined;
    vi.advanceTimersByTime(START_RETRY_MS);
    await queue.embed(["a"]);
    expect(served.started).toBe(2);
  });

  it("tries a model again whose thread could not even be made", async () => {
    vi.useFakeTimers({ toFake: ["performance"] });
    await queue.close();
    let refuse = () => {};
    queue = ModelQueue.onDemand(CARD, () => {
      refuse();
      return served.startThread();
    });
    served.failure = new EmbeddingError("unavailable", "no room for it");
    await expect(queue.embed(["a"])).rejects.toMatchObject({ name: "unavailable" });
    served.failure = undefined;
    refuse = () => {
      throw new Error("spawn ENOMEM");
    };
    vi.advanceTimersByTime(START_RETRY_MS);
    await expect(queue.embed(["a"])).rejects.toMatchObject({
      name: "unavailable",
      message: "The model's thread can't be started: spawn ENOMEM",
    });
    refuse = () => {};
    vi.advanceTimersByTime(START_RETRY_MS);
    expect([...(await queue.embed(["abc"]))]).toEqual(embeddingOf("abc"));
  });

  it("refuses calls beyond what may wait", async () => {
    const release = served.hold();
    const calls = Array.from({ length: MAX_WAITING_CALLS }, () => queue.embed(["a"]));
    await expect(queue.embed(["b"])).rejects.toMatchObject({ name: "unavailable" });
    release();
    await Promise.all(calls);
  });
});

describe("a queue whose host has no room for the model while files are moved", () => {
  let served: ServedModels;
  let queue: ModelQueue;
  let isCrowded: boolean;

  beforeEach(() => {
    served = new ServedModels();
    isCrowded = false;
    queue = ModelQueue.onDemand(CARD, served.startThread, { isCrowded: () => isCrowded });
  });
  afterEach(async () => {
    vi.useRealTimers();
    await queue.close();
  });

  it("ends the thread of the background before what is moved takes its memory", async () => {
    await queue.background.embed(["a"]);
    vi.useFakeTimers();
    await queue.background.embed(["b"]);
    isCrowded = true;
    await vi.advanceTimersByTimeAsync(CROWD_LOOK_MS);
    expect(served.ended).toBe(1);
  });

  it("ends the thread soon where only the background has called, and later after a query", async () => {
    await queue.background.embed(["a"]);
    vi.useFakeTimers();
    await queue.background.embed(["b"]);
    await vi.advanceTimersByTimeAsync(BACKGROUND_IDLE_MS);
    expect(served.ended).toBe(1);
    vi.useRealTimers();
    await queue.embed(["query"]);
    vi.useFakeTimers();
    await queue.background.embed(["c"]);
    await vi.advanceTimersByTimeAsync(IDLE_MS - LOOK_MS);
    expect(served.ended).toBe(1);
    await vi.advanceTimersByTimeAsync(LOOK_MS);
    expect(served.ended).toBe(2);
  });

  it("lets the background wait without a thread, until there is room", async () => {
    isCrowded = true;
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
    const onWork = vi.fn();
    const waiting = queue.background.embed(["a"], undefined, onWork);
    await vi.advanceTimersByTimeAsync(10 * LOOK_MS);
    expect(served.started).toBe(0);
    isCrowded = false;
    await vi.advanceTimersByTimeAsync(LOOK_MS);
    vi.useRealTimers();
    expect([...(await waiting)]).toEqual(embeddingOf("a"));
    // Its wait was no work.
    expect(onWork).toHaveBeenCalledOnce();
    expect(onWork.mock.lastCall?.[0]).toBeLessThan(LOOK_MS);
  });

  it("answers queries all the same, and keeps the thread for a while of typing", async () => {
    isCrowded = true;
    await queue.embed(["a"]);
    vi.useFakeTimers();
    await queue.embed(["b"]);
    expect(served.started).toBe(1);
    await vi.advanceTimersByTimeAsync(TYPING_MS - LOOK_MS);
    expect(served.ended).toBe(0);
    await vi.advanceTimersByTimeAsync(LOOK_MS);
    expect(served.ended).toBe(1);
  });

  it("answers a query, and leaves the background waiting", async () => {
    isCrowded = true;
    const waiting = queue.background.embed(["background"]);
    await queue.embed(["query"]);
    expect(served.batches).toEqual([["query"]]);
    const closed = expect(waiting).rejects.toMatchObject({ name: "closed" });
    await queue.close();
    await closed;
  });
});

describe("a queue before a model of one's own", () => {
  it("loads it to see what it is", async () => {
    const served = new ServedModels();
    const queue = await ModelQueue.open("folder", served.startThread);
    expect(queue).toMatchObject(CARD);
    expect(served.started).toBe(1);
    await queue.embed(["a"]);
    expect(served.started).toBe(1);
    await queue.close();
  });

  it("fails where it can't be loaded, and leaves no thread", async () => {
    const served = new ServedModels();
    served.failure = new EmbeddingError("bad_model", "it is none");
    await expect(ModelQueue.open("folder", served.startThread)).rejects.toMatchObject({ name: "bad_model" });
    expect(served.ended).toBe(1);
  });
});
