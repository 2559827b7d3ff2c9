/** An index whose thread is lost. */
import { afterEach, expect, test, vi } from "vitest";
import { VxError } from "../../../src/vx/errors.ts";
import { REOPEN_EVERY_MS } from "../../../src/vx/limits.ts";
import { Vx, type VxHost } from "../../../src/vx/vx.ts";
import { eventually } from "../../eventually.ts";
import { inlineHost, MemoryDisk } from "./memory-disk.ts";

/** Engines here that are lost as if they were in threads. */
function losableHost() {
  const inner = inlineHost(new MemoryDisk());
  const threads: { lose(): Promise<void>; end(): Promise<void> }[] = [];
  const host: VxHost = {
    async startEngine(settings) {
      const engine = await inner.startEngine(settings);
      let settle: (reason: Error) => void = () => {};
      const ended = new Promise<Error>((resolve) => {
        settle = resolve;
      });
      const end = async () => {
        settle(new Error("out of memory"));
        await ended;
      };
      const lose = async () => {
        await engine.close();
        await end();
      };
      threads.push({ lose, end });
      return Object.assign(engine, { ended });
    },
  };
  return { host, threads, loseLast: async () => await threads.at(-1)?.lose() };
}

const config = { dimension: 3, distance: "l2", storagePath: "index", backupInterval: 0 } as const;
const open: Vx[] = [];

function openVx(host: VxHost, storagePath = "index"): Vx {
  const vx = new Vx({ ...config, storagePath }, host, { reopen: true });
  open.push(vx);
  return vx;
}

afterEach(async () => {
  for (const vx of open.splice(0)) await vx.close();
});

test("is opened again at once, unasked, and holds what was acknowledged", async () => {
  const { host, threads, loseLast } = losableHost();
  const vx = openVx(host);
  await vx.add(1, [1, 0, 0]);
  await loseLast();
  await eventually(() => expect(threads.length).toBe(2));
  expect(await vx.get(1)).toMatchObject({ id: 1 });
  await vx.add(2, [2, 0, 0]);
  expect(await vx.collectMetrics()).toMatchObject({ vector_count: 2 });
});

test("refuses for a while where it is lost again and again, says until when, and is opened by the next call", async () => {
  let nowMs = 0;
  vi.spyOn(performance, "now").mockImplementation(() => nowMs);
  const { host, threads, loseLast } = losableHost();
  const vx = openVx(host);
  await vx.add(1, [1, 0, 0]);
  await loseLast();
  expect(await vx.get(1)).toMatchObject({ id: 1 });
  nowMs = 10_000;
  await loseLast();
  await expect(vx.get(1)).rejects.toMatchObject({
    code: "unavailable",
    message: expect.stringContaining("the next start is a minute after that one"),
  });
  expect(threads.length).toBe(2);
  nowMs = REOPEN_EVERY_MS;
  expect(await vx.get(1)).toMatchObject({ id: 1 });
  nowMs = 3 * REOPEN_EVERY_MS;
  await loseLast();
  expect(await vx.get(1)).toMatchObject({ id: 1 });
  expect(threads.length).toBe(4);
});

test("is not loaded with each call where it is lost while it is loaded", async () => {
  const startEngine = vi.fn<VxHost["startEngine"]>(async () => {
    throw new VxError("unavailable", "The index's thread was lost");
  });
  const vx = new Vx(config, { startEngine }, { onDemand: true, reopen: true });
  for (let call = 0; call < 5; call++) {
    await expect(vx.get(1)).rejects.toMatchObject({ code: "unavailable" });
  }
  expect(startEngine).toHaveBeenCalledTimes(2);
});

test("is opened by the next call where something else kept it from being opened again", async () => {
  const { host, loseLast } = losableHost();
  let refusal: VxError | undefined;
  const startEngine: VxHost["startEngine"] = async (settings) => {
    if (refusal !== undefined) throw refusal;
    return await host.startEngine(settings);
  };
  const vx = openVx({ startEngine });
  await vx.add(1, [1, 0, 0]);
  refusal = new VxError("conflict", "In use");
  await loseLast();
  await expect(vx.get(1)).rejects.toMatchObject({ code: "conflict" });
  refusal = undefined;
  expect(await vx.get(1)).toMatchObject({ id: 1 });
});

test("is not opened again once it is closed, or where it was in memory alone", async () => {
  const closed = losableHost();
  const vx = openVx(closed.host);
  await vx.ready();
  await vx.close();
  await closed.threads[0]?.end();
  const inMemory = losableHost();
  const gone = new Vx({ ...config, storagePath: ":memory:" }, inMemory.host, { reopen: true });
  await gone.add(1, [1, 0, 0]);
  await inMemory.loseLast();
  await expect(gone.add(2, [2, 0, 0])).rejects.toMatchObject({ code: "unavailable" });
  expect([closed.threads.length, inMemory.threads.length]).toEqual([1, 1]);
});

test("stays lost where nobody said that it is to be opened again", async () => {
  const { host, threads, loseLast } = losableHost();
  const vx = new Vx(config, host);
  await vx.add(1, [1, 0, 0]);
  await loseLast();
  for (let call = 0; call < 2; call++) {
    await expect(vx.add(2, [2, 0, 0])).rejects.toMatchObject({ code: "unavailable" });
  }
  expect(threads.length).toBe(1);
});
