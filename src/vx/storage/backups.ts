/**
 * Makes backups of an index's folder: which files an archive needs, and what it goes on from.
 * Called by the index store; calls archive-writer, found-archives, known-backups and deletion-marks.
 */
import { VxError } from "../errors.ts";
import { writeArchive } from "./archive-writer.ts";
import { isGoing, isMarked } from "./deletion-marks.ts";
import { type History, randomId, sameHistory } from "./file-header.ts";
import { type ArchiveFacts, chainsIn, type FoundArchive, listArchives } from "./found-archives.ts";
import { toHex } from "./hex.ts";
import type { ArchivePlace, Folder } from "./index-storage.ts";
import type { BackupOptions, BackupResult } from "./index-store.ts";
import type { IndexKey } from "./key.ts";
import { type KnownBackups, rememberBackups, withNewest } from "./known-backups.ts";
import { MAX_CHAIN } from "./limits.ts";
import type { Segment } from "./segments.ts";
import { openSnapshot } from "./snapshot-reader.ts";
import { SNAPSHOT } from "./snapshot-writer.ts";

/** What the snapshot holds. */
export interface Covered {
  /** Number of the last operation in it. */
  sequence: number;
  sizeBytes: number;
  /** Id of its model of reduction; known once it is read. */
  model?: Uint8Array | undefined;
}

/** What tells an index's own backups. */
interface OwnHistory {
  history: History;
  covered: Covered;
  /** Number of the last operation in the segments. */
  last: number;
  known: KnownBackups;
}

/** The index's files as they are, none of which changes while the backup is made. */
interface IndexFiles extends OwnHistory {
  folder: Folder;
  key: IndexKey | undefined;
  segments: (Segment & { until: number })[];
}

/** Gives with it what the index knows from then on. */
export async function makeBackup(
  index: IndexFiles,
  place: ArchivePlace,
  options: BackupOptions,
): Promise<{ result: BackupResult; known: KnownBackups }> {
  const { folder, history, covered, last } = index;
  const base = options.incremental ? await findBase(index, place.folder, options.maxChain) : undefined;
  if (base === undefined) await checkSnapshot(index);
  const after = base?.manifest.last ?? 0;
  const journal = segmentsAfter(index, base === undefined ? covered.sequence : after);
  const files = base === undefined ? [{ name: SNAPSHOT, sizeBytes: covered.sizeBytes }, ...journal] : journal;
  const createdAt = new Date();
  const id = randomId();
  const known = withNewest(index.known, toHex(id), last);
  const { sizeBytes } = await writeArchive(
    place,
    folder,
    {
      id,
      createdAt,
      history,
      model: covered.model,
      base: base && { id: base.manifest.id, name: base.name },
      after,
      last,
      files,
    },
    {
      compress: options.compress,
      key: index.key,
      beforeCommit: () => rememberBackups(folder, history, known),
    },
  );
  if (base !== undefined && (await isGoing(place.folder, base.name))) {
    // Who deletes it did not see what goes on from it.
    await place.folder.delete(place.name);
    return makeBackup(index, place, { ...options, incremental: false });
  }
  const incremental = base !== undefined;
  return { result: { path: place.path, sizeBytes, timestamp: createdAt, incremental }, known };
}

/**
 * Whether the snapshot is the one that the index knows: a medium may have failed once a later one stood there, of which
 * the archive would hold a part. @throws VxError `unavailable`
 */
async function checkSnapshot({ folder, covered }: IndexFiles): Promise<void> {
  const file = await folder.open(SNAPSHOT);
  if (file === undefined) throw new VxError("internal", `The index has lost its file ${SNAPSHOT}`);
  const { header } = await openSnapshot(file).finally(() => file.close());
  if (header.sequence === covered.sequence && file.sizeBytes === covered.sizeBytes) return;
  throw new VxError("unavailable", "The last snapshot of the index failed: save it first, then back it up");
}

/** Segments with operations behind the number given. */
function segmentsAfter({ segments }: IndexFiles, sequence: number): Segment[] {
  return segments.filter(({ until }) => until - 1 > sequence);
}

/**
 * Archives in the folder that this index has made, of its history and its model, newest first. Others of the same
 * history are of a future that the index was set back from, or of a copy of it.
 */
async function ownArchives(index: OwnHistory, folder: Folder): Promise<FoundArchive[]> {
  const { ids } = index.known;
  const own = new Set(ids);
  const mark = (model: Uint8Array | undefined) => model && toHex(model);
  const isWanted = ({ id, history, model }: ArchiveFacts) =>
    own.has(toHex(id)) && sameHistory(history, index.history) && mark(model) === mark(index.covered.model);
  const archives = await listArchives(folder, isWanted);
  const byId = new Map(archives.map((archive) => [toHex(archive.manifest.id), archive]));
  return ids.map((id) => byId.get(id)).filter((archive) => archive !== undefined);
}

/** Name of the newest of them, if that brings back all that the index holds. */
export async function wholeBackup(index: OwnHistory, folder: Folder): Promise<string | undefined> {
  const archives = await ownArchives(index, folder);
  const [newest] = archives;
  const isWhole = newest?.manifest.last === index.last && chainsIn(archives)(newest) !== undefined;
  return isWhole ? newest.name : undefined;
}

/** The newest of them, if the journal goes on from it and its chain is not at its end. */
async function findBase(
  index: IndexFiles,
  folder: Folder,
  maxChain = MAX_CHAIN,
): Promise<FoundArchive | undefined> {
  const archives = await ownArchives(index, folder);
  const [newest] = archives;
  if (newest === undefined) return undefined;
  if (await isMarked(folder, newest.name)) return undefined;
  const chain = chainsIn(archives)(newest);
  if (chain === undefined || chain.length >= Math.min(maxChain, MAX_CHAIN)) return undefined;
  const [next] = segmentsAfter(index, newest.manifest.last);
  const unbroken =
    next === undefined ? newest.manifest.last === index.last : next.first <= newest.manifest.last + 1;
  return unbroken ? newest : undefined;
}
