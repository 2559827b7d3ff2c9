/**
 * Which block stands where in the segments: a LevelDB beside them. Opened and called by FsBlockStore.
 *
 *   <cid>       [segment, offset, size], JSON. cid: CIDv1 in base32, lower case
 *   !durable    [segment, offset], JSON: every block that ends before this position is known to be on the disk
 *
 * A place is written as soon as its block is, without a sync: so it survives `kill -9` at once, and power loss with
 * the next flush. After power loss a place may be there whose block is not; those stand behind `!durable`.
 */
import { ClassicLevel } from "classic-level";
import { CID } from "multiformats/cid";
import { LevelWriter } from "./level-writer.ts";
import type { BlockPlace } from "./segment-files.ts";

const DURABLE_KEY = "!durable";

type Position = Pick<BlockPlace, "segment" | "offset">;

export interface IndexContents {
  places: Map<string, BlockPlace>;
  durable: Position;
}

/** A CIDv0 and its CIDv1 name the same block. */
export function keyOf(cid: CID): string {
  return cid.toV1().toString();
}

export class BlockIndex {
  readonly #level: ClassicLevel<string, string>;
  readonly #writer: LevelWriter;

  private constructor(level: ClassicLevel<string, string>) {
    this.#level = level;
    this.#writer = new LevelWriter(level);
  }

  static async open(folder: string): Promise<BlockIndex> {
    const level = new ClassicLevel<string, string>(folder, { keyEncoding: "utf8", valueEncoding: "utf8" });
    await level.open();
    return new BlockIndex(level);
  }

  async read(): Promise<IndexContents> {
    const contents: IndexContents = { places: new Map(), durable: { segment: 0, offset: 0 } };
    for await (const [key, value] of this.#level.iterator()) {
      const numbers = parseNumbers(value);
      if (key === DURABLE_KEY) {
        const [segment = 0, offset = 0] = numbers;
        contents.durable = { segment, offset };
      } else if (numbers.length === 3 && isKey(key)) {
        const [segment = 0, offset = 0, sizeBytes = 0] = numbers;
        contents.places.set(key, { segment, offset, sizeBytes });
      }
    }
    return contents;
  }

  /** Survives `kill -9` once settled, power loss after `setDurable`. */
  async put(key: string, { segment, offset, sizeBytes }: BlockPlace): Promise<void> {
    const value = JSON.stringify([segment, offset, sizeBytes]);
    await this.#writer.write([{ type: "put", key, value }], { sync: false });
  }

  async delete(keys: string[]): Promise<void> {
    await this.#writer.write(
      keys.map((key) => ({ type: "del", key })),
      { sync: false },
    );
  }

  /** Records that all blocks before the position are on the disk; makes all that was written before durable. */
  async setDurable({ segment, offset }: Position): Promise<void> {
    const value = JSON.stringify([segment, offset]);
    await this.#writer.write([{ type: "put", key: DURABLE_KEY, value }], { sync: true });
  }

  async close(): Promise<void> {
    await this.#writer.idle();
    await this.#level.close();
  }
}

/** Does the block end at the position or before it? */
export function endsBefore({ segment, offset, sizeBytes }: BlockPlace, position: Position): boolean {
  return (
    segment < position.segment || (segment === position.segment && offset + sizeBytes <= position.offset)
  );
}

function parseNumbers(json: string): number[] {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    return [];
  }
  const isRight =
    Array.isArray(value) && value.every((number) => Number.isSafeInteger(number) && number >= 0);
  return isRight ? (value as number[]) : [];
}

function isKey(key: string): boolean {
  try {
    return CID.parse(key).toV1().toString() === key;
  } catch {
    return false;
  }
}
