/** The index of a page as its API has it: opened on demand, with the folder of its backups. */
import { afterEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { openPageIndex, type PageIndex } from "../../../src/browser/index/open-page-index.ts";
import { metadataText } from "../../../src/vx/results.ts";
import { allRejected } from "../../all-rejected.ts";
import { StorageWorker } from "../../browser/vx-remote-storage.ts";

const config = { dimension: 3, distance: "l2" } as const;
let opened: PageIndex[] = [];

afterEach(async () => {
  for (const page of opened) await page.close();
  opened = [];
  const root = await navigator.storage.getDirectory();
  if (await isStored()) await root.removeEntry(".shoal", { recursive: true });
});

async function openPage(): Promise<PageIndex> {
  const page = await openPageIndex(config);
  opened.push(page);
  return page;
}

async function isStored(): Promise<boolean> {
  const root = await navigator.storage.getDirectory();
  for await (const name of root.keys()) if (name === ".shoal") return true;
  return false;
}

async function bytesOf(pieces: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  for await (const piece of pieces) parts.push(piece.slice());
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

async function* piecesOf(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += size) yield bytes.slice(start, start + size);
}

test("stores nothing until something is added, and opens at once when there is something", async () => {
  const page = await openPage();
  expect(await page.index.collectMetrics()).toMatchObject({ vector_count: 0 });
  expect(await isStored()).toBe(false);
  await page.index.add(1, [1, 0, 0], { topic: "shells" });
  expect(await isStored()).toBe(true);
  await page.close();
  const again = await openPage();
  expect(await again.index.collectMetrics()).toMatchObject({ vector_count: 1 });
  expect(await again.index.searchWithFilter([0, 0, 0], 3, "topic = 'shells'")).toMatchObject([{ id: 1 }]);
});

test("stores nothing where only another index lies in the same database", async () => {
  const worker = new StorageWorker();
  const others = await worker.open("idb", `others/${crypto.randomUUID()}`);
  const file = await others.create("file");
  await file.write(Uint8Array.of(1));
  await file.commit();
  const page = await openPage();
  expect(await page.index.collectMetrics()).toMatchObject({ vector_count: 0 });
  expect(await isStored()).toBe(false);
  await others.close();
  worker.end();
});

test("opens what is stored once nobody else has it, at the next request", async () => {
  const former = await openPage();
  await former.index.add(1, [1, 0, 0]);
  const next = await openPage();
  await expect(next.index.get(1)).rejects.toMatchObject({ code: "conflict" });
  await former.close();
  expect(await next.index.get(1)).toMatchObject({ id: 1 });
});

test("ended at once, it fails what is under way, keeps what was acknowledged, and starts no more", async () => {
  const page = await openPage();
  await page.index.add(1, [1, 0, 0]);
  const underWay = [page.index.search([0, 0, 0], 1), page.backups.list()];
  page.end();
  const after = [page.index.add(2, [0, 1, 0]), page.backups.list()];
  await allRejected([...underWay, ...after], { code: "unavailable" });
  await page.close();
  const again = await openPage();
  expect(await again.index.collectMetrics()).toMatchObject({ vector_count: 1 });
});

test("answers again, with what was acknowledged, once its worker was lost", async () => {
  const workers: Worker[] = [];
  const Started = Worker;
  vi.stubGlobal(
    "Worker",
    class extends Started {
      constructor(...args: ConstructorParameters<typeof Worker>) {
        super(...args);
        workers.push(this);
      }
    },
  );
  onTestFinished(() => void vi.unstubAllGlobals());
  const page = await openPage();
  await page.index.add(1, [1, 0, 0]);
  await page.index.backup(await page.backups.placeFor("first.zip"));
  // As browsers tell of an error that nobody has caught.
  workers[0]?.dispatchEvent(new ErrorEvent("error", { message: "out of memory" }));
  await expect.poll(() => page.index.get(1).catch(() => undefined)).toMatchObject({ id: 1 });
  expect(await page.backups.list()).toMatchObject([{ name: "first.zip" }]);
  expect(workers.length).toBe(2);
});

describe("the folder of backups", () => {
  test("lists, sends and takes archives, which can be restored", async () => {
    const { index, backups } = await openPage();
    await index.batchAdd(
      [1, 2],
      [
        [1, 0, 0],
        [2, 0, 0],
      ],
      [{ n: 1 }, { n: 2 }],
    );
    const made = await index.backup(await backups.placeFor("first.zip"));
    expect(await backups.list()).toMatchObject([
      { name: "first.zip", path: made.path, sizeBytes: made.sizeBytes },
    ]);
    expect(await backups.find("first.zip")).toBe(made.path);
    const bytes = await bytesOf((await backups.open("first.zip")).read(new AbortController().signal));
    expect(bytes.byteLength).toBe(made.sizeBytes);
    const kept = await backups.store("again.zip", piecesOf(bytes, 100));
    expect(kept).toMatchObject({ sizeBytes: made.sizeBytes, madeAt: made.timestamp });
    await index.delete(1);
    expect(await index.restore(await backups.find("again.zip"))).toMatchObject({ vectorCount: 2 });
    const restored = await index.get(1);
    expect(metadataText(restored?.metadata ?? {})).toBe('{"n":1}');
  });

  test("tells nothing of an archive that is deleted while it is read, which comes whole", async () => {
    const { index, backups } = await openPage();
    const { sizeBytes } = await index.backup(await backups.placeFor("a.zip"));
    const pieces = (await backups.open("a.zip")).read(new AbortController().signal)[Symbol.asyncIterator]();
    const first = await pieces.next();
    await backups.delete("a.zip");
    const notFound = { code: "backup_not_found" };
    expect(await backups.list()).toEqual([]);
    await expect(backups.open("a.zip")).rejects.toMatchObject(notFound);
    await expect(backups.find("a.zip")).rejects.toMatchObject(notFound);
    await expect(backups.delete("a.zip")).rejects.toMatchObject(notFound);
    await expect(index.backup(await backups.placeFor("a.zip"))).rejects.toMatchObject({
      code: "conflict",
      message: "a.zip is being read",
    });
    expect(first.value).toHaveLength(sizeBytes);
    expect(await pieces.next()).toMatchObject({ done: true });
    await index.backup(await backups.placeFor("a.zip"));
    expect(await backups.list()).toMatchObject([{ name: "a.zip" }]);
  });

  test("keeps nothing of an upload that breaks off or is no archive, and no archive twice", async () => {
    const { index, backups } = await openPage();
    async function* broken() {
      yield Uint8Array.of(1);
      throw new Error("the client is gone");
    }
    await expect(backups.store("a.zip", broken())).rejects.toThrow("the client is gone");
    expect(await backups.list()).toEqual([]);
    await expect(backups.store("a.zip", piecesOf(Uint8Array.of(1, 2), 1))).rejects.toMatchObject({
      code: "backup_corrupt",
    });
    expect(await backups.list()).toEqual([]);

    await index.backup(await backups.placeFor("made.zip"));
    const read = async (name: string) =>
      bytesOf((await backups.open(name)).read(new AbortController().signal));
    const bytes = await read("made.zip");
    await backups.store("a.zip", piecesOf(bytes, 1000));
    await expect(backups.store("a.zip", piecesOf(bytes, 1000))).rejects.toMatchObject({ code: "conflict" });
    expect(await read("a.zip")).toEqual(bytes);
  });

  test("refuses names that lead elsewhere, and those of no archive", async () => {
    const { backups } = await openPage();
    for (const path of ["../snapshot", "/a.zip", "a/b.zip", ".hidden.zip", "a.zip.", "a\\b.zip", "c:a.zip"]) {
      await expect(backups.placeFor(path), path).rejects.toMatchObject({ name: "path_forbidden" });
    }
    for (const path of ["", "a\0.zip", "x".repeat(300)]) {
      await expect(backups.find(path), path).rejects.toMatchObject({ name: "bad_request" });
    }
    await expect(backups.open("none.zip")).rejects.toMatchObject({ code: "backup_not_found" });
  });
});
