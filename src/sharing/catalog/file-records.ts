/**
 * What is kept of the files here. Called by the catalog alone. A deletion that a full disk has no room to note is noted
 * with whatever is kept of a file next.
 */
import type { RecordChange, Records } from "../ports.ts";
import type { FileRecord } from "./catalog-entry.ts";

export class FileRecords {
  readonly #records: Records;
  /** Files that are gone, which could not be noted. */
  readonly #unnoted = new Set<string>();

  constructor(records: Records) {
    this.#records = records;
  }

  entries(): AsyncIterable<[id: string, record: FileRecord]> {
    return this.#records.entries<FileRecord>("files");
  }

  async put(id: string, record: FileRecord): Promise<void> {
    const wasGone = this.#unnoted.delete(id);
    try {
      await this.#write([{ type: "put", collection: "files", key: id, value: record }]);
    } catch (error) {
      if (wasGone) this.#unnoted.add(id);
      throw error;
    }
  }

  /** Where that fails it is to be noted later, unless the file is to `stay` or is put anew. */
  async delete(id: string): Promise<void> {
    this.#unnoted.add(id);
    await this.noteGone();
  }

  stay(id: string): void {
    this.#unnoted.delete(id);
  }

  /** Notes what could not be noted before. */
  async noteGone(): Promise<void> {
    if (this.#unnoted.size > 0) await this.#write([]);
  }

  async #write(changes: RecordChange[]): Promise<void> {
    const gone = [...this.#unnoted];
    const deletions = gone.map((key): RecordChange => ({ type: "delete", collection: "files", key }));
    await this.#records.batch([...deletions, ...changes]);
    for (const id of gone) this.#unnoted.delete(id);
  }
}
