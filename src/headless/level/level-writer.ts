/**
 * The one way by which a LevelDB is written: what comes together in one batch, and what a write that failed may have
 * left is mended before the next. Called by LevelRecords and the block index; calls grouped-writes.
 */
import type { ClassicLevel } from "classic-level";
import { isSharingError, SharingError } from "../../sharing/errors.ts";
import { GroupedWrites } from "../../sharing/grouped-writes.ts";
import { saysDiskFull } from "../files/disk-errors.ts";

export type LevelChange = { type: "put"; key: string; value: string } | { type: "del"; key: string };

interface Write {
  changes: LevelChange[];
  sync: boolean;
}

export class LevelWriter {
  readonly #level: ClassicLevel<string, string>;
  readonly #writes = new GroupedWrites<Write>((writes) => this.#writeAll(writes));
  /** After a failed write: what its changes would have replaced. */
  #undo: LevelChange[] | undefined;

  constructor(level: ClassicLevel<string, string>) {
    this.#level = level;
  }

  /**
   * All or nothing, after all that was written before. Survives `kill -9`; with `sync`, power loss too.
   * @throws SharingError `storage_full`
   */
  write(changes: LevelChange[], { sync }: { sync: boolean }): Promise<void> {
    return this.#writes.write({ changes, sync });
  }

  /** Settles when the writes under way have ended, before the database is closed. */
  async finish(): Promise<void> {
    await this.#writes.idle();
    await this.#mendIfPossible();
  }

  async #writeAll(writes: Write[]): Promise<void> {
    const changes = writes.flatMap((write) => write.changes);
    const sync = writes.some((write) => write.sync);
    try {
      await this.#writeBatch(changes, sync);
    } catch (error) {
      const failure = writeFailure(error);
      // A full disk would not take it.
      if (!isSharingError(failure, "storage_full")) await this.#mendIfPossible();
      throw failure;
    }
  }

  async #writeBatch(changes: LevelChange[], sync: boolean): Promise<void> {
    await this.#mend();
    try {
      await this.#level.batch(changes, { sync });
    } catch (error) {
      this.#undo = [];
      this.#undo = await this.#former(changes);
      throw error;
    }
  }

  /**
   * After a failed write LevelDB's log may end in half a record, behind which a later write would be lost at the next
   * recovery, or in a whole one, which was not made durable and would be there after it, though whoever wrote it was
   * refused. Opening anew recovers at once and begins a new log.
   */
  async #mend(): Promise<void> {
    if (this.#undo === undefined) return;
    await this.#level.close();
    await this.#level.open();
    await this.#level.batch(this.#undo, { sync: true });
    this.#undo = undefined;
  }

  /** What fails now is tried again with the next write, which fails with it. */
  async #mendIfPossible(): Promise<void> {
    await this.#mend().catch(() => undefined);
  }

  /** What puts things back as they are: of a failed write nothing is to be seen before the next recovery. */
  async #former(changes: LevelChange[]): Promise<LevelChange[]> {
    const keys = [...new Set(changes.map(({ key }) => key))];
    const values = await this.#level.getMany(keys);
    return keys.map((key, i): LevelChange => {
      const value = values[i];
      return value === undefined ? { type: "del", key } : { type: "put", key, value };
    });
  }
}

function writeFailure(error: unknown): unknown {
  const reason = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  if (reason instanceof Error && saysDiskFull(reason.message)) {
    return new SharingError("storage_full", "the disk is full", { cause: error });
  }
  return error;
}
