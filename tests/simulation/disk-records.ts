/** A machine's records, as one process has them: changes are kept one after the other, as they were when they were made. */
import { KeyedQueue } from "../../src/sharing/keyed-queue.ts";
import type { RecordChange, RecordCollection, Records } from "../../src/sharing/ports.ts";
import type { Life } from "./life.ts";
import type { Machine } from "./machine.ts";

export class DiskRecords implements Records {
  readonly #machine: Machine;
  readonly #life: Life;
  readonly #changes = new KeyedQueue(1);

  constructor(machine: Machine, life: Life) {
    this.#machine = machine;
    this.#life = life;
  }

  get<T>(collection: RecordCollection, key: string): Promise<T | undefined> {
    return this.#machine.records.get<T>(collection, key);
  }

  entries<T>(collection: RecordCollection): AsyncIterable<[key: string, value: T]> {
    return this.#machine.records.entries<T>(collection);
  }

  put<T>(collection: RecordCollection, key: string, value: T): Promise<void> {
    return this.batch([{ type: "put", collection, key, value }]);
  }

  delete(collection: RecordCollection, key: string): Promise<void> {
    return this.batch([{ type: "delete", collection, key }]);
  }

  async batch(changes: RecordChange[]): Promise<void> {
    const made = structuredClone(changes);
    await this.#changes.run("all", async () => {
      await this.#machine.work("record", this.#life);
      await this.#machine.records.batch(made);
    });
  }

  async close(): Promise<void> {}
}
