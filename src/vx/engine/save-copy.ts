/** Writes records as an index of their own, in place of what its folder held. Called by the engine; calls the store. */
import type { IndexStorage } from "../storage/index-storage.ts";
import { openIndexStore } from "../storage/open-index-store.ts";
import { noReceiver } from "../storage/stored-index.ts";
import type { Records } from "./records.ts";

/** Nothing may change in the records meanwhile. @throws VxError `conflict`, `invalid_request`, `storage_full` */
export async function saveCopy(
  records: Records,
  {
    openStorage,
    encryptionKey,
  }: { openStorage: () => Promise<IndexStorage>; encryptionKey: string | undefined },
): Promise<void> {
  const store = await openIndexStore(await openStorage(), { create: records.facts, encryptionKey });
  try {
    await store.load(noReceiver);
    await store.replace(records.facts, () => records.source());
  } finally {
    await store.close();
  }
}
