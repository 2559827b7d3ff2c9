/**
 * A process that writes to an index until it is killed: `node --import tsx index-writer.child.ts FOLDER FIRST`.
 * Batch n adds ids 16 n to 16 n + n % 16; every fourth one deletes those of the batch three before. Several
 * batches wait at once, with a snapshot and a backup now and then. A line on stdout tells each outcome:
 * `stored n`, `refused n`, `snapshot`, `backup`, `failed CODE`.
 */
import { join } from "node:path";
import { locateFsArchive, openFsIndexStorage } from "../../src/headless/fs-index-storage.ts";
import { openIndexStore } from "../../src/vx/storage/open-index-store.ts";
import { facts, loaded, snapshot } from "../vx/storage/small-index.ts";
import { batch } from "./index-batches.ts";

const WRITERS = 8;
const BATCHES_A_SNAPSHOT = 60;

const [folder = "", first = "0"] = process.argv.slice(2);
const store = await openIndexStore(await openFsIndexStorage(join(folder, "index")), { create: facts });
const index = await loaded(store);
let next = Number(first);

function tell(line: string): void {
  process.stdout.write(`${line}\n`);
}

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
    if (number % BATCHES_A_SNAPSHOT === 0) void keep(number);
  }
}

async function keep(number: number): Promise<void> {
  try {
    await snapshot(store, index);
    tell("snapshot");
    const place = await locateFsArchive(join(folder, "backups", `${number}.zip`));
    await store.backup(place, { incremental: true, compress: false, keep: 2 });
    tell("backup");
  } catch (error) {
    tell(`failed ${(error as { code?: string }).code}`);
  }
}

tell("opened");
await Promise.all(Array.from({ length: WRITERS }, writeBatches));
