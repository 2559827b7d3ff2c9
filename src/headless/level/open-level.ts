/** Opens a LevelDB of the data folder, or says what keeps it from opening. Called by whatever keeps something in one. */
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { segmentNumbers } from "../blocks/segment-files.ts";
import { CommandError } from "../command-error.ts";
import { unlessGone } from "../files/disk-errors.ts";
import { makeFolders } from "../files/make-folders.ts";

/**
 * `what` it keeps. `segments`: the folder of the blocks that nobody can tell apart without it.
 * @throws CommandError `start_failed` when another process has the folder, its contents are damaged, or they are missing and
 * the blocks are not
 */
export async function openLevel<Level extends { open(): Promise<void> }>(
  make: () => Level,
  folder: string,
  what: string,
  segments?: string,
): Promise<Level> {
  if (segments !== undefined) await expectThere(folder, what, segments);
  try {
    // LevelDB leaves to the umask who may read it, and others may look into a data folder that was there before.
    await makeFolders(folder, 0o700);
    // It opens by itself once it is made.
    const level = make();
    await level.open();
    return level;
  } catch (error) {
    const cause = error instanceof Error ? error.cause : undefined;
    const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
    const reason =
      code === "LEVEL_LOCKED"
        ? "another node uses this data folder: stop it, or give this one its own with --data-dir"
        : `cannot open ${what}: ${cause instanceof Error ? cause.message : String(error)}`;
    throw new CommandError("start_failed", `${folder}: ${reason}`, { cause: error });
  }
}

/** A new one would say that no file has these blocks, and they would be removed. */
async function expectThere(folder: string, what: string, segments: string): Promise<void> {
  // By this file LevelDB finds all others, and without it begins anew.
  const isThere = (await unlessGone(stat(join(folder, "CURRENT")))) !== undefined;
  if (isThere || (await segmentNumbers(segments)).length === 0) return;
  throw new CommandError(
    "start_failed",
    `${folder}: cannot find ${what}, without which nobody knows what is in ${segments}: ` +
      "put it back from a backup, or move that away, too, to begin anew",
  );
}
