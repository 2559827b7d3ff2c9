/**
 * What libp2p keeps between runs: known peers, and the WebRTC certificate that is part of our addresses. Opened
 * by main; calls classic-level. Not synced: losing the last entries costs a lookup.
 */
import { ClassicLevel } from "classic-level";
import { BaseDatastore } from "datastore-core";
import { Key, type KeyQuery, type Pair, type Query } from "interface-datastore";
import { NotFoundError } from "interface-store";

type Level = ClassicLevel<string, Uint8Array>;

export async function openLevelDatastore(folder: string): Promise<LevelDatastore> {
  const level: Level = new ClassicLevel(folder, { keyEncoding: "utf8", valueEncoding: "view" });
  await level.open();
  return new LevelDatastore(level);
}

export class LevelDatastore extends BaseDatastore {
  readonly #level: Level;

  constructor(level: Level) {
    super();
    this.#level = level;
  }

  override async put(key: Key, value: Uint8Array): Promise<Key> {
    await this.#level.put(key.toString(), value);
    return key;
  }

  override async get(key: Key): Promise<Uint8Array> {
    const value = await this.#level.get(key.toString());
    if (value === undefined) throw new NotFoundError(`there is no ${key}`);
    return value;
  }

  override async has(key: Key): Promise<boolean> {
    return this.#level.has(key.toString());
  }

  override async delete(key: Key): Promise<void> {
    await this.#level.del(key.toString());
  }

  override async *_all({ prefix = "" }: Query): AsyncGenerator<Pair> {
    for await (const [key, value] of this.#level.iterator(startingWith(prefix))) {
      yield { key: new Key(key), value };
    }
  }

  override async *_allKeys({ prefix = "" }: KeyQuery): AsyncGenerator<Key> {
    for await (const key of this.#level.keys(startingWith(prefix))) yield new Key(key);
  }

  async close(): Promise<void> {
    await this.#level.close();
  }
}

/** Keys hold no character above U+FFFD, in whose UTF-8 order they stand. */
function startingWith(prefix: string): { gte: string; lt: string } {
  return { gte: prefix, lt: `${prefix}\u{10ffff}` };
}
