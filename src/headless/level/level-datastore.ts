/** Where a headless node keeps what libp2p keeps between runs. Opened by open-network; calls classic-level. Not synced. */
import { ClassicLevel } from "classic-level";
import {
  type Entry,
  type EntryChange,
  type EntryStore,
  KeptDatastore,
} from "../../network/libp2p/kept-datastore.ts";
import { ENTRIES_PER_PAGE, MAX_ENTRIES } from "../limits.ts";
import { openLevel } from "./open-level.ts";

type Level = ClassicLevel<string, Uint8Array>;

/** `onLost`: told why the latest changes were not written. @throws CommandError `start_failed` when its contents are damaged */
export async function openLevelDatastore(
  folder: string,
  onLost: (error: unknown) => void,
): Promise<KeptDatastore> {
  const make = (): Level => new ClassicLevel(folder, { keyEncoding: "utf8", valueEncoding: "view" });
  const entries = new LevelEntries(await openLevel(make, folder, "the known peers"));
  return await KeptDatastore.open(entries, { maxEntries: MAX_ENTRIES, onLost });
}

class LevelEntries implements EntryStore {
  readonly #level: Level;

  constructor(level: Level) {
    this.#level = level;
  }

  async *pages(): AsyncGenerator<Entry[]> {
    const iterator = this.#level.iterator();
    try {
      for (;;) {
        const page = await iterator.nextv(ENTRIES_PER_PAGE);
        if (page.length === 0) return;
        yield page;
      }
    } finally {
      await iterator.close();
    }
  }

  async commit(changes: EntryChange[]): Promise<void> {
    await this.#level.batch(
      changes.map(([key, value]) =>
        value === undefined ? { type: "del", key } : { type: "put", key, value },
      ),
    );
  }

  async close(): Promise<void> {
    await this.#level.close();
  }
}
