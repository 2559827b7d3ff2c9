/** Opens a LevelDB of the data folder, or says what keeps it from opening. Called by whatever keeps something in one. */
import { CommandError } from "./command-error.ts";

/** `what` it keeps. @throws CommandError `start_failed` when another process has the folder, or its contents are damaged */
export async function openLevel<Level extends { open(): Promise<void> }>(
  level: Level,
  folder: string,
  what: string,
): Promise<Level> {
  try {
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
