/**
 * Writes to an index without end, for tests that end its process or worker at any moment. Several batches wait at once, with a
 * snapshot and a backup now and then. Each outcome is told as a line: `opened`, `stored n`, `refused n`, `snapshot`,
 * `backup`, `failed CODE`.
 */
import { scheduledBackupName } from "../../../src/vx/storage/backup-name.ts";
import type { ArchivePlace, IndexStorage } from "../../../src/vx/storage/index-storage.ts";
import { openIndexStore } from "../../../src/vx/storage/open-index-store.ts";
import { batch } from "./restless-batches.ts";
import { facts, loaded, snapshot } from "./small-index.ts";

const WRITERS = 8;
const BATCHES_A_SNAPSHOT = 60;

export interface RestlessWriter {
  storage: IndexStorage;
  locateBackup(name: string): Promise<ArchivePlace>;
  /** Number of the first batch. */
  first: number;
  tell(line: string): void;
  /** Called after each batch: where storage is synchronous, nothing else would ever get its turn. */
  pause?(): Promise<void>;
}

export async function writeWithoutEnd({
  storage,
  locateBackup,
  first,
  tell,
  pause,
}: RestlessWriter): Promise<never> {
  const store = await openIndexStore(storage, { create: facts });
  const index = await loaded(store);
  let next = first;
  let isKeeping = false;

  async function writeBatches(): Promise<never> {
    for (;;) {
      const number = next++;
      const operations = batch(number);
      try {
        await store.append(operations);
        index.operations(operations);
        tell(`stored ${number}`);
      } catch (error) {
        tell(`refused ${number}`);
        tell(`failed ${(error as { code?: string }).code}`);
      }
      if (number % BATCHES_A_SNAPSHOT === 0) void keep();
      await pause?.();
    }
  }

  /** One at a time: those that waited would take longer each, for the index grows meanwhile, and the backup comes last. */
  async function keep(): Promise<void> {
    if (isKeeping) return;
    isKeeping = true;
    try {
      await snapshot(store, index);
      tell("snapshot");
      const place = await locateBackup(scheduledBackupName(new Date()));
      await store.backup(place, { incremental: true, compress: false, maxChain: 2 });
      await store.prune(place, 2);
      tell("backup");
    } catch (error) {
      tell(`failed ${(error as { code?: string }).code}`);
    } finally {
      isKeeping = false;
    }
  }

  tell("opened");
  await Promise.all(Array.from({ length: WRITERS }, writeBatches));
  throw new Error("the writers ended");
}
