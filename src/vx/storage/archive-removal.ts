/**
 * Which archives of a folder go: the one that somebody deletes, and the oldest of a schedule. Called by the index store
 * and the hosts' folders of backups; calls found-archives and deletion-marks.
 *
 * A file that cannot be read may go on from any archive that was made before it was written, and is taken for an archive that
 * does. What was made later it cannot go on from, so far as the clocks that both times come from agree.
 */
import { VxError } from "../errors.ts";
import { isScheduledName } from "./backup-name.ts";
import { isOfMedium } from "./damage.ts";
import { markDeletion } from "./deletion-marks.ts";
import {
  archivesIn,
  cannotBeRead,
  chainsIn,
  type FoundArchive,
  isUnread,
  lookAt,
  newestFirst,
  type UnreadFile,
} from "./found-archives.ts";
import { toHex } from "./hex.ts";
import type { ArchivePlace, DatedFolder, Folder } from "./index-storage.ts";
import { MAX_CLOCK_ERROR_MS } from "./limits.ts";

/**
 * Which archives are a schedule's own: of the index with that id, and those that it knows to have made, by their ids in
 * hexadecimal.
 */
export interface ScheduleOwner {
  indexId: Uint8Array<ArrayBuffer>;
  made(id: string): boolean;
}

/**
 * Deletes archives that the owner's schedule made, but for `keep` of them and what these and others need to be restored, or
 * may need. The newest one is kept whatever its time says, for clocks are set back. Gives the ids of those deleted. A copy of the
 * index that makes a backup at the same time does not go on from these.
 * @throws VxError `unavailable` where something cannot be read: what it may need is left, and all where it may be read
 * in a moment
 */
export async function pruneArchives(
  { folder, name: newest }: Omit<ArchivePlace, "path">,
  owner: ScheduleOwner,
  keep: number,
): Promise<string[]> {
  const look = () => superfluousIn(folder, newest, owner, keep);
  const { superfluous, unread } = await look();
  const deleted: string[] = [];
  const marks: (() => Promise<void>)[] = [];
  try {
    for (const { name } of superfluous) marks.push(await markDeletion(folder, name));
    // What came to go on from one of them before it was marked is seen now.
    const still = superfluous.length === 0 ? [] : (await look()).superfluous.map(({ name }) => name);
    for (const { name, manifest } of superfluous) {
      if (!still.includes(name)) continue;
      await folder.delete(name);
      deleted.push(toHex(manifest.id));
    }
  } finally {
    for (const unmark of marks) await unmark();
  }
  if (unread[0] !== undefined) throw cannotBeRead(unread[0]);
  return deleted;
}

/** What pruning deletes, newest first, and what of the folder cannot be read. @throws VxError `unavailable` */
async function superfluousIn(
  folder: DatedFolder,
  newest: string,
  { indexId, made }: ScheduleOwner,
  keep: number,
): Promise<{ superfluous: FoundArchive[]; unread: UnreadFile[] }> {
  const archives: FoundArchive[] = [];
  const unread: UnreadFile[] = [];
  for await (const found of archivesIn(folder)) {
    if (isUnread(found)) unread.push(found);
    else if (toHex(found.manifest.history.indexId) === toHex(indexId)) archives.push(found);
  }
  const passing = unread.find(({ isLasting }) => !isLasting);
  if (passing !== undefined) throw cannotBeRead(passing);
  let neededUntil = Number.NEGATIVE_INFINITY;
  for (const file of unread) neededUntil = Math.max(neededUntil, await basesUntil(folder, file));
  archives.sort((a, b) => Number(b.name === newest) - Number(a.name === newest) || newestFirst(a, b));
  const own = archives.filter(({ name, manifest }) => isScheduledName(name) && made(toHex(manifest.id)));
  const kept = new Set(archives);
  for (const old of own.slice(keep)) {
    if (old.manifest.createdAt.getTime() > neededUntil) kept.delete(old);
  }
  const chainOf = chainsIn(archives);
  for (const archive of [...kept]) {
    for (const needed of chainOf(archive) ?? []) kept.add(needed);
  }
  return { superfluous: archives.filter((archive) => !kept.has(archive)), unread };
}

/**
 * Deletes one archive; no error if it is not there. A backup that is made at the same time does not go on from it.
 * @throws VxError `conflict` where another goes on from it, or may and cannot be read, `unavailable` where that may be
 * read in a moment
 */
export async function deleteArchive({ folder, name }: Omit<ArchivePlace, "path">): Promise<void> {
  const unmark = await markDeletion(folder, name);
  try {
    const archive = await lookAt(folder, name);
    // Nothing goes on from what is no archive.
    if (archive !== undefined) {
      if (isUnread(archive)) await checkUnreadNotNeeded(folder, archive);
      else await checkNotNeeded(folder, archive);
    }
    await folder.delete(name);
  } finally {
    await unmark();
  }
}

async function checkNotNeeded(folder: DatedFolder, { name, manifest }: FoundArchive): Promise<void> {
  const id = toHex(manifest.id);
  let unread: UnreadFile | undefined;
  for await (const other of archivesIn(folder)) {
    if (!isUnread(other)) {
      const { base } = other.manifest;
      if (base !== undefined && toHex(base.id) === id) {
        throw new VxError("conflict", `The backup ${other.name} goes on from ${name}; delete that one first`);
      }
    } else if (manifest.createdAt.getTime() <= (await basesUntil(folder, other))) {
      unread = unread?.isLasting === false ? unread : other;
    }
  }
  if (unread === undefined) return;
  if (!unread.isLasting) throw cannotBeRead(unread);
  const what = `${unread.name}, which cannot be read (${unread.why}), may go on from ${name}`;
  throw new VxError("conflict", what, { cause: unread.cause });
}

/** What goes on from such a file is known by its base not being among those that can be read. */
async function checkUnreadNotNeeded(folder: Folder, file: UnreadFile): Promise<void> {
  if (!file.isLasting) throw cannotBeRead(file);
  const ids = new Set<string>();
  const byBase = new Map<string, string>();
  for await (const other of archivesIn(folder)) {
    if (isUnread(other)) continue;
    const { id, base } = other.manifest;
    ids.add(toHex(id));
    if (base !== undefined) byBase.set(toHex(base.id), other.name);
  }
  for (const [id, name] of byBase) {
    if (ids.has(id)) continue;
    throw new VxError("conflict", `${name} may go on from ${file.name}, which cannot be read (${file.why})`);
  }
}

/** Until when archives were made that the file may go on from, in ms. */
async function basesUntil(folder: DatedFolder, { name, isLasting }: UnreadFile): Promise<number> {
  if (!isLasting) return Number.POSITIVE_INFINITY;
  try {
    const facts = await folder.describe(name);
    return facts === undefined ? Number.NEGATIVE_INFINITY : facts.writtenAt.getTime() + MAX_CLOCK_ERROR_MS;
  } catch (error) {
    if (!isOfMedium(error)) throw error;
    return Number.POSITIVE_INFINITY;
  }
}
