/** An index that is opened by the first call that needs it. */
import { expect, test, vi } from "vitest";
import { VxError } from "../../../src/vx/errors.ts";
import { Vx, type VxHost } from "../../../src/vx/vx.ts";
import { inlineHost, MemoryDisk } from "./memory-disk.ts";

function countingHost() {
  const inner = inlineHost(new MemoryDisk());
  const starts: Promise<unknown>[] = [];
  const host: VxHost = {
    startEngine(settings) {
      const started = inner.startEngine(settings);
      starts.push(started);
      return started;
    },
  };
  return { host, starts };
}

const config = { dimension: 3, distance: "l2", storagePath: "index" } as const;

test("starts no engine for metrics, health and closing, which tell of an empty index", async () => {
  const { host, starts } = countingHost();
  const vx = new Vx(config, host, { onDemand: true });
  const { uptime_seconds, dimension, ...counts } = await vx.collectMetrics();
  expect([uptime_seconds, dimension]).toEqual([expect.any(Number), 3]);
  expect([...new Set(Object.values(counts))]).toEqual([0]);
  const empty = {
    status: "ok",
    vectorCount: 0,
    lastSnapshot: undefined,
    lastBackup: undefined,
    failures: [],
  };
  expect(await vx.healthCheck()).toEqual({ ...empty, dimension: 3, distance: "l2" });
  const plain = new Vx({}, host, { onDemand: true });
  expect(await plain.healthCheck()).toEqual({ ...empty, dimension: 384, distance: "cosine" });
  await vx.close();
  await expect(vx.search([0, 0, 0])).rejects.toMatchObject({ code: "unavailable" });
  await expect(vx.collectMetrics()).rejects.toMatchObject({ code: "unavailable" });
  expect(starts.length).toBe(0);
});

test("starts one engine for the first calls, and tells what it holds from then on", async () => {
  const { host, starts } = countingHost();
  const vx = new Vx(config, host, { onDemand: true });
  await Promise.all([vx.add(1, [1, 0, 0]), vx.add(2, [2, 0, 0]), vx.search([0, 0, 0])]);
  expect(starts.length).toBe(1);
  expect((await vx.collectMetrics()).vector_count).toBe(2);
  expect((await vx.healthCheck()).vectorCount).toBe(2);
  await vx.close();
});

test("counts the seconds from when it was made, also once it is opened", async () => {
  let nowMs = 5_000;
  const clock = vi.spyOn(performance, "now").mockImplementation(() => nowMs);
  const vx = new Vx(config, countingHost().host, { onDemand: true });
  nowMs += 60_999;
  expect((await vx.collectMetrics()).uptime_seconds).toBe(60);
  await vx.add(1, [1, 0, 0]);
  nowMs += 1;
  expect((await vx.collectMetrics()).uptime_seconds).toBe(61);
  await vx.close();
  clock.mockRestore();
});

test("tells why it cannot be opened, in metrics too, and tries again at the next call", async () => {
  const inner = inlineHost(new MemoryDisk());
  const failures = [new VxError("storage_full", "The disk is full"), new VxError("conflict", "In use")];
  const host: VxHost = {
    startEngine: (settings) => {
      const failure = failures.shift();
      return failure === undefined ? inner.startEngine(settings) : Promise.reject(failure);
    },
  };
  const vx = new Vx(config, host, { onDemand: true });
  await expect(vx.add(1, [1, 0, 0])).rejects.toMatchObject({ code: "storage_full" });
  await expect(vx.collectMetrics()).rejects.toMatchObject({ code: "conflict" });
  await vx.add(1, [1, 0, 0]);
  expect((await vx.collectMetrics()).vector_count).toBe(1);
  await vx.close();
});

test("is opened when it is made where nothing is said of when, and once, also where that fails", async () => {
  const { host, starts } = countingHost();
  const vx = new Vx(config, host);
  expect(starts.length).toBe(1);
  await vx.close();
  const startEngine = vi.fn<VxHost["startEngine"]>(async () => {
    throw new VxError("storage_full", "The disk is full");
  });
  const refused = new Vx(config, { startEngine });
  for (let call = 0; call < 3; call++) {
    await expect(refused.get(1)).rejects.toMatchObject({ code: "storage_full" });
  }
  expect(startEngine).toHaveBeenCalledTimes(1);
});

test("refuses settings that no index can have at once", () => {
  const { host } = countingHost();
  expect(() => new Vx({ ...config, dimension: 0 }, host, { onDemand: true })).toThrow(VxError);
});

test("says whether it reduces vectors by its settings, without being made for that", async () => {
  const { host, starts } = countingHost();
  const plain = new Vx(config, host, { onDemand: true });
  await expect(plain.reduceVectors([])).rejects.toMatchObject({ code: "reduction_disabled" });
  expect(starts.length).toBe(0);
  const reducing = new Vx({ ...config, enableDimReduction: true }, host, { onDemand: true });
  expect(await reducing.reduceVectors([])).toEqual([]);
  expect(await reducing.collectMetrics()).toMatchObject({ reduced_dimension: 0, fits_total: 0 });
  await reducing.close();
});
