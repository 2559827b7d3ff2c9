/**
 * Marks of archives that are being deleted, for those who make a backup that goes on from one: maybe in another thread
 * or process, and no lock keeps them apart. Called by archive-removal, backups and the hosts' folders of backups.
 *
 *   who deletes   sets a mark ─ looks for what goes on from the archive ─ deletes it ─ takes the mark away
 *   who backs up  commits its archive ─ looks for marks of its base ─ looks for the base itself
 *
 * So one of the two learns of the other: an archive that was not found by the one came after the mark, which the other then
 * finds, unless the base is gone already. A mark is an empty file: `.deleting-`, the first half of the SHA-256 of the
 * archive's name, `-`, and random digits, for each who deletes takes away its own. One that a process left when it ended
 * keeps backups from going on from that archive, and nothing else.
 */
import { VxError } from "../errors.ts";
import { toHex } from "./hex.ts";
import type { DatedFolder, Folder } from "./index-storage.ts";
import { MAX_DELETION_MS } from "./limits.ts";

const MARK = ".deleting-";
const DIGEST_BYTES = 16;
const RANDOM_BYTES = 4;

/** Sets a mark; what is given takes it away. */
export async function markDeletion(folder: Folder, name: string): Promise<() => Promise<void>> {
  const mark = (await marksOf(name)) + toHex(crypto.getRandomValues(new Uint8Array(RANDOM_BYTES)));
  try {
    const file = await folder.create(mark);
    await file.commit().finally(() => file.discard());
  } catch (error) {
    // A full medium takes no backup either, and to delete one is what helps.
    if (error instanceof VxError && error.code === "storage_full") return async () => undefined;
    throw error;
  }
  return () => folder.delete(mark);
}

/** Whether somebody is deleting the archive, or ended while doing so. */
export async function isMarked(folder: Folder, name: string): Promise<boolean> {
  const marks = await marksOf(name);
  return (await folder.list()).some((other) => other.startsWith(marks));
}

/** Whether the archive is deleted, or about to be. To be asked by who has committed what goes on from it. */
export async function isGoing(folder: Folder, name: string): Promise<boolean> {
  if (await isMarked(folder, name)) return true;
  const file = await folder.open(name);
  await file?.close();
  return file === undefined;
}

/** Takes away the marks of processes that have ended. */
export async function removeOldMarks(folder: DatedFolder): Promise<void> {
  for (const name of await folder.list()) {
    if (!name.startsWith(MARK)) continue;
    const mark = await folder.describe(name);
    if (mark !== undefined && Date.now() - mark.writtenAt.getTime() > MAX_DELETION_MS)
      await folder.delete(name);
  }
}

/** What the names of an archive's marks begin with. */
async function marksOf(name: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(name));
  return `${MARK}${toHex(new Uint8Array(digest, 0, DIGEST_BYTES))}-`;
}
