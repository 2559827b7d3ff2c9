/**
 * Which block stands where in the segments: a LevelDB beside them. Opened and called by FsBlockStore.
 *
 *   <cid>        [segment, offset, size], JSON. cid: CIDv1 in base32, lower case. Or, in the segment of a whole file,
 *                [segment, offset, size, flush]: durable once that flush is
 *   !durable     [segment, offset, flush], JSON: every block that ends before this position is known to be on the disk,
 *                and so is what that flush or an earlier one was for
 *   !whole:<n>   {root, changedAtNs?}, JSON: segment n is the file of that root (see whole-files.ts)
 *
 * A place is written as soon as its block is, without a sync: so it survives `kill -9` at once, and power loss with
 * the next flush. After power loss a place may be there whose block is not; those stand behind `!durable`.
 */
import { ClassicLevel } from "classic-level";
import { CID } from "multiformats/cid";
import { isSharingError } from "../../sharing/errors.ts";
import { type LevelChange, LevelWriter } from "../level/level-writer.ts";
import { openLevel } from "../level/open-level.ts";
import type { BlockPlace } from "./segment-files.ts";

const DURABLE_KEY = "!durable";
const WHOLE_PREFIX = "!whole:";

/** Up to where blocks are known to be on the disk. */
export interface DurableMark {
  segment: number;
  offset: number;
  flush: number;
}

/** A segment that is a file. */
export interface WholeRecord {
  /** The file's root CID. */
  root: string;
  /** When its bytes were last changed, in nanoseconds since the epoch; absent while it is being downloaded. */
  changedAtNs?: string;
}

export interface IndexContents {
  places: Map<string, BlockPlace>;
  durable: DurableMark;
  /** The highest number of a flush that there has been, or that a block waits for. */
  lastFlush: number;
  wholes: Map<number, WholeRecord>;
}

/** A CIDv0 and its CIDv1 name the same block. */
export function keyOf(cid: CID): string {
  return cid.toV1().toString();
}

export class BlockIndex {
  readonly #level: ClassicLevel<string, string>;
  readonly #writer: LevelWriter;
  /** Blocks that are deleted, which a full disk had no room to note. */
  readonly #unnoted = new Set<string>();

  private constructor(level: ClassicLevel<string, string>) {
    this.#level = level;
    this.#writer = new LevelWriter(level);
  }

  /** `segments`: whose blocks it knows. @throws CommandError `start_failed` when it is damaged, or missing and they are not */
  static async open(folder: string, segments: string): Promise<BlockIndex> {
    const make = () =>
      new ClassicLevel<string, string>(folder, { keyEncoding: "utf8", valueEncoding: "utf8" });
    return new BlockIndex(await openLevel(make, folder, "the index of blocks", segments));
  }

  async read(): Promise<IndexContents> {
    const contents: IndexContents = {
      places: new Map(),
      durable: { segment: 0, offset: 0, flush: 0 },
      lastFlush: 0,
      wholes: new Map(),
    };
    for await (const [key, json] of this.#level.iterator()) {
      const value = parse(json);
      if (key === DURABLE_KEY && areNumbers(value)) {
        const [segment = 0, offset = 0, flush = 0] = value;
        contents.durable = { segment, offset, flush };
        contents.lastFlush = Math.max(contents.lastFlush, flush);
      } else if (key.startsWith(WHOLE_PREFIX) && isWholeRecord(value)) {
        contents.wholes.set(Number(key.slice(WHOLE_PREFIX.length)), value);
      } else if (areNumbers(value) && (value.length === 3 || value.length === 4) && isKey(key)) {
        const [segment = 0, offset = 0, sizeBytes = 0, flush] = value;
        contents.lastFlush = Math.max(contents.lastFlush, flush ?? 0);
        contents.places.set(key, { segment, offset, sizeBytes, ...(flush !== undefined && { flush }) });
      }
    }
    return contents;
  }

  /** Survives `kill -9` once settled, power loss after `setDurable`. */
  async put(key: string, { segment, offset, sizeBytes, flush }: BlockPlace): Promise<void> {
    const value = JSON.stringify([segment, offset, sizeBytes, ...(flush === undefined ? [] : [flush])]);
    this.#unnoted.delete(key);
    await this.#writer.write([{ type: "put", key, value }], { sync: false });
  }

  /** Are there deletions that the next start would not know of? */
  get isBehind(): boolean {
    return this.#unnoted.size > 0;
  }

  /**
   * What a full disk has no room to note is noted with what is deleted or flushed next. To a start that comes before,
   * it is a block that no file uses.
   */
  async delete(keys: string[]): Promise<void> {
    try {
      await this.#write(keys, [], { sync: false });
    } catch (error) {
      if (!isSharingError(error, "storage_full")) throw error;
      for (const key of keys) this.#unnoted.add(key);
    }
  }

  /** Records how far blocks are on the disk; makes all that was written before durable. */
  async setDurable({ segment, offset, flush }: DurableMark): Promise<void> {
    const value = JSON.stringify([segment, offset, flush]);
    await this.#write([], [{ type: "put", key: DURABLE_KEY, value }], { sync: true });
  }

  /** Survives power loss. */
  async putWhole(segment: number, record: WholeRecord): Promise<void> {
    const value = JSON.stringify(record);
    await this.#writer.write([{ type: "put", key: WHOLE_PREFIX + segment, value }], { sync: true });
  }

  async deleteWhole(segment: number): Promise<void> {
    await this.#writer.write([{ type: "del", key: WHOLE_PREFIX + segment }], { sync: false });
  }

  /** With these deletions those that were not noted before; one that is put anew meanwhile comes behind them. */
  async #write(keys: string[], changes: LevelChange[], options: { sync: boolean }): Promise<void> {
    const gone = [...this.#unnoted, ...keys];
    await this.#writer.write([...gone.map((key) => ({ type: "del" as const, key })), ...changes], options);
    for (const key of gone) this.#unnoted.delete(key);
  }

  async close(): Promise<void> {
    await this.#writer.finish();
    await this.#level.close();
  }
}

/** Is the block known to be on the disk? */
export function isDurable({ segment, offset, sizeBytes, flush }: BlockPlace, durable: DurableMark): boolean {
  if (flush !== undefined) return flush <= durable.flush;
  return segment < durable.segment || (segment === durable.segment && offset + sizeBytes <= durable.offset);
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

function areNumbers(value: unknown): value is number[] {
  return Array.isArray(value) && value.every((number) => Number.isSafeInteger(number) && number >= 0);
}

function isWholeRecord(value: unknown): value is WholeRecord {
  if (typeof value !== "object" || value === null || !("root" in value)) return false;
  const { root, changedAtNs } = value as Record<string, unknown>;
  return typeof root === "string" && (changedAtNs === undefined || typeof changedAtNs === "string");
}

function isKey(key: string): boolean {
  try {
    return CID.parse(key).toV1().toString() === key;
  } catch {
    return false;
  }
}
