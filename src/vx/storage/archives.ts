/**
 * Backup archives of a folder: opening one with all that it goes on from, finding what an incremental one can go
 * on from, looking at one that comes from elsewhere, and deleting old ones. Called by the engine (openArchive), backups and the
 * hosts' folders of backups; calls archive-reader.
 */
import { VxError } from "../errors.ts";
import { type ArchiveReader, openArchiveReader } from "./archive-reader.ts";
import { isScheduledName } from "./backup-name.ts";
import { asBackupErrors, damaged, isOfMedium } from "./damage.ts";
import { checkEncrypted, sameHistory } from "./file-header.ts";
import { toHex } from "./hex.ts";
import type { ArchivePlace, Folder } from "./index-storage.ts";
import { openKey } from "./key.ts";
import { MAX_ARCHIVES, MAX_CHAIN } from "./limits.ts";
import type { Manifest } from "./manifest.ts";
import { OpenArchive } from "./open-archive.ts";

const ENDING = ".zip";

export interface FoundArchive {
  name: string;
  manifest: Manifest;
}

/**
 * Opens a backup for loading, with the archives that it goes on from, which stand beside it. Close it afterwards.
 * @throws VxError `backup_not_found` (or one that it needs is), `backup_corrupt`, `encryption_key_invalid`
 */
export async function openArchive(
  place: ArchivePlace,
  encryptionKey: string | undefined,
): Promise<OpenArchive> {
  return asBackupErrors(place.name, async () => {
    const chain: ArchiveReader[] = [];
    try {
      const newest = await openNamed(place.folder, place.name);
      if (newest === undefined) throw new VxError("backup_not_found", `There is no backup ${place.name}`);
      chain.push(newest);
      for (let oldest = newest; oldest.manifest.base !== undefined; oldest = chain[0] as ArchiveReader) {
        if (chain.length === MAX_CHAIN) throw damaged(place.name, `it goes on from ${MAX_CHAIN} others`);
        chain.unshift(await openBase(place.folder, oldest));
      }
      const { key: facts } = newest.manifest.history;
      checkEncrypted(place.name, facts !== undefined, encryptionKey !== undefined);
      const key = facts && encryptionKey !== undefined ? await openKey(encryptionKey, facts) : undefined;
      for (const archive of chain) await archive.check(key);
      return new OpenArchive(place.name, chain, key);
    } catch (error) {
      for (const archive of chain) await archive.close();
      throw error;
    }
  });
}

/**
 * Whether a file is a backup, whole by its directory and manifest; what is packed in it is looked at when it is restored.
 * `givenName`: what the file is to be called. @throws VxError `backup_corrupt`
 */
export async function checkArchive(folder: Folder, name: string, givenName = name): Promise<void> {
  await asBackupErrors(givenName, async () => {
    const file = await folder.open(name);
    if (file === undefined) throw damaged(givenName, "it is gone");
    try {
      (await openArchiveReader(givenName, file)).checkEntries();
    } finally {
      await file.close();
    }
  });
}

/** The archives in a folder that can be read, in no order, whatever their names. `isWhole`: none may be passed over for want of it. */
export async function listArchives(folder: Folder, { isWhole = false } = {}): Promise<FoundArchive[]> {
  const found: FoundArchive[] = [];
  for (const name of await namesIn(folder)) {
    const archive = await openIfOurs(folder, name, isWhole);
    if (archive === undefined) continue;
    found.push({ name, manifest: archive.manifest });
    await archive.close();
  }
  return found;
}

/** What a folder of backups shows: files that end as backups do, sound or not, and archives of any other name. */
export async function archiveNames(folder: Folder): Promise<string[]> {
  const shown: string[] = [];
  for (const name of await namesIn(folder)) {
    if (name.startsWith(".")) continue;
    const archive = name.endsWith(ENDING) ? undefined : await openIfOurs(folder, name);
    await archive?.close();
    if (archive !== undefined || name.endsWith(ENDING)) shown.push(name);
  }
  return shown;
}

/** Archives from the given one back to the full one; undefined if one of them is not there. */
export function chainOf(newest: FoundArchive, archives: FoundArchive[]): FoundArchive[] | undefined {
  const byId = new Map(archives.map((archive) => [toHex(archive.manifest.id), archive]));
  const chain = [newest];
  for (let { base } = newest.manifest; base !== undefined; ) {
    const archive = byId.get(toHex(base.id));
    if (archive === undefined || chain.includes(archive)) return undefined;
    chain.push(archive);
    base = archive.manifest.base;
  }
  return chain;
}

/**
 * Deletes archives of an index that the schedule made, but for the newest `keep`, and what these and other archives need to
 * be restored. @throws VxError `unavailable`, and deletes none, where one of them may be what cannot be read now
 */
export async function pruneArchives(
  folder: Folder,
  indexId: Uint8Array<ArrayBuffer>,
  keep: number,
): Promise<void> {
  const archives = (await listArchives(folder, { isWhole: true }))
    .filter(({ manifest }) => toHex(manifest.history.indexId) === toHex(indexId))
    .sort(newestFirst);
  const scheduled = archives.filter(({ name }) => isScheduledName(name));
  const kept = new Set(archives);
  for (const old of scheduled.slice(keep)) kept.delete(old);
  for (const archive of [...kept]) {
    for (const needed of chainOf(archive, archives) ?? []) kept.add(needed);
  }
  for (const archive of archives) if (!kept.has(archive)) await folder.delete(archive.name);
}

/**
 * Deletes one archive; no error if it is not there. @throws VxError `conflict` where another goes on from it, `unavailable` where one
 * that may cannot be read now
 */
export async function deleteArchive({ folder, name }: ArchivePlace): Promise<void> {
  const archives = await listArchives(folder, { isWhole: true });
  const id = archives.find((archive) => archive.name === name)?.manifest.id;
  const next = id && archives.find(({ manifest: { base } }) => base && toHex(base.id) === toHex(id));
  if (next) throw new VxError("conflict", `${next.name} goes on from ${name}; delete that one first`);
  await folder.delete(name);
}

export function newestFirst(a: FoundArchive, b: FoundArchive): number {
  const time = b.manifest.createdAt.getTime() - a.manifest.createdAt.getTime();
  return time || b.manifest.last - a.manifest.last || (a.name < b.name ? 1 : -1);
}

/** Names of what may be archives, first those that end as a backup's name does that nobody gave. */
async function namesIn(folder: Folder): Promise<string[]> {
  const names = await folder.list();
  const isOther = (name: string) => Number(!name.endsWith(ENDING));
  return names.sort((a, b) => isOther(a) - isOther(b)).slice(0, MAX_ARCHIVES);
}

async function openNamed(folder: Folder, name: string): Promise<ArchiveReader | undefined> {
  const file = await folder.open(name);
  if (file === undefined) return undefined;
  try {
    return await openArchiveReader(name, file);
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** Undefined for files of others, for what is left of damaged archives and, unless it must be read, for what cannot be. */
async function openIfOurs(
  folder: Folder,
  name: string,
  mustBeRead = false,
): Promise<ArchiveReader | undefined> {
  try {
    return await asBackupErrors(name, () => openNamed(folder, name));
  } catch (error) {
    if (error instanceof VxError && error.code === "backup_corrupt") return undefined;
    if (!isOfMedium(error)) throw error;
    // What one may not read is others'; the rest may be read another time.
    if (!mustBeRead || error.code === "EACCES" || error.code === "EPERM") return undefined;
    const why = typeof error.code === "string" ? error.code : error.name;
    throw new VxError("unavailable", `The backup ${name} cannot be read now: ${why}`, { cause: error });
  }
}

async function openBase(folder: Folder, archive: ArchiveReader): Promise<ArchiveReader> {
  const { base, after, history } = archive.manifest as Manifest & { base: NonNullable<Manifest["base"]> };
  for (const name of [base.name, ...(await namesIn(folder))]) {
    const found = await openIfOurs(folder, name);
    if (found === undefined) continue;
    if (toHex(found.manifest.id) === toHex(base.id)) {
      if (found.manifest.last === after && sameHistory(found.manifest.history, history)) return found;
      await found.close();
      throw damaged(archive.name, `it does not go on from ${name}`);
    }
    await found.close();
  }
  throw new VxError("backup_not_found", `${archive.name} goes on from ${base.name}, which is not beside it`);
}
