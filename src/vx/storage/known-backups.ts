/**
 * Which backups an index has made itself. A copy of its folder, on another machine or from another day, may back up to
 * the same place under the same history: neither goes on from what the other has made, nor deletes it. Called by
 * backups and the index store.
 *
 * The file `last-backup` in the index's folder is JSON:
 *
 *   {"timeline": hex, "sequence": number, "archives": [hex, ...]}
 *
 * The journal behind `sequence` is kept for the next incremental backup; `archives` are the ids of all, newest first.
 * It is written before an archive stands in its place, so that none is there that its index does not know of.
 */
import { VxError } from "../errors.ts";
import type { History } from "./file-header.ts";
import { toHex } from "./hex.ts";
import type { Folder } from "./index-storage.ts";
import { MAX_KNOWN_BACKUPS, MAX_LAST_BACKUP_BYTES } from "./limits.ts";

const LAST_BACKUP = "last-backup";

export interface KnownBackups {
  /** Number of the last operation in the newest; undefined where there is none of this history. */
  until: number | undefined;
  /** Ids in hexadecimal, newest first. */
  ids: readonly string[];
}

export const NONE_KNOWN: KnownBackups = { until: undefined, ids: [] };

/** Those with one more, the newest. */
export function withNewest({ ids }: KnownBackups, id: string, until: number): KnownBackups {
  return { until, ids: [id, ...ids].slice(0, MAX_KNOWN_BACKUPS) };
}

/** None where the file is damaged, or of a version that noted no ids: the next backup is then full. */
export async function readKnownBackups(folder: Folder, history: History): Promise<KnownBackups> {
  const file = await folder.open(LAST_BACKUP);
  if (file === undefined) return NONE_KNOWN;
  try {
    const bytes = new Uint8Array(Math.min(file.sizeBytes, MAX_LAST_BACKUP_BYTES));
    await file.read(0, bytes);
    const json = JSON.parse(new TextDecoder().decode(bytes)) as Record<string, unknown> | null;
    const { timeline, sequence, archives } = json ?? {};
    if (!Array.isArray(archives) || !Number.isSafeInteger(sequence)) return NONE_KNOWN;
    const ids = archives.filter((id): id is string => typeof id === "string");
    return { until: timeline === toHex(history.timeline) ? (sequence as number) : undefined, ids };
  } catch (error) {
    if (error instanceof SyntaxError) return NONE_KNOWN;
    throw error;
  } finally {
    await file.close();
  }
}

/** Where there is no room for it the backup is made all the same: the next opening goes on from an earlier one, or from none. */
export async function rememberBackups(folder: Folder, history: History, known: KnownBackups): Promise<void> {
  try {
    await write(folder, history, known);
  } catch (error) {
    if (!(error instanceof VxError && error.code === "storage_full")) throw error;
  }
}

/** The next opening knows of none. */
export function forgetBackups(folder: Folder): Promise<void> {
  return folder.delete(LAST_BACKUP);
}

async function write(folder: Folder, { timeline }: History, { until, ids }: KnownBackups): Promise<void> {
  const file = await folder.create(LAST_BACKUP);
  try {
    const json = JSON.stringify({ timeline: toHex(timeline), sequence: until, archives: ids });
    await file.write(new TextEncoder().encode(`${json}\n`));
    await file.commit();
  } catch (error) {
    await file.discard();
    throw error;
  }
}
