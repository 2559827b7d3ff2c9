/**
 * Records in memory: for tests, and for nodes that keep nothing. Documents are held as JSON text, so that what
 * comes back is what a durable store would give. Made by whoever joins the ports; calls nothing.
 */
import { SharingError } from "../errors.ts";
import type { RecordChange, RecordCollection, Records } from "../ports.ts";

export class MemoryRecords implements Records {
  readonly #collections = new Map<RecordCollection, Map<string, string>>();
  #closed = false;

  async get<T>(collection: RecordCollection, key: string): Promise<T | undefined> {
    const json = this.#collection(collection).get(key);
    return json === undefined ? undefined : (JSON.parse(json) as T);
  }

  async *entries<T>(collection: RecordCollection): AsyncGenerator<[key: string, value: T]> {
    const sorted = [...this.#collection(collection)].sort(([a], [b]) => (a < b ? -1 : 1));
    for (const [key, json] of sorted) yield [key, JSON.parse(json) as T];
  }

  async put<T>(collection: RecordCollection, key: string, value: T): Promise<void> {
    await this.batch([{ type: "put", collection, key, value }]);
  }

  async delete(collection: RecordCollection, key: string): Promise<void> {
    await this.batch([{ type: "delete", collection, key }]);
  }

  async batch(changes: RecordChange[]): Promise<void> {
    const encoded = changes.map((change) => ({
      ...change,
      json: change.type === "put" ? JSON.stringify(change.value) : undefined,
    }));
    for (const { type, json, collection, key } of encoded) {
      if (type === "put" && json === undefined) {
        throw new SharingError("bad_request", `the value of ${collection}/${key} is no JSON document`);
      }
    }
    for (const { json, collection, key } of encoded) {
      const documents = this.#collection(collection);
      if (json === undefined) documents.delete(key);
      else documents.set(key, json);
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
  }

  #collection(name: RecordCollection): Map<string, string> {
    if (this.#closed) throw new SharingError("stopped", "the records are closed");
    const found = this.#collections.get(name);
    if (found !== undefined) return found;
    const made = new Map<string, string>();
    this.#collections.set(name, made);
    return made;
  }
}
