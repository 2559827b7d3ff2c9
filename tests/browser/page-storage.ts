/** The storage of a page as tests meet it: its worker, its quota, and what a person may do to it while it is open. */
import { onTestFinished } from "vitest";
import { cdp } from "vitest/browser";
import { type IdbBlockStore, openIdbBlockStore } from "../../src/browser/blocks/idb-block-store.ts";
import { type StorageWorker, startStorageWorker } from "../../src/browser/storage/storage-worker.ts";

const ROOMY = 2 ** 40;
export const MIB = 2 ** 20;

export function bytesOf(seed: number, sizeBytes = 1000): Uint8Array<ArrayBuffer> {
  return new Uint8Array(sizeBytes).fill(seed);
}

/** Bytes that no store can pack, told apart by the seed. */
export function random(sizeBytes: number, seed: number): Uint8Array {
  const bytes = new Uint8Array(sizeBytes);
  for (let at = 0; at < sizeBytes; at += 65_536) crypto.getRandomValues(bytes.subarray(at, at + 65_536));
  new DataView(bytes.buffer).setUint32(0, seed);
  return bytes;
}

/** Until the test is finished. */
export async function startWorker(): Promise<StorageWorker> {
  const worker = await startStorageWorker();
  onTestFinished(() => worker.stop());
  return worker;
}

export function openStore({ work }: StorageWorker, databaseName: string): Promise<IdbBlockStore> {
  return openIdbBlockStore({ work: work.blocks, databaseName, maxBytes: ROOMY });
}

export async function freshFolder(): Promise<FileSystemDirectoryHandle> {
  const origin = await navigator.storage.getDirectory();
  return await origin.getDirectoryHandle(crypto.randomUUID(), { create: true });
}

/** As a person does who clears the site's data, while it is open. `storageTypes`: as the browser calls them, by commas. */
export async function clearData(storageTypes: string): Promise<void> {
  await browser("Storage.clearDataForOrigin", { origin: location.origin, storageTypes });
}

/** Until the test is finished; undefined: as it was. */
export async function limitQuota(quotaSize: number | undefined): Promise<void> {
  const { origin } = location;
  onTestFinished(() => browser("Storage.overrideQuotaForOrigin", { origin }));
  await browser(
    "Storage.overrideQuotaForOrigin",
    quotaSize === undefined ? { origin } : { origin, quotaSize },
  );
}

/** A command of the browser's debugging protocol. */
export async function browser(method: string, params: object): Promise<void> {
  const session = cdp() as unknown as { send(method: string, params: object): Promise<unknown> };
  await session.send(method, params);
}
