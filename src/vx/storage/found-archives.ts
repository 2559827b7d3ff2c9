/**
 * The archives of a folder, by what they say of themselves: all that can be read, those that a folder of backups shows, and which
 * goes on from which. Called by archives, archive-removal, backups and the hosts' folders of backups; calls archive-reader.
 */
import { VxError } from "../errors.ts";
import { type ArchiveReader, openArchiveReader } from "./archive-reader.ts";
import { asBackupErrors, isOfMedium } from "./damage.ts";
import { toHex } from "./hex.ts";
import type { Folder } from "./index-storage.ts";
import { MAX_LISTED_BACKUPS } from "./limits.ts";
import type { Manifest } from "./manifest.ts";

const ENDING = ".zip";

/** What a manifest says of the archive as a whole; the list of its parts may take megabytes. */
export type ArchiveFacts = Omit<Manifest, "files">;

export interface FoundArchive {
  name: string;
  manifest: ArchiveFacts;
}

/**
 * The archives in a folder that can be read, in no order, whatever their names, and those alone that are asked for: there may be
 * any number. `isWhole`: none may be passed over for want of it.
 */
export async function listArchives(
  folder: Folder,
  isWanted: (manifest: ArchiveFacts) => boolean = () => true,
  { isWhole = false } = {},
): Promise<FoundArchive[]> {
  const found: FoundArchive[] = [];
  for (const name of await folder.list()) {
    const archive = await openIfOurs(folder, name, isWhole);
    if (archive === undefined) continue;
    await archive.close();
    const { files: _files, ...manifest } = archive.manifest;
    if (isWanted(manifest)) found.push({ name, manifest });
  }
  return found;
}

/**
 * What a folder of backups shows: files that end as backups do, sound or not, and archives of any other name.
 * @throws VxError `unavailable` where they are too many to be shown
 */
export async function archiveNames(folder: Folder): Promise<string[]> {
  const shown: string[] = [];
  for (const name of await folder.list()) {
    if (name.startsWith(".")) continue;
    const archive = name.endsWith(ENDING) ? undefined : await openIfOurs(folder, name);
    await archive?.close();
    if (archive !== undefined || name.endsWith(ENDING)) shown.push(name);
    if (shown.length > MAX_LISTED_BACKUPS) throw tooMany();
  }
  return shown;
}

/** Gives the archives from a given one back to the full one; undefined if one of them is not there. */
export function chainsIn(
  archives: FoundArchive[],
): (newest: FoundArchive) => FoundArchive[] | undefined {
  const byId = new Map(archives.map((archive) => [toHex(archive.manifest.id), archive]));
  return (newest) => {
    const chain = [newest];
    for (let { base } = newest.manifest; base !== undefined; ) {
      const archive = byId.get(toHex(base.id));
      if (archive === undefined || chain.includes(archive)) return undefined;
      chain.push(archive);
      base = archive.manifest.base;
    }
    return chain;
  };
}

export function newestFirst(a: FoundArchive, b: FoundArchive): number {
  const time = b.manifest.createdAt.getTime() - a.manifest.createdAt.getTime();
  return time || b.manifest.last - a.manifest.last || (a.name < b.name ? 1 : -1);
}

/** Undefined if there is no such file. @throws VxError for what is no archive of ours, a newer version */
export async function openNamed(folder: Folder, name: string): Promise<ArchiveReader | undefined> {
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
export async function openIfOurs(
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

function tooMany(): VxError {
  const what = `The folder of backups holds more than ${MAX_LISTED_BACKUPS}, which are not listed`;
  return new VxError("unavailable", `${what}: move or delete some`);
}
