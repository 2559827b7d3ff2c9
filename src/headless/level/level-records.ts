/**
 * Records in LevelDB. Opened by main, first of all stores, since LevelDB's lock keeps a second process out of
 * the data folder; calls open-level. Key: collection, NUL, key, in UTF-8. Value: JSON text.
 */
import { ClassicLevel } from "classic-level";
import { SharingError } from "../../sharing/errors.ts";
import type { RecordChange, RecordCollection, Records } from "../../sharing/ports.ts";
import { type LevelChange, LevelWriter } from "./level-writer.ts";
import { openLevel } from "./open-level.ts";

/**
 * `segments`: blocks of the files that they know.
 * @throws CommandError `start_failed` when another process has the folder, they are damaged, or missing and the blocks are not
 */
export async function openLevelRecords(folder: string, segments?: string): Promise<LevelRecords> {
  const make = () => new ClassicLevel<string, string>(folder, { keyEncoding: "utf8", valueEncoding: "utf8" });
  return new LevelRecords(await openLevel(make, folder, "the records", segments));
}

export class LevelRecords implements Records {
  readonly #level: ClassicLevel<string, string>;
  readonly #writer: LevelWriter;
  #closed = false;

  constructor(level: ClassicLevel<string, string>) {
    this.#level = level;
    this.#writer = new LevelWriter(level);
  }

  async get<T>(collection: RecordCollection, key: string): Promise<T | undefined> {
    this.#check();
    const json = await this.#level.get(levelKey(collection, key));
    return json === undefined ? undefined : (JSON.parse(json) as T);
  }

  async *entries<T>(collection: RecordCollection): AsyncGenerator<[key: string, value: T]> {
    this.#check();
    const range = { gte: `${collection}\0`, lt: `${collection}\x01` };
    for await (const [key, json] of this.#level.iterator(range)) {
      yield [key.slice(collection.length + 1), JSON.parse(json) as T];
    }
  }

  async put<T>(collection: RecordCollection, key: string, value: T): Promise<void> {
    await this.batch([{ type: "put", collection, key, value }]);
  }

  async delete(collection: RecordCollection, key: string): Promise<void> {
    await this.batch([{ type: "delete", collection, key }]);
  }

  async batch(changes: RecordChange[]): Promise<void> {
    this.#check();
    await this.#writer.write(changes.map(levelChange), { sync: true });
  }

  /** Settles when the writes under way are on disk and the lock is free. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#writer.finish();
    await this.#level.close();
  }

  #check(): void {
    if (this.#closed) throw new SharingError("stopped", "the records are closed");
  }
}

function levelKey(collection: RecordCollection, key: string): string {
  return `${collection}\0${key}`;
}

function levelChange(change: RecordChange): LevelChange {
  const key = levelKey(change.collection, change.key);
  if (change.type === "delete") return { type: "del", key };
  const value = JSON.stringify(change.value);
  if (value === undefined) {
    throw new SharingError(
      "bad_request",
      `the value of ${change.collection}/${change.key} is no JSON document`,
    );
  }
  return { type: "put", key, value };
}
