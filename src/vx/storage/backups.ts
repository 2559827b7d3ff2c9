/**
 * Makes backups of an index's folder: which files an archive needs, and what it goes on from.
 * Called by the index store; calls archive-writer, found-archives and deletion-marks.
 *
 * The file `last-backup` in the index's folder remembers up to where the newest archive goes, for the journal after
 * that is kept for the next incremental one. It is JSON: `{"timeline": hex, "sequence": number}`.
 */
import { VxError } from "../errors.ts";
import { writeArchive } from "./archive-writer.ts";
import { isGoing, isMarked } from "./deletion-marks.ts";
import { type History, randomId, sameHistory } from "./file-header.ts";
import {
  type ArchiveFacts,
  chainsIn,
  type FoundArchive,
  listArchives,
  newestFirst,
} from "./found-archives.ts";
import { toHex } from "./hex.ts";
import type { ArchivePlace, Folder } from "./index-storage.ts";
import type { BackupOptions, BackupResult } from "./index-store.ts";
import type { IndexKey } from "./key.ts";
import { MAX_CHAIN } from "./limits.ts";
import type { Segment } from "./segments.ts";
import { openSnapshot } from "./snapshot-reader.ts";
import { SNAPSHOT } from "./snapshot-writer.ts";

const LAST_BACKUP = "last-backup";
const LAST_BACKUP_BYTES = 1024;

/** The index's files as they are, none of which changes while the backup is made. */
export interface IndexFiles {
  folder: Folder;
  history: History;
  key: IndexKey | undefined;
  /** Number of the last operation in the snapshot. */
  covered: number;
  snapshotBytes: number;
  /** Id of the snapshot's model of reduction. */
  model: Uint8Array | undefined;
  /** Number of the last operation in the segments. */
  last: number;
  segments: (Segment & { until: number })[];
  /** Number of the last operation in the newest backup that this index knows of. */
  backedUp: number | undefined;
}

export async function makeBackup(
  index: IndexFiles,
  place: ArchivePlace,
  options: BackupOptions,
): Promise<BackupResult> {
  const { history, last } = index;
  const base = options.incremental ? await findBase(index, place.folder, options.maxChain) : undefined;
  if (base === undefined) await checkSnapshot(index);
  const after = base?.manifest.last ?? 0;
  const journal = segmentsAfter(index, base === undefined ? index.covered : after);
  const files =
    base === undefined ? [{ name: SNAPSHOT, sizeBytes: index.snapshotBytes }, ...journal] : journal;
  const createdAt = new Date();
  const { sizeBytes } = await writeArchive(
    place,
    index.folder,
    {
      id: randomId(),
      createdAt,
      history,
      model: index.model,
      base: base && { id: base.manifest.id, name: base.name },
      after,
      last,
      files,
    },
    { compress: options.compress, key: index.key },
  );
  if (base !== undefined && (await isGoing(place.folder, base.name))) {
    // Who deletes it did not see what goes on from it.
    await place.folder.delete(place.name);
    return makeBackup(index, place, { ...options, incremental: false });
  }
  await rememberBackup(index);
  return { path: place.path, sizeBytes, timestamp: createdAt, incremental: base !== undefined };
}

/** Number of the last operation in the newest backup of the history; undefined if there is none. */
export async function lastBackup(folder: Folder, history: History): Promise<number | undefined> {
  const file = await folder.open(LAST_BACKUP);
  if (file === undefined) return undefined;
  try {
    const bytes = new Uint8Array(Math.min(file.sizeBytes, LAST_BACKUP_BYTES));
    await file.read(0, bytes);
    const { timeline, sequence } = JSON.parse(new TextDecoder().decode(bytes)) as Record<string, unknown>;
    return timeline === toHex(history.timeline) && Number.isSafeInteger(sequence)
      ? (sequence as number)
      : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  } finally {
    await file.close();
  }
}

/** Where there is no room for it the backup is made all the same: the next opening goes on from an earlier one, or from none. */
async function rememberBackup(index: IndexFiles): Promise<void> {
  try {
    await writeLastBackup(index);
  } catch (error) {
    if (!(error instanceof VxError && error.code === "storage_full")) throw error;
  }
}

async function writeLastBackup({ folder, history, last }: IndexFiles): Promise<void> {
  const file = await folder.create(LAST_BACKUP);
  try {
    const json = JSON.stringify({ timeline: toHex(history.timeline), sequence: last });
    await file.write(new TextEncoder().encode(`${json}\n`));
    await file.commit();
  } catch (error) {
    await file.discard();
    throw error;
  }
}

/**
 * Whether the snapshot is the one that the index knows: a medium may have failed once a later one stood there, of which the archive
 * would hold a part. @throws VxError `unavailable`
 */
async function checkSnapshot({ folder, covered, snapshotBytes }: IndexFiles): Promise<void> {
  const file = await folder.open(SNAPSHOT);
  if (file === undefined) throw new VxError("internal", `The index has lost its file ${SNAPSHOT}`);
  const { header } = await openSnapshot(file).finally(() => file.close());
  if (header.sequence === covered && file.sizeBytes === snapshotBytes) return;
  throw new VxError("unavailable", "The last snapshot of the index failed: save it first, then back it up");
}

/** Segments with operations behind the number given. */
function segmentsAfter({ segments }: IndexFiles, sequence: number): Segment[] {
  return segments.filter(({ until }) => until - 1 > sequence);
}

/**
 * The newest archive of this history, and this model, that the journal goes on from and whose chain is not at its end. Those
 * that the index does not know of are of a future that it was set back from, by a copy of its folder.
 */
async function findBase(
  index: IndexFiles,
  folder: Folder,
  maxChain = MAX_CHAIN,
): Promise<FoundArchive | undefined> {
  const { history, backedUp } = index;
  if (backedUp === undefined) return undefined;
  const known = Math.min(backedUp, index.last);
  const mark = (model: Uint8Array | undefined) => model && toHex(model);
  const isOfHistory = ({ last, model, ...other }: ArchiveFacts) =>
    sameHistory(other.history, history) && mark(model) === mark(index.model) && last <= known;
  const archives = await listArchives(folder, isOfHistory);
  const [newest] = archives.sort(newestFirst);
  if (newest === undefined) return undefined;
  if (await isMarked(folder, newest.name)) return undefined;
  const chain = chainsIn(archives)(newest);
  if (chain === undefined || chain.length >= Math.min(maxChain, MAX_CHAIN)) return undefined;
  const [next] = segmentsAfter(index, newest.manifest.last);
  const unbroken =
    next === undefined ? newest.manifest.last === index.last : next.first <= newest.manifest.last + 1;
  return unbroken ? newest : undefined;
}
