/**
 * What is kept of the files here. Called by the catalog alone. A deletion for which a full disk has no room holds in this process,
 * and is noted with whatever is kept of a file next, as there may be room by then.
 */
import type { FileRecord } from "./catalog-entry.ts";
import type { Log, Records } from "./ports.ts";

export class FileRecords {
  readonly #records: Records;
  readonly #log: Log;
  /** Files that are gone, which could not be noted. */
  readonly #unnoted = new Set<string>();

  constructor(records: Records, log: Log) {
    this.#records = records;
    this.#log = log;
  }

  entries(): AsyncIterable<[id: string, record: FileRecord]> {
    return this.#records.entries<FileRecord>("files");
  }

  async put(id: string, record: FileRecord): Promise<void> {
    const wasGone = this.#unnoted.delete(id);
    try {
      await this.#records.put("files", id, record);
    } catch (error) {
      if (wasGone) this.#unnoted.add(id);
      throw error;
    }
    await this.noteGone();
  }

  async delete(id: string): Promise<void> {
    await this.#records.delete("files", id);
  }

  /** To be noted by `noteGone`, unless the file is put anew. */
  deleteLater(id: string): void {
    this.#unnoted.add(id);
  }

  /** Notes what could not be noted before, as far as that can be now. */
  async noteGone(): Promise<void> {
    const gone = [...this.#unnoted];
    if (gone.length === 0) return;
    try {
      await this.#records.batch(gone.map((key) => ({ type: "delete", collection: "files", key })));
      for (const id of gone) this.#unnoted.delete(id);
    } catch (error) {
      const fileCount = gone.length;
      this.#log.warn("files that were deleted are back after a restart before this can be noted", {
        fileCount,
        error,
      });
    }
  }
}
