/**
 * The databases of format v1, made by hand from fixtures/formats/v1/page-databases.json, open for ever. There a Blob is
 * spelled {blob: text} and a Uint8Array {bytes: numbers}.
 */
import { Key } from "interface-datastore";
import { CID } from "multiformats/cid";
import { expect, it } from "vitest";
import { openIdbBlockStore } from "../../src/browser/blocks/idb-block-store.ts";
import { openIdbDatastore } from "../../src/browser/network/idb-datastore.ts";
import { openIdbRecords } from "../../src/browser/records/idb-records.ts";
import { startStorageWorker } from "../../src/browser/storage/storage-worker.ts";
import { collectBytes } from "../../src/sharing/collect-bytes.ts";
import frozen from "../fixtures/formats/v1/page-databases.json";

type Contents = Record<string, unknown[][]>;

const neverLost = (error: unknown): never => {
  throw error;
};

const HELLO = new TextEncoder().encode("hello world");
const helloCid = CID.parse("bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e");

it("blocks of format v1 open, and are written the same", async () => {
  const { work, stop } = await startStorageWorker();
  const [old, anew] = [crypto.randomUUID(), crypto.randomUUID()];
  await makeByHand(old, frozen["shoal-blocks"]);
  const opened = await openIdbBlockStore({ work: work.blocks, databaseName: old, maxBytes: 100 });
  expect(opened.usedBytes).toBe(11);
  expect(await collectBytes(opened.get(helloCid))).toEqual(HELLO);
  await opened.close();

  const written = await openIdbBlockStore({ work: work.blocks, databaseName: anew, maxBytes: 100 });
  await written.putVerified(helloCid, HELLO);
  await written.close();
  stop();
  expect(await readByHand(anew)).toEqual(frozen["shoal-blocks"]);
});

it("a block that was deleted leaves nothing in the database", async () => {
  const { work, stop } = await startStorageWorker();
  const name = crypto.randomUUID();
  await makeByHand(name, frozen["shoal-blocks"]);
  const store = await openIdbBlockStore({ work: work.blocks, databaseName: name });
  await store.delete(helloCid);
  await store.close();
  stop();
  expect(await readByHand(name)).toEqual({ blocks: [], sizes: [] });
});

it("records of format v1 open, and are written the same", async () => {
  const [old, anew] = [crypto.randomUUID(), crypto.randomUUID()];
  await makeByHand(old, frozen["shoal-records"]);
  const opened = await openIdbRecords(old);
  expect(await opened.get("files", "bafk")).toEqual({ name: "hello.txt", sizeBytes: 11 });
  expect(await opened.get("settings", "")).toBeNull();
  await opened.close();

  const written = await openIdbRecords(anew);
  await written.put("files", "bafk", { name: "hello.txt", sizeBytes: 11 });
  await written.put("settings", "", null);
  await written.close();
  expect(await readByHand(anew)).toEqual(frozen["shoal-records"]);
});

it("libp2p's entries of format v1 open, and are written the same", async () => {
  const [old, anew] = [crypto.randomUUID(), crypto.randomUUID()];
  await makeByHand(old, frozen["shoal-libp2p"]);
  const opened = await openIdbDatastore(neverLost, old);
  expect(await opened.get(new Key("/peers/12D3"))).toEqual(Uint8Array.of(0, 255, 7));
  await opened.close();

  const written = await openIdbDatastore(neverLost, anew);
  await written.put(new Key("/peers/12D3"), new Uint8Array([9, 0, 255, 7]).subarray(1));
  await written.close();
  expect(await readByHand(anew)).toEqual(frozen["shoal-libp2p"]);
});

async function makeByHand(name: string, contents: Contents): Promise<void> {
  const opening = indexedDB.open(name, 1);
  opening.onupgradeneeded = () => {
    for (const store of Object.keys(contents)) opening.result.createObjectStore(store);
  };
  const database = await resultOf(opening);
  for (const [store, entries] of Object.entries(contents)) {
    for (const [key, value] of entries) {
      const objects = database.transaction(store, "readwrite").objectStore(store);
      await resultOf(objects.put(fromJson(value), key as IDBValidKey));
    }
  }
  database.close();
}

async function readByHand(name: string): Promise<Contents> {
  const database = await resultOf(indexedDB.open(name));
  expect(database.version).toBe(1);
  const contents: Contents = {};
  for (const store of database.objectStoreNames) {
    const objects = database.transaction(store).objectStore(store);
    const [keys, values] = await Promise.all([resultOf(objects.getAllKeys()), resultOf(objects.getAll())]);
    contents[store] = await Promise.all(keys.map(async (key, i) => [key, await toJson(values[i])]));
  }
  database.close();
  return contents;
}

function fromJson(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if ("blob" in value) return new Blob([value.blob as string]);
  return Uint8Array.from((value as { bytes: number[] }).bytes);
}

async function toJson(value: unknown): Promise<unknown> {
  if (value instanceof Blob) return { blob: await value.text() };
  if (value instanceof Uint8Array) return { bytes: [...value] };
  return value;
}

function resultOf<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}
