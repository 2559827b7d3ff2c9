/**
 * Writes to one store, in order: what comes while one is under way is written together, by the next. So many small writes cost
 * few syncs. Used by the records of both builds, and by the block index.
 */
interface PendingWrite<W> {
  write: W;
  written: () => void;
  failed: (error: unknown) => void;
}

export class GroupedWrites<W> {
  readonly #writeAll: (writes: W[]) => Promise<void>;
  #pending: PendingWrite<W>[] = [];
  #writing: Promise<void> | undefined;

  /** `writeAll`: all or nothing; what it throws is thrown to each of them. Not called while it is under way. */
  constructor(writeAll: (writes: W[]) => Promise<void>) {
    this.#writeAll = writeAll;
  }

  /** Settles when it is written. @throws what `writeAll` throws for the group that it is in */
  write(write: W): Promise<void> {
    return new Promise<void>((written, failed) => {
      this.#pending.push({ write, written, failed });
      this.#writing ??= this.#writePending();
    });
  }

  /** Settles when the writes that were asked for so far have ended. */
  async idle(): Promise<void> {
    await this.#writing;
  }

  async #writePending(): Promise<void> {
    while (this.#pending.length > 0) {
      const group = this.#pending;
      this.#pending = [];
      try {
        await this.#writeAll(group.map(({ write }) => write));
        for (const { written } of group) written();
      } catch (error) {
        for (const { failed } of group) failed(error);
      }
    }
    this.#writing = undefined;
  }
}
