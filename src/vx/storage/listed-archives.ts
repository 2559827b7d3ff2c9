/**
 * What a folder of backups shows: files that end as backups do, sound or not, and archives of any other name. Called by the
 * hosts' folders of backups; calls found-archives.
 */
import { VxError } from "../errors.ts";
import { type FoundArchive, isUnread, lookAt } from "./found-archives.ts";
import { toHex } from "./hex.ts";
import type { Folder } from "./index-storage.ts";
import { MAX_LISTED_BACKUPS } from "./limits.ts";

const ENDING = ".zip";

export interface ListedArchive {
  name: string;
  /** `unreadable`: no archive in spite of its name, a damaged one, of a later version, or not given by its medium. */
  kind: "full" | "incremental" | "unreadable";
  /** Name of the archive that it goes on from, which may have been renamed since; undefined where that is not in the folder. */
  base: string | undefined;
  /** Undefined where it is unreadable. A copy's file has a later date than its archive. */
  madeAt: Date | undefined;
}

/** @throws VxError `unavailable` where they are too many to be shown */
export async function listedArchives(folder: Folder): Promise<ListedArchive[]> {
  const listed: { name: string; archive: FoundArchive | undefined }[] = [];
  const nameById = new Map<string, string>();
  for (const name of await folder.list()) {
    if (name.startsWith(".")) continue;
    const found = await lookAt(folder, name);
    const archive = found === undefined || isUnread(found) ? undefined : found;
    if (archive !== undefined) nameById.set(toHex(archive.manifest.id), name);
    if (archive !== undefined || name.endsWith(ENDING)) listed.push({ name, archive });
    if (listed.length > MAX_LISTED_BACKUPS) throw tooMany();
  }
  return listed.map(({ name, archive }) => {
    if (archive === undefined) return { name, kind: "unreadable", base: undefined, madeAt: undefined };
    const { base, createdAt: madeAt } = archive.manifest;
    if (base === undefined) return { name, kind: "full", base, madeAt };
    return { name, kind: "incremental", base: nameById.get(toHex(base.id)), madeAt };
  });
}

function tooMany(): VxError {
  const what = `The folder of backups holds more than ${MAX_LISTED_BACKUPS}, which are not listed`;
  return new VxError("unavailable", `${what}: move or delete some`);
}
