/** An engine whose thread is lost, or never answers as it should. */
import { MessageChannel } from "node:worker_threads";
import type { Endpoint } from "comlink";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { readConfig } from "../../../src/vx/config.ts";
import { AnswerSize } from "../../../src/vx/engine/answer-size.ts";
import { RESULTS_A_MESSAGE } from "../../../src/vx/engine/limits.ts";
import { LocalSearch } from "../../../src/vx/engine/local-search.ts";
import { openEngine } from "../../../src/vx/engine/open-engine.ts";
import { type EngineThread, RemoteEngine } from "../../../src/vx/engine/remote-engine.ts";
import { serveEngine } from "../../../src/vx/engine/serve-engine.ts";
import type { SharedRecords } from "../../../src/vx/engine/shared-records.ts";
import { deferred } from "../../deferred.ts";
import { MemoryDisk } from "../library/memory-disk.ts";

/** A port pair in this thread stands for a thread; `lose` is its end. */
function startThread() {
  const { port1, port2 } = new MessageChannel();
  const busy: boolean[] = [];
  let lose: (reason?: Error) => void = () => {};
  const ended = new Promise<Error | undefined>((resolve) => {
    lose = (reason) => {
      port1.close();
      resolve(reason);
    };
  });
  const thread: EngineThread = {
    port: port1 as unknown as Endpoint,
    ended,
    setBusy: (isBusy) => busy.push(isBusy),
    end: async () => lose(),
  };
  return { thread, busy, lose, port: port2 as unknown as Endpoint };
}

const settings = readConfig({ dimension: 2, distance: "l2" }, true);

describe("an engine in another thread", () => {
  it("refuses calls under way and later ones once its thread is lost, and has the reason as the cause", async () => {
    const { thread, lose, port } = startThread();
    const engine = await openEngine(settings, new MemoryDisk());
    serveEngine(port, async () =>
      Object.assign(engine, { queryMetadata: () => new Promise<never>(() => {}) }),
    );
    const remote = await RemoteEngine.open(thread, settings);
    const waiting = remote.queryMetadata("SELECT 1 FROM metadata");
    lose(new Error("out of memory"));
    const refusal = {
      code: "unavailable",
      message: "The index's thread was lost",
      cause: expect.objectContaining({ message: "out of memory" }),
    };
    await expect(waiting).rejects.toMatchObject(refusal);
    await expect(remote.search(Float32Array.of(1, 2), { k: 1, page: 1 })).rejects.toMatchObject(refusal);
  });

  it("searches by itself again once the last of several restores is over", async () => {
    const { thread, port } = startThread();
    const engine = await openEngine(settings, new MemoryDisk());
    let end = () => {};
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    let held = "first";
    const restore = async (path: string) => {
      if (path === "b") await ended;
      held = path;
      return { vectorCount: 0, timestamp: new Date() };
    };
    serveEngine(port, async () =>
      Object.assign(engine, { restore, share: async () => held as unknown as SharedRecords }),
    );
    const attached: unknown[] = [];
    const local = { attach: (records: unknown) => void attached.push(records), takeTimes: () => undefined };
    const remote = await RemoteEngine.open(thread, settings, local as unknown as LocalSearch);
    const [first, second] = [remote.restore("a"), remote.restore("b")];
    await first;
    expect(attached).toEqual(["first", undefined, undefined]);
    end();
    await second;
    expect(attached.at(-1)).toBe("b");
    await remote.close();
  });

  it("tells how a restore went that it was closed in the middle of", async () => {
    const { thread, port } = startThread();
    const engine = await openEngine(settings, new MemoryDisk());
    const result = { vectorCount: 3, timestamp: new Date(0) };
    let isOpen = false;
    const share = () => (isOpen ? new Promise<undefined>(() => {}) : Promise.resolve(undefined));
    serveEngine(port, async () => Object.assign(engine, { restore: async () => result, share }));
    const remote = await RemoteEngine.open(thread, settings, new LocalSearch());
    isOpen = true;
    const [restored] = await Promise.all([remote.restore("a"), remote.close()]);
    expect(restored).toEqual(result);
  });

  it("searches by itself no more once it is closed, though it was about to after a restore", async () => {
    const { thread, port } = startThread();
    const engine = await openEngine(settings, new MemoryDisk());
    const [asked, shared, ended] = [deferred<void>(), deferred<SharedRecords>(), deferred<void>()];
    const restore = async () => ({ vectorCount: 0, timestamp: new Date() });
    let shares = 0;
    const share = async () => {
      if (shares++ === 0) return undefined;
      asked.resolve();
      return shared.promise;
    };
    serveEngine(port, async () => Object.assign(engine, { restore, share, close: () => ended.promise }));
    const attached: unknown[] = [];
    const local = { attach: (records: unknown) => void attached.push(records) };
    const remote = await RemoteEngine.open(thread, settings, local as unknown as LocalSearch);
    const restored = remote.restore("a");
    await asked.promise;
    const closed = remote.close();
    shared.resolve("other" as unknown as SharedRecords);
    await restored;
    expect(new Set(attached)).toEqual(new Set([undefined]));
    ended.resolve();
    await closed;
  });

  it("ends its thread when the index cannot be opened", async () => {
    const { thread, port } = startThread();
    serveEngine(port, () => openEngine({ ...settings, create: false }, new MemoryDisk()));
    await expect(RemoteEngine.open(thread, settings)).rejects.toMatchObject({ code: "not_found" });
    expect(await thread.ended).toBeUndefined();
  });

  it("holds its process alive while a call is under way, and only then", async () => {
    const { thread, busy, port } = startThread();
    serveEngine(port, () => openEngine(settings, new MemoryDisk()));
    const remote = await RemoteEngine.open(thread, settings);
    await Promise.all([remote.metrics(), remote.health()]);
    expect(busy).toEqual([true, false, true, true, false]);
    await remote.close();
  });

  it("asks for many results a few at a time, and counts what all of them bring", async () => {
    const { thread, port } = startThread();
    const engine = await openEngine(settings, new MemoryDisk());
    const counted = vi.spyOn(AnswerSize.prototype, "counted");
    onTestFinished(() => counted.mockRestore());
    const asked: [number, number][] = [];
    const searchMany = async (queries: Float32Array[], k: number) => {
      asked.push([queries.length, k]);
      return queries.map(([x = 0]) => ({
        ids: BigUint64Array.of(BigInt(x)),
        distances: Float32Array.of(0),
        scores: undefined,
        metadata: [`{"x":${x}}`],
      }));
    };
    serveEngine(port, async () => Object.assign(engine, { searchMany }));
    const remote = await RemoteEngine.open(thread, settings);
    const queries = Array.from({ length: 5 }, (_, x) => Float32Array.of(x, 0));
    const found = await remote.searchMany(queries, RESULTS_A_MESSAGE / 2);
    expect(found.map(({ ids }) => Number(ids[0]))).toEqual([0, 1, 2, 3, 4]);
    expect(counted.mock.calls.flat()).toEqual([0, 1, 2, 3, 4].map((x) => `{"x":${x}}`));
    expect(new Set(counted.mock.contexts).size).toBe(1);
    expect(asked.splice(0)).toEqual([2, 2, 1].map((count) => [count, RESULTS_A_MESSAGE / 2]));
    await remote.searchMany(queries.slice(0, 2), RESULTS_A_MESSAGE * 5);
    expect(asked.splice(0)).toEqual([1, 1].map((count) => [count, RESULTS_A_MESSAGE * 5]));
    await remote.close();
  });

  it("hands large vectors over, but never those that are a view", async () => {
    const { thread, port } = startThread();
    serveEngine(port, () => openEngine(settings, new MemoryDisk()));
    const remote = await RemoteEngine.open(thread, settings);
    const count = 20_000;
    const ids = BigUint64Array.from({ length: count }, (_, i) => BigInt(i));
    const own = new Float32Array(count * 2);
    const borrowed = new Float32Array(count * 2);
    await remote.add({ ids: ids.slice(0, 10), vectors: borrowed.subarray(0, 20), isView: true });
    expect(borrowed.length).toBe(count * 2);
    await remote.add({ ids: ids.slice(0, 10), vectors: own.slice(0, 20) });
    const large = { ids, vectors: own };
    const adding = remote.add(large);
    expect(own.length).toBe(0);
    await adding;
    expect((await remote.metrics()).vector_count).toBe(count);
    await remote.close();
  });
});
