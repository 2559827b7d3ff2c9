/**
 * The archives of a folder, by what they say of themselves, and the files that keep theirs back; which goes on from which. Called
 * by archives, archive-removal, backups and listed-archives; calls archive-reader.
 */
import { VxError } from "../errors.ts";
import { ArchiveReader, openArchiveReader } from "./archive-reader.ts";
import { asBackupErrors, isOfMedium, tooNewIn } from "./damage.ts";
import { toHex } from "./hex.ts";
import type { Folder } from "./index-storage.ts";
import type { Manifest } from "./manifest.ts";

/** Codes and names of errors that a medium gives again for the same file. Node.js has no names for EBADMSG and EUCLEAN. */
const LASTING = /^(EIO|Unknown system error -(74|117)|NotReadableError)$/;

/** What a manifest says of the archive as a whole; the list of its parts may take megabytes. */
export type ArchiveFacts = Omit<Manifest, "files">;

export interface FoundArchive {
  name: string;
  manifest: ArchiveFacts;
}

/** A file that may be an archive for all one knows: its medium does not give it, or it is of a later version. */
export interface UnreadFile {
  name: string;
  why: string;
  /** False: it may well be read in a moment. */
  isLasting: boolean;
  cause: Error;
}

export function isUnread(found: FoundArchive | UnreadFile): found is UnreadFile {
  return "why" in found;
}

/** What a folder holds, in no order, whatever the names: one after another, for there may be any number. */
export async function* archivesIn(folder: Folder): AsyncGenerator<FoundArchive | UnreadFile> {
  for (const name of await folder.list()) {
    const found = await lookAt(folder, name);
    if (found !== undefined) yield found;
  }
}

/** Undefined for what is not there, files of others and what is left of damaged archives. */
export async function lookAt(folder: Folder, name: string): Promise<FoundArchive | UnreadFile | undefined> {
  const archive = await openIfOurs(folder, name);
  if (!(archive instanceof ArchiveReader)) return archive;
  await archive.close();
  const { files: _files, ...manifest } = archive.manifest;
  return { name, manifest };
}

/** Those that can be read and are asked for. */
export async function listArchives(
  folder: Folder,
  isWanted: (manifest: ArchiveFacts) => boolean = () => true,
): Promise<FoundArchive[]> {
  const wanted: FoundArchive[] = [];
  for await (const found of archivesIn(folder)) {
    if (!isUnread(found) && isWanted(found.manifest)) wanted.push(found);
  }
  return wanted;
}

/** Gives the archives from a given one back to the full one; undefined if one of them is not there. */
export function chainsIn(archives: FoundArchive[]): (newest: FoundArchive) => FoundArchive[] | undefined {
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

/** Opens what `lookAt` only looks at. */
export async function openIfOurs(
  folder: Folder,
  name: string,
): Promise<ArchiveReader | UnreadFile | undefined> {
  try {
    return await asBackupErrors(name, () => openNamed(folder, name));
  } catch (error) {
    const later = tooNewIn(error);
    if (later !== undefined) return { name, why: later.finding, isLasting: true, cause: later };
    if (error instanceof VxError && error.code === "backup_corrupt") return undefined;
    if (!isOfMedium(error)) throw error;
    const why = typeof error.code === "string" ? error.code : error.name;
    // What one may not read is others'.
    if (why === "EACCES" || why === "EPERM") return undefined;
    return { name, why, isLasting: LASTING.test(why), cause: error };
  }
}

export function cannotBeRead({ name, why, isLasting, cause }: UnreadFile): VxError {
  const what = `The backup ${name} cannot be read${isLasting ? "" : " now"}: ${why}`;
  return new VxError("unavailable", what, { cause });
}
