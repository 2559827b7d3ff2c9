/** What an index of a page promises when the quota is used up, its site's data is cleared, or another tab leads. */
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { pageVxHost, VxThread } from "../../src/browser/index/vx-thread.ts";
import { servingWorker } from "../../src/browser/serving-worker.ts";
import type { EngineSettings } from "../../src/vx/config.ts";
import { RemoteEngine } from "../../src/vx/engine/remote-engine.ts";
import { Vx, type VxHost } from "../../src/vx/vx.ts";
import { browser, bytesOf, clearData, limitQuota, MIB, random } from "../browser/page-storage.ts";
import { StorageWorker as IndexWorker } from "../browser/vx-remote-storage.ts";

it("an index in the origin private file system answers a used-up quota with storage_full", async () => {
  const worker = new IndexWorker();
  onTestFinished(() => worker.end());
  const storage = await worker.open("opfs", `failures/${crypto.randomUUID()}`);
  const journal = await storage.startAppending("journal");
  const snapshot = await storage.create("snapshot");
  await limitQuota(1);
  await expect(journal.append(bytesOf(1, 4 * MIB))).rejects.toMatchObject({ code: "storage_full" });
  await expect(snapshot.write(bytesOf(1, 4 * MIB))).rejects.toMatchObject({ code: "storage_full" });
  await snapshot.discard();
  await journal.close();
  await storage.close();
});

it("an index in IndexedDB answers a used-up quota with storage_full", async () => {
  const worker = new IndexWorker();
  onTestFinished(() => worker.end());
  await clearData("indexeddb");
  await limitQuota(MIB);
  const storage = await worker.open("idb", `failures/${crypto.randomUUID()}`);
  const journal = await storage.startAppending("journal");
  const snapshot = await storage.create("snapshot");
  await expect(journal.append(random(4 * MIB, 1))).rejects.toMatchObject({ code: "storage_full" });
  await expect(snapshot.write(random(4 * MIB, 2))).rejects.toMatchObject({ code: "storage_full" });
  await snapshot.discard();
  await journal.close();
  await storage.close();
});

describe("an index whose site's data the person cleared is opened again, as it is stored", () => {
  it("in IndexedDB", async () => {
    const startEngine = (settings: EngineSettings) => {
      const worker = new Worker(new URL("../browser/vx-idb.worker.ts", import.meta.url), { type: "module" });
      return RemoteEngine.open(servingWorker(worker), settings);
    };
    await expectOpenedAgain({ startEngine }, "indexeddb");
  });

  it("in the origin private file system", async () => {
    await expectOpenedAgain(pageVxHost(), "file_systems");
  });

  async function expectOpenedAgain(host: VxHost, storageTypes: string): Promise<void> {
    const config = { dimension: 2, storagePath: `failures/${crypto.randomUUID()}` };
    const vx = new Vx(config, host, { reopen: true });
    onTestFinished(() => vx.close());
    await vx.add(1, [1, 0]);
    await clearData(storageTypes);
    const addAgain = async () => {
      await vx.add(2, [0, 1]);
      return await vx.collectMetrics();
    };
    await expect.poll(() => addAgain().catch(() => undefined)).toMatchObject({ vector_count: 1 });
  }
});

it("the worker of an index that was let go of is kept no longer, however often another leads", async () => {
  const workers: WeakRef<Worker>[] = [];
  const Seen = class extends Worker {
    constructor(url: string | URL, options?: WorkerOptions) {
      super(url, options);
      workers.push(new WeakRef(this));
    }
  };
  vi.stubGlobal("Worker", Seen);
  onTestFinished(() => void vi.unstubAllGlobals());
  for (let led = 0; led < 2; led++) {
    const thread = new VxThread();
    const config = { dimension: 2, storagePath: `failures/${crypto.randomUUID()}` };
    await new Vx(config, pageVxHost(thread)).ready();
    thread.end();
  }
  expect(workers).toHaveLength(2);
  const countKept = async () => {
    await browser("HeapProfiler.collectGarbage", {});
    return workers.filter((worker) => worker.deref() !== undefined).length;
  };
  await expect.poll(countKept, { timeout: 30_000 }).toBe(0);
});
