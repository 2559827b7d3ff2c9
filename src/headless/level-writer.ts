/**
 * The one queue of writes to a LevelDB: what comes while a write is under way is written with the next, in order, in
 * one batch. So order holds, and many small writes cost few syncs. Called by LevelRecords and the block index.
 */
import type { ClassicLevel } from "classic-level";
import { SharingError } from "../sharing/errors.ts";

export type LevelChange = { type: "put"; key: string; value: string } | { type: "del"; key: string };

interface PendingWrite {
  changes: LevelChange[];
  sync: boolean;
  written: () => void;
  failed: (error: unknown) => void;
}

export class LevelWriter {
  readonly #level: ClassicLevel<string, string>;
  readonly #pending: PendingWrite[] = [];
  #writing: Promise<void> | undefined;
  #torn = false;

  constructor(level: ClassicLevel<string, string>) {
    this.#level = level;
  }

  /**
   * All or nothing, after all that was written before. Survives `kill -9`; with `sync`, power loss too.
   * @throws SharingError `storage_full`
   */
  write(changes: LevelChange[], { sync }: { sync: boolean }): Promise<void> {
    return new Promise<void>((written, failed) => {
      this.#pending.push({ changes, sync, written, failed });
      this.#writing ??= this.#writeAll();
    });
  }

  /** Settles when the writes under way have ended. */
  async idle(): Promise<void> {
    await this.#writing;
  }

  async #writeAll(): Promise<void> {
    while (this.#pending.length > 0) {
      const writes = this.#pending.splice(0);
      try {
        await this.#writeBatch(
          writes.flatMap(({ changes }) => changes),
          writes.some(({ sync }) => sync),
        );
        for (const { written } of writes) written();
      } catch (error) {
        for (const { failed } of writes) failed(writeFailure(error));
      }
    }
    this.#writing = undefined;
  }

  /**
   * After a failed write LevelDB's log may end in half a record, behind which a later write would be lost at the
   * next recovery. Opening anew recovers at once and begins a new log.
   */
  async #writeBatch(changes: LevelChange[], sync: boolean): Promise<void> {
    if (this.#torn) {
      await this.#level.close();
      await this.#level.open();
      this.#torn = false;
    }
    try {
      await this.#level.batch(changes, { sync });
    } catch (error) {
      this.#torn = true;
      throw error;
    }
  }
}

/** LevelDB tells a full disk by the system's message alone. */
function writeFailure(error: unknown): unknown {
  const reason = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  if (reason instanceof Error && /no space left|quota exceeded|file too large/i.test(reason.message)) {
    return new SharingError("storage_full", "the disk is full", { cause: error });
  }
  return error;
}
