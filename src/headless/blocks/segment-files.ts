/**
 * The files that blocks stand in, one block behind the other. Called by FsBlockStore; calls node:fs.
 *
 *   <root>/<number>    a segment: blocks, each from a multiple of 4096, or one whole file (see whole-files.ts); what
 *                      stands where, the block index knows
 *
 * Few large files instead of one a block: storing a megabyte then takes one system call in place of eight, and one
 * sync covers all blocks written since the last (measured: three times the speed of durable writes). New blocks go to the
 * newest segment alone, which begins at each start, so that nothing is ever written where something stood; whole files
 * have segments of their own.
 */
import { open, readdir, rm, stat } from "node:fs/promises";
import type { Loss } from "../../sharing/catalog/loss-log.ts";
import { SharingError } from "../../sharing/errors.ts";
import { systemClock } from "../../sharing/system-clock.ts";
import { CommandError } from "../command-error.ts";
import { hasCode, unlessGone } from "../files/disk-errors.ts";
import { readFully, syncFolder } from "../files/durable.ts";
import { wholePagesOf } from "../files/page-memory.ts";
import { SEGMENT_BYTES, UNREADABLE_PAUSE_MS } from "../limits.ts";
import { SegmentFolder } from "./segment-folder.ts";
import { type SegmentFile, SegmentHandles } from "./segment-handles.ts";

/** What Linux says of bytes that the disk can't read, or whose checksum is wrong there, and of a handle that has gone bad. */
const UNREADABLE = ["EIO", "ENODATA", "EILSEQ", "EBADF"];

/** Where a block stands. */
export interface BlockPlace {
  segment: number;
  offset: number;
  sizeBytes: number;
  /** In a whole file, which is not written in order: the number of the flush that makes the block durable. */
  flush?: number;
  /** When its bytes were last known to be right, by the process's clock; absent for one of an earlier process. */
  soundAtMs?: number | undefined;
}

interface Segment extends SegmentFile {
  number: number;
  /** Bytes given away to blocks, written or not. */
  endBytes: number;
}

export class SegmentFiles {
  readonly #folder: SegmentFolder;
  readonly #segments = new Map<number, Segment>();
  readonly #handles: SegmentHandles;
  readonly #closing = new AbortController();
  #newest: Segment | undefined;
  #nextNumber = 0;

  private constructor(folder: SegmentFolder) {
    this.#folder = folder;
    this.#handles = new SegmentHandles(folder);
  }

  /** Finds the segments under the root, which is made when absent. @throws CommandError `start_failed` for a link to nothing */
  static async open(root: string): Promise<SegmentFiles> {
    const files = new SegmentFiles(await SegmentFolder.open(root));
    for (const number of await segmentNumbers(root)) {
      const found = await unlessGone(stat(files.pathOf(number)));
      if (found === undefined) throw linkToNothing(files.pathOf(number));
      if (found.isFile()) files.#add(number, found.size).isOnDisk = true;
      else files.avoid(number);
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
    const offset = segment.endBytes;
    await this.#write(segment, offset, bytes);
    return { segment: segment.number, offset, sizeBytes: bytes.byteLength };
  }

  /** Where the segment's file is. */
  pathOf(number: number): string {
    return this.#folder.pathOf(number);
  }

  /** Makes an empty segment that is written to by `writeAt` alone, and gives its number. */
  async make(): Promise<number> {
    const segment = this.#add(this.#nextNumber, 0);
    await this.#handles.use(segment, async () => undefined);
    return segment.number;
  }

  /** Writes anywhere in a segment that `make` made. Durable as after `append`. */
  async writeAt(
    { segment: number, offset }: Omit<BlockPlace, "sizeBytes">,
    bytes: Uint8Array,
  ): Promise<void> {
    await this.#write(this.#get(number), offset, bytes);
  }

  /** Gives a segment that `make` made its size, durably; tells when it was last changed, as `changedAtNs` does. */
  async finish(number: number, sizeBytes: number): Promise<bigint> {
    const segment = this.#get(number);
    segment.endBytes = sizeBytes;
    return await this.#handles.use(segment, async (file) => {
      await file.truncate(sizeBytes);
      await file.datasync();
      return file.changedAtNs();
    });
  }

  /** When the bytes of a segment were last changed, in nanoseconds since the epoch; undefined for one that is gone. */
  async changedAtNs(number: number): Promise<bigint | undefined> {
    const segment = this.#segments.get(number);
    return segment && (await unlessGone(this.#handles.use(segment, (file) => file.changedAtNs())));
  }

  /** Something in the segment may be in memory alone: the next `sync` covers it. */
  doubt(number: number): void {
    this.#get(number).isDirty = true;
  }

  /**
   * Reads a block, into a buffer where it fits; where its bytes are not to be had, gives why.
   * @throws Error where all blocks are out of reach, and none is lost
   */
  async read(
    { segment: number, offset, sizeBytes }: BlockPlace,
    into?: Uint8Array,
  ): Promise<Uint8Array | Loss> {
    const segment = this.#segments.get(number);
    if (!segment) return { why: "gone" };
    const bytes =
      into && sizeBytes <= into.byteLength
        ? into.subarray(0, sizeBytes)
        : new Uint8Array(Buffer.allocUnsafeSlow(sizeBytes).buffer);
    let unreadable: unknown;
    for (const fill of this.#waysToFill(segment, bytes, offset)) {
      try {
        return (await fill()) === sizeBytes ? bytes : { why: "cut short" };
      } catch (error) {
        if (hasCode(error, "ENOENT")) {
          await this.#folder.expectRemoved(number);
          return { why: "gone" };
        }
        if (!hasCode(error, ...UNREADABLE)) throw error;
        unreadable = error;
      }
    }
    return { why: "unreadable", error: unreadable };
  }

  /** What the disk can't read is tried again, and once more in a moment: a fault of its line or its power may have passed. */
  #waysToFill(segment: Segment, bytes: Uint8Array, offset: number): (() => Promise<number>)[] {
    const anew = () => readAnew(segment.path, bytes, offset);
    return [
      () => this.#handles.use(segment, (file) => file.read(bytes, offset)),
      anew,
      () => systemClock.sleep(UNREADABLE_PAUSE_MS, this.#closing.signal).then(anew),
    ];
  }

  /** Makes everything durable that was written before. `onLost`: of a segment, what was not durable may be gone for good. */
  async sync(onLost: (segment: number) => void): Promise<void> {
    const dirty = [...this.#segments].filter(([, { isDirty }]) => isDirty);
    const synced = await Promise.allSettled(
      dirty.map(([number, segment]) => this.#syncOne(segment, () => onLost(number))),
    );
    for (const outcome of synced) if (outcome.status === "rejected") throw outcome.reason;
    await this.#handles.keepNewNames(() => syncFolder(this.#folder.path));
  }

  /** A system that could not write what it had may have dropped it, and then call the next sync a success. */
  async #syncOne(segment: Segment, onLost: () => void): Promise<void> {
    segment.isDirty = false;
    try {
      await this.#handles.use(segment, (file) =>
        file.datasync().catch((error: unknown) => {
          onLost();
          throw error;
        }),
      );
    } catch (error) {
      segment.isDirty = true;
      throw error;
    }
  }

  /** Gives a segment's space back to the disk once nobody reads it. */
  async remove(number: number): Promise<void> {
    const segment = this.#segments.get(number);
    if (!segment) return;
    this.seal(number);
    this.#segments.delete(number);
    segment.isRemoved = true;
    await rm(this.pathOf(number), { force: true });
    await this.#handles.closeUnused(segment);
  }

  async close(): Promise<void> {
    this.#closing.abort(new SharingError("stopped", "the block store is closed"));
    await this.#handles.close();
  }

  #add(number: number, endBytes: number): Segment {
    const segment: Segment = {
      number,
      path: this.pathOf(number),
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

  #get(number: number): Segment {
    const segment = this.#segments.get(number);
    if (!segment) throw new Error(`there is no segment ${number}`);
    return segment;
  }

  async #write(segment: Segment, offset: number, bytes: Uint8Array): Promise<void> {
    segment.endBytes = Math.max(segment.endBytes, offset + wholePagesOf(bytes.byteLength));
    await this.#handles.use(segment, (file) => file.write(bytes, offset));
    segment.isDirty = true;
  }
}

/** Of the segments in a folder; none where that isn't there. */
export async function segmentNumbers(root: string): Promise<number[]> {
  const names = (await unlessGone(readdir(root))) ?? [];
  return names.filter((name) => /^(0|[1-9]\d{0,14})$/.test(name)).map(Number);
}

/** As where a disk is not mounted: its blocks would be forgotten, and removed when the disk is back. */
function linkToNothing(path: string): CommandError {
  return new CommandError(
    "start_failed",
    `${path}: a link to nothing: mount the disk that it leads to, or remove it, without the blocks that stood there`,
  );
}

/** As far as the file goes, by a handle of its own: one that was opened long ago may have gone bad. */
async function readAnew(path: string, into: Uint8Array, offset: number): Promise<number> {
  const file = await open(path, "r");
  try {
    return await readFully(file, into, offset);
  } finally {
    await file.close();
  }
}
