/**
 * The journal: what was appended is durable before it is acknowledged. Made by the index store; calls frame and the
 * medium.
 *
 * Appends that come while the disk is busy wait, and then go together: one frame, one sync. A write that fails
 * is cut off again and its segment is closed for good; the next append begins a new segment, so that no nonce comes
 * twice and whatever the failed write left behind is not looked at.
 */
import { VxError } from "../errors.ts";
import { Serial } from "../serial.ts";
import { fileCipher } from "./cipher.ts";
import { encodeHeader, HEADER_BYTES, type History, randomId } from "./file-header.ts";
import { encodeFrame, type SegmentSeal } from "./frame.ts";
import type { AppendFile, IndexStorage } from "./index-storage.ts";
import type { IndexKey } from "./key.ts";
import { GROUP_BYTES, MAX_FRAME_BYTES, MAX_WAITING_BYTES, SEGMENT_BYTES } from "./limits.ts";
import { checkOperation, maxOperationBytes, type Operation } from "./operations.ts";
import { type Segment, segmentName } from "./segments.ts";

interface Waiting {
  operations: Operation[];
  sizeBytes: number;
  resolve(last: number): void;
  reject(error: unknown): void;
}

interface OpenSegment extends Segment {
  file: AppendFile;
  seal: SegmentSeal;
}

/** Where a journal goes on. */
export interface JournalStart {
  history: History;
  /** Number of the last operation that is stored. */
  last: number;
  /** Segments there are, in order. */
  segments: Segment[];
}

/** All segments, ended, and the number of the last operation in them; each ends before its `until`. */
export interface Rolled {
  last: number;
  segments: (Segment & { until: number })[];
}

export class Journal {
  readonly #storage: IndexStorage;
  readonly #key: IndexKey | undefined;
  readonly #disk = new Serial();
  #history: History;
  #last: number;
  #segments: Segment[];
  #generation: number;
  #open: OpenSegment | undefined;
  #waiting: Waiting[] = [];
  #waitingBytes = 0;
  #appendedBytes = 0;
  /** Why appends are refused. */
  #stopped: string | undefined;
  /** Why they are for good. */
  #ended: string | undefined;

  /** `generation`: the highest that a segment in the folder has. */
  constructor(storage: IndexStorage, key: IndexKey | undefined, start: JournalStart, generation: number) {
    this.#storage = storage;
    this.#key = key;
    this.#history = start.history;
    this.#last = start.last;
    this.#segments = start.segments;
    this.#generation = generation;
  }

  get last(): number {
    return this.#last;
  }

  /** Bytes appended since this journal was made; never goes back. */
  get appendedBytes(): number {
    return this.#appendedBytes;
  }

  /** How many segments hold operations after that one. */
  segmentsAfter(sequence: number): number {
    return this.#segments.filter((_, i) => this.#untilOf(i) - 1 > sequence).length;
  }

  /** See IndexStore.append. */
  async append(operations: Operation[]): Promise<number> {
    if (this.#stopped !== undefined) throw new VxError("unavailable", this.#stopped);
    let sizeBytes = 0;
    for (const operation of operations) {
      checkOperation(operation, this.#history.facts.dimension);
      sizeBytes += maxOperationBytes(operation);
    }
    if (sizeBytes > MAX_FRAME_BYTES) {
      throw new VxError("invalid_request", `One batch may take ${MAX_FRAME_BYTES} bytes, not ${sizeBytes}`);
    }
    if (this.#waitingBytes + sizeBytes > MAX_WAITING_BYTES) {
      throw new VxError("unavailable", "Too much waits to be stored: try again");
    }
    if (operations.length === 0) return this.#last;
    this.#waitingBytes += sizeBytes;
    return new Promise((resolve, reject) => {
      this.#waiting.push({ operations, sizeBytes, resolve, reject });
      if (this.#waiting.length === 1) this.#schedule();
    });
  }

  /** Ends the segment that is written to; gives all there are, in order, none of which grows from now on. */
  async roll(): Promise<Rolled> {
    return this.#disk.run(async () => {
      await this.#end();
      const segments = this.#segments.map((segment, i) => ({ ...segment, until: this.#untilOf(i) }));
      return { last: this.#last, segments };
    });
  }

  #untilOf(i: number): number {
    return this.#segments[i + 1]?.first ?? this.#last + 1;
  }

  /**
   * Deletes the segments named, oldest first. Where one stays nevertheless so do those behind it, for what the next opening finds
   * has no gap; it deletes them later.
   */
  async drop(names: string[]): Promise<void> {
    this.#segments = this.#segments.filter(({ name }) => !names.includes(name));
    await this.#storage.delete(...names).catch(() => undefined);
  }

  /** Refuses appends from now on for the reason given, stores those that wait, and ends the segment. */
  async stop(reason: string): Promise<void> {
    this.#stopped = reason;
    while (this.#waiting.length > 0) await this.#disk.run(() => this.#writeGroup());
    await this.roll();
  }

  /** Takes appends again after a stop. */
  start(): void {
    this.#stopped = this.#ended;
  }

  /** Refuses appends for good, for the reason given; while stopped. */
  end(reason: string): void {
    this.#ended = reason;
  }

  /** Begins another history, while stopped. The segments of the former one are of no more use. */
  async restart(history: History): Promise<void> {
    this.#history = history;
    this.#last = 0;
    await this.drop(this.#segments.map(({ name }) => name));
  }

  /** Stores appends that wait, as many as go together. Others, a roll among them, get their turn before the rest. */
  async #writeGroup(): Promise<void> {
    const group = this.#takeGroup();
    if (group.length === 0) return;
    try {
      const [first, ...others] = group as [Waiting, ...Waiting[]];
      await this.#write(
        others.length === 0 ? first.operations : group.flatMap(({ operations }) => operations),
      );
      let last = this.#last - group.reduce((count, { operations }) => count + operations.length, 0);
      for (const { operations, resolve } of group) {
        last += operations.length;
        resolve(last);
      }
    } catch (error) {
      for (const { reject } of group) reject(error);
    }
    if (this.#waiting.length > 0) this.#schedule();
  }

  #schedule(): void {
    void this.#disk.run(() => this.#writeGroup());
  }

  #takeGroup(): Waiting[] {
    let sizeBytes = 0;
    let count = 0;
    for (const waiting of this.#waiting) {
      if (count > 0 && sizeBytes + waiting.sizeBytes > GROUP_BYTES) break;
      sizeBytes += waiting.sizeBytes;
      count++;
    }
    this.#waitingBytes -= sizeBytes;
    return this.#waiting.splice(0, count);
  }

  async #write(operations: Operation[]): Promise<void> {
    if (this.#open !== undefined && this.#open.sizeBytes >= SEGMENT_BYTES) await this.#end();
    this.#open ??= await this.#begin();
    const segment = this.#open;
    try {
      const frame = await encodeFrame(operations, this.#last + 1, segment.seal);
      await segment.file.append(frame);
      await segment.file.sync();
      segment.sizeBytes += frame.byteLength;
      this.#appendedBytes += frame.byteLength;
      this.#last += operations.length;
    } catch (error) {
      this.#open = undefined;
      throw await cutOff(segment, error);
    }
  }

  /** The header is durable before a frame follows, so that a header which is not whole has nothing behind it. */
  async #begin(): Promise<OpenSegment> {
    const name = segmentName(this.#generation + 1);
    const fileId = randomId();
    const header = encodeHeader({ ...this.#history, kind: "journal", sequence: this.#last + 1, fileId });
    const cipher = await fileCipher(this.#key, fileId, header);
    const file = await this.#storage.startAppending(name);
    this.#generation++;
    try {
      await file.append(header);
      await file.sync();
    } catch (error) {
      await file.close();
      await this.#storage.delete(name);
      throw error;
    }
    const segment = { name, first: this.#last + 1, sizeBytes: HEADER_BYTES, file, seal: { fileId, cipher } };
    this.#segments.push(segment);
    return segment;
  }

  async #end(): Promise<void> {
    const segment = this.#open;
    this.#open = undefined;
    await segment?.file.close();
  }
}

/** Removes what a failed write left. Gives the error to throw. */
async function cutOff(segment: OpenSegment, cause: unknown): Promise<unknown> {
  try {
    await segment.file.truncate(segment.sizeBytes).finally(() => segment.file.close());
    return cause;
  } catch (error) {
    const what = `Cannot write to ${segment.name}, nor cut it off: what was refused may be there at the next start`;
    return new VxError(cause instanceof VxError ? cause.code : "internal", what, {
      cause: new AggregateError([cause, error]),
    });
  }
}
