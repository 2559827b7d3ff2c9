/**
 * Opens the folder of an index, or makes it: finds out which of its files count and what the key is. Called by the engine;
 * calls snapshot-reader, segments and known-backups, and hands what it found to the store.
 */
import { VxError } from "../errors.ts";
import { damaged } from "./damage.ts";
import { checkEncrypted, randomId } from "./file-header.ts";
import { FolderIndexStore } from "./folder-index-store.ts";
import type { IndexStorage, StoredFile } from "./index-storage.ts";
import type { IndexStore } from "./index-store.ts";
import { createKey, openKey } from "./key.ts";
import { readKnownBackups } from "./known-backups.ts";
import { listSegments, segmentGeneration } from "./segments.ts";
import { openSnapshot } from "./snapshot-reader.ts";
import { SNAPSHOT, writeSnapshot } from "./snapshot-writer.ts";
import type { IndexFacts } from "./stored-index.ts";

export interface OpenIndexOptions {
  /** Makes an index with these facts where there is none. One that is there keeps its own, and nothing is called. */
  create?: IndexFacts | (() => IndexFacts) | undefined;
  /** Of an index that is made; random by default. */
  indexId?: Uint8Array<ArrayBuffer>;
  encryptionKey?: string | undefined;
}

/**
 * Opens the index in the storage, which belongs to the store from now on, also after an error.
 * @throws VxError `not_found` (no index, and `create` not given), `encryption_key_invalid`, `internal` (damage),
 * `invalid_request` (a newer format), `storage_full`
 */
export async function openIndexStore(storage: IndexStorage, options: OpenIndexOptions): Promise<IndexStore> {
  try {
    const file = (await storage.open(SNAPSHOT)) ?? (await createIndex(storage, options));
    return await openIndex(storage, file, options.encryptionKey);
  } catch (error) {
    await storage.close();
    throw error;
  }
}

async function createIndex(
  storage: IndexStorage,
  { create, indexId = randomId(), encryptionKey }: OpenIndexOptions,
): Promise<StoredFile> {
  const segments = (await storage.list()).filter((name) => segmentGeneration(name) !== undefined);
  if (segments.length > 0) throw damaged(SNAPSHOT, "it is missing");
  if (create === undefined) throw new VxError("not_found", "There is no index here");
  const key = encryptionKey === undefined ? undefined : await createKey(encryptionKey);
  const facts = typeof create === "function" ? create() : create;
  const history = { facts, indexId, timeline: randomId(), key: key?.facts };
  await writeSnapshot(storage, { history, sequence: 0 }, key);
  const file = await storage.open(SNAPSHOT);
  if (file === undefined) throw damaged(SNAPSHOT, "it is missing");
  return file;
}

/** The file belongs to the store from then on, which closes it once it is loaded; after an error it is closed. */
async function openIndex(
  storage: IndexStorage,
  file: StoredFile,
  encryptionKey: string | undefined,
): Promise<IndexStore> {
  try {
    const snapshot = await openSnapshot(file);
    const { header } = snapshot;
    checkEncrypted("The index", header.key !== undefined, encryptionKey !== undefined);
    const key =
      header.key && encryptionKey !== undefined ? await openKey(encryptionKey, header.key) : undefined;
    const { segments, others } = await listSegments(storage, header, key);
    const names = [...segments.map(({ name }) => name), ...others];
    const generation = Math.max(0, ...names.map((name) => segmentGeneration(name) ?? 0));
    for (const name of others) await storage.delete(name);
    const known = await readKnownBackups(storage, header);
    const covered = { sequence: header.sequence, sizeBytes: file.sizeBytes };
    const folder = { storage, key, history: header, segments, generation, covered, known };
    return new FolderIndexStore(folder, snapshot);
  } catch (error) {
    await file.close();
    throw error;
  }
}
