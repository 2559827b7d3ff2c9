/**
 * The files that blocks stand in, one block behind the other. Called by FsBlockStore; calls node:fs.
 *
 *   <root>/<number>    a segment: blocks, each from a multiple of 4096; what stands where, the block index knows
 *
 * Few large files instead of one a block: storing a megabyte then takes one system call in place of eight, and one
 * sync covers all blocks written since the last (measured: three times the speed of durable writes). New blocks go
 * to the newest segment alone, which begins at each start, so that nothing is ever written where something stood.
 */
import { mkdir, readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { DirectFile } from "./direct-file.ts";
import { hasCode } from "./disk-errors.ts";
import { syncFolder } from "./durable.ts";
import { MAX_OPEN_SEGMENTS, SEGMENT_BYTES } from "./limits.ts";
import { IO_PAGE_BYTES } from "./page-memory.ts";

/** Where a block stands. */
export interface BlockPlace {
  segment: number;
  offset: number;
  sizeBytes: number;
}

interface Segment {
  number: number;
  /** Bytes given away to blocks, written or not. */
  endBytes: number;
  isOnDisk: boolean;
  handle: Promise<DirectFile> | undefined;
  /** Reads and writes that use the handle. */
  users: number;
  isDirty: boolean;
  isRemoved: boolean;
}

export class SegmentFiles {
  readonly #root: string;
  readonly #segments = new Map<number, Segment>();
  /** Segments with an open handle, the one used longest ago first. */
  readonly #opened = new Set<Segment>();
  #newest: Segment | undefined;
  #nextNumber = 0;
  #hasNewNames = false;

  private constructor(root: string) {
    this.#root = root;
  }

  /** Finds the segments under the root, which is made when absent. */
  static async open(root: string): Promise<SegmentFiles> {
    await mkdir(root, { recursive: true, mode: 0o700 });
    const files = new SegmentFiles(root);
    for (const name of await readdir(root)) {
      if (!/^(0|[1-9]\d{0,14})$/.test(name)) continue;
      const { size } = await stat(join(root, name));
      files.#add(Number(name), size).isOnDisk = true;
    }
    return files;
  }

  /** Numbers of all segments. */
  numbers(): number[] {
    return [...this.#segments.keys()];
  }

  /** Bytes of a segment; 0 for one that is not there. */
  endOf(number: number): number {
    return this.#segments.get(number)?.endBytes ?? 0;
  }

  /** No new segment will have this number or a lower one. */
  avoid(number: number): void {
    this.#nextNumber = Math.max(this.#nextNumber, number + 1);
  }

  /** Where the next block will stand; everything before it is written or under way. */
  position(): { segment: number; offset: number } {
    const newest = this.#newest;
    return { segment: newest?.number ?? this.#nextNumber, offset: newest?.endBytes ?? 0 };
  }

  /** No further block is written to this segment. */
  seal(number: number): void {
    if (this.#newest?.number === number) this.#newest = undefined;
  }

  /** Writes a block behind the last one. Durable after the next `sync` that begins when this has settled. */
  async append(bytes: Uint8Array): Promise<BlockPlace> {
    if (!this.#newest || this.#newest.endBytes >= SEGMENT_BYTES)
      this.#newest = this.#add(this.#nextNumber, 0);
    const segment = this.#newest;
    const place = { segment: segment.number, offset: segment.endBytes, sizeBytes: bytes.byteLength };
    segment.endBytes += Math.ceil(bytes.byteLength / IO_PAGE_BYTES) * IO_PAGE_BYTES;
    await this.#use(segment, (file) => file.write(bytes, place.offset));
    segment.isDirty = true;
    return place;
  }

  /** Reads a block, into a buffer where it fits; undefined where its file is gone or too short. */
  async read(
    { segment: number, offset, sizeBytes }: BlockPlace,
    into?: Uint8Array,
  ): Promise<Uint8Array | undefined> {
    const segment = this.#segments.get(number);
    if (!segment) return undefined;
    const bytes =
      into && sizeBytes <= into.byteLength
        ? into.subarray(0, sizeBytes)
        : new Uint8Array(Buffer.allocUnsafeSlow(sizeBytes).buffer);
    try {
      const filledBytes = await this.#use(segment, (file) => file.read(bytes, offset));
      return filledBytes === sizeBytes ? bytes : undefined;
    } catch (error) {
      if (hasCode(error, "ENOENT")) return undefined;
      throw error;
    }
  }

  /** Makes everything durable that was written before. */
  async sync(): Promise<void> {
    const dirty = [...this.#segments.values()].filter(({ isDirty }) => isDirty);
    await Promise.all(
      dirty.map(async (segment) => {
        segment.isDirty = false;
        try {
          await this.#use(segment, (file) => file.datasync());
        } catch (error) {
          segment.isDirty = true;
          throw error;
        }
      }),
    );
    if (!this.#hasNewNames) return;
    this.#hasNewNames = false;
    await syncFolder(this.#root);
  }

  /** Gives a segment's space back to the disk once nobody reads it. */
  async remove(number: number): Promise<void> {
    const segment = this.#segments.get(number);
    if (!segment) return;
    this.seal(number);
    this.#segments.delete(number);
    segment.isRemoved = true;
    segment.isDirty = false;
    await rm(join(this.#root, String(number)), { force: true });
    await this.#closeUnused(segment);
  }

  async close(): Promise<void> {
    for (const { handle } of this.#opened) await (await handle)?.close();
    this.#opened.clear();
  }

  #add(number: number, endBytes: number): Segment {
    const segment: Segment = {
      number,
      endBytes,
      isOnDisk: false,
      handle: undefined,
      users: 0,
      isDirty: false,
      isRemoved: false,
    };
    this.#segments.set(number, segment);
    this.avoid(number);
    return segment;
  }

  async #use<T>(segment: Segment, action: (file: DirectFile) => Promise<T>): Promise<T> {
    segment.users += 1;
    try {
      return await action(await this.#handleOf(segment));
    } finally {
      segment.users -= 1;
      if (segment.isRemoved) await this.#closeUnused(segment);
    }
  }

  async #handleOf(segment: Segment): Promise<DirectFile> {
    this.#opened.delete(segment);
    segment.handle ??= this.#openFile(segment);
    this.#opened.add(segment);
    if (this.#opened.size > MAX_OPEN_SEGMENTS) {
      const idle = [...this.#opened].find(({ users, isDirty }) => users === 0 && !isDirty);
      if (idle) await this.#closeUnused(idle);
    }
    return segment.handle;
  }

  async #openFile(segment: Segment): Promise<DirectFile> {
    const path = join(this.#root, String(segment.number));
    try {
      if (segment.isOnDisk) return await DirectFile.open(path, "r+");
      const handle = await DirectFile.open(path, "wx+", 0o600);
      segment.isOnDisk = true;
      this.#hasNewNames = true;
      return handle;
    } catch (error) {
      segment.handle = undefined;
      this.#opened.delete(segment);
      throw error;
    }
  }

  async #closeUnused(segment: Segment): Promise<void> {
    if (segment.users > 0 || !segment.handle) return;
    const handle = segment.handle;
    segment.handle = undefined;
    this.#opened.delete(segment);
    await (await handle).close();
  }
}
