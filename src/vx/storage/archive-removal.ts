/**
 * Which archives of a folder go: the one that somebody deletes, and the oldest of a schedule. Called by backups and the hosts'
 * folders of backups; calls found-archives and deletion-marks.
 */
import { VxError } from "../errors.ts";
import { isScheduledName } from "./backup-name.ts";
import { markDeletion } from "./deletion-marks.ts";
import { type ArchiveFacts, chainsIn, listArchives, newestFirst } from "./found-archives.ts";
import { toHex } from "./hex.ts";
import type { ArchivePlace, Folder } from "./index-storage.ts";

/**
 * Deletes archives of an index that the schedule made, but for the newest `keep`, and what these and other archives need to
 * be restored. To be called by the one who has that index open, between two of its backups: nobody else makes one that goes on
 * from these. @throws VxError `unavailable`, and deletes none, where one of them may be what cannot be read now
 */
export async function pruneArchives(
  folder: Folder,
  indexId: Uint8Array<ArrayBuffer>,
  keep: number,
): Promise<void> {
  const isOfIndex = ({ history }: ArchiveFacts) => toHex(history.indexId) === toHex(indexId);
  const archives = await listArchives(folder, isOfIndex, { isWhole: true });
  archives.sort(newestFirst);
  const scheduled = archives.filter(({ name }) => isScheduledName(name));
  const kept = new Set(archives);
  for (const old of scheduled.slice(keep)) kept.delete(old);
  const chainOf = chainsIn(archives);
  for (const archive of [...kept]) {
    for (const needed of chainOf(archive) ?? []) kept.add(needed);
  }
  for (const archive of archives) if (!kept.has(archive)) await folder.delete(archive.name);
}

/**
 * Deletes one archive; no error if it is not there. A backup that is made at the same time does not go on from it.
 * @throws VxError `conflict` where another goes on from it, `unavailable` where one that may cannot be read now
 */
export async function deleteArchive({ folder, name }: Omit<ArchivePlace, "path">): Promise<void> {
  const unmark = await markDeletion(folder, name);
  try {
    await checkNotNeeded(folder, name);
    await folder.delete(name);
  } finally {
    await unmark();
  }
}

async function checkNotNeeded(folder: Folder, name: string): Promise<void> {
  const archives = await listArchives(folder, undefined, { isWhole: true });
  const id = archives.find((archive) => archive.name === name)?.manifest.id;
  const next = id && archives.find(({ manifest: { base } }) => base && toHex(base.id) === toHex(id));
  if (next) throw new VxError("conflict", `${next.name} goes on from ${name}; delete that one first`);
}
