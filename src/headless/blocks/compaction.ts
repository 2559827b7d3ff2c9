/**
 * Wins back the space of deleted blocks: a segment without blocks is removed at once, one that is more than half empty
 * is emptied first, its blocks moved behind the newest: copied, and said to stand there once the copies are durable, so
 * that whatever power loss leaves of the one or the other, each block stands somewhere. Made by FsBlockStore, which
 * tells it of every block that went and moves blocks for it.
 */
import { isSharingError } from "../../sharing/errors.ts";
import { wholePagesOf } from "../files/page-memory.ts";
import { COMPACTION_DELAY_MS, MAX_COMPACTION_PAUSE_MS } from "../limits.ts";
import type { BlockPlace, SegmentFiles } from "./segment-files.ts";

export interface CompactionActions {
  /** Writes a block elsewhere, too, and tells where; undefined where it no longer stands there. */
  copy(key: string, place: BlockPlace): Promise<BlockPlace | undefined>;
  /** The copy is the block from now on; false where that no longer stands where it was copied from. */
  replace(key: string, place: BlockPlace, copy: BlockPlace): Promise<boolean>;
  /** Is the segment being filled, and therefore to stay as it is? */
  isOpen(segment: number): boolean;
  /** A segment is gone. */
  removed(segment: number): Promise<void>;
  /** Settles when every block that is being written has its place. */
  settled(): Promise<void>;
  flush(): Promise<void>;
  /** Makes durable which blocks were deleted. */
  keepDeletions(): Promise<void>;
  onError(error: unknown): void;
}

export class Compaction {
  readonly #segments: SegmentFiles;
  readonly #places: ReadonlyMap<string, BlockPlace>;
  readonly #actions: CompactionActions;
  /** Segments that blocks went from since they were last looked at. */
  readonly #touched = new Set<number>();
  /** Goes as soon as its blocks stand elsewhere. */
  #leaving: number | undefined;
  #timer: NodeJS.Timeout | undefined;
  #pauseMs = COMPACTION_DELAY_MS;
  #running: Promise<void> | undefined;
  #stopped = false;

  constructor(segments: SegmentFiles, places: ReadonlyMap<string, BlockPlace>, actions: CompactionActions) {
    this.#segments = segments;
    this.#places = places;
    this.#actions = actions;
  }

  /** Looks at what earlier runs left, but for segments that are to stay as they are. */
  resume(isToStay: (segment: number) => boolean): void {
    const heldBytes = new Map<number, number>();
    for (const { segment, sizeBytes } of this.#places.values())
      heldBytes.set(segment, (heldBytes.get(segment) ?? 0) + wholePagesOf(sizeBytes));
    for (const [segment, bytes] of heldBytes)
      if (this.#isMostlyEmpty(segment, bytes) && !isToStay(segment)) this.freed(segment);
  }

  /** A block no longer stands in the segment, or it is no longer open. What could not go before may now. */
  freed(segment: number): void {
    if (this.#stopped) return;
    this.#touched.add(segment);
    if (this.#pauseMs > COMPACTION_DELAY_MS) this.#stopWaiting();
    this.#pauseMs = COMPACTION_DELAY_MS;
    this.#startSoon();
  }

  /** Is the segment about to go, and nothing to be written to it any more? */
  isLeaving(segment: number): boolean {
    return this.#leaving === segment;
  }

  /** Settles when the block that is being copied has been. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#stopWaiting();
    await this.#running;
  }

  /** Settles when what was freed before has gone back to the disk, as far as that can be. */
  async runNow(): Promise<void> {
    this.#stopWaiting();
    await this.#running;
    if (this.#touched.size > 0) await this.#start();
  }

  #stopWaiting(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #startSoon(): void {
    if (this.#running || this.#stopped) return;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      void this.#start();
    }, this.#pauseMs).unref();
  }

  #start(): Promise<void> {
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
      if (this.#touched.size > 0) this.#startSoon();
    });
    return this.#running;
  }

  /** Never rejects: a segment that can't go now keeps none of the others, and is looked at again later and later. */
  async #run(): Promise<void> {
    const touched = [...this.#touched];
    this.#touched.clear();
    let hasFailed = false;
    for (const number of touched) {
      try {
        await this.#look(number);
      } catch (error) {
        hasFailed = true;
        this.#touched.add(number);
        this.#actions.onError(error);
      }
    }
    this.#pauseMs = hasFailed ? Math.min(this.#pauseMs * 2, MAX_COMPACTION_PAUSE_MS) : COMPACTION_DELAY_MS;
  }

  async #look(number: number): Promise<void> {
    if (this.#actions.isOpen(number)) return;
    const places = this.#blocksOf(number).map(([, place]) => place);
    const heldBytes = places.reduce((total, { sizeBytes }) => total + wholePagesOf(sizeBytes), 0);
    if (this.#isMostlyEmpty(number, heldBytes)) await this.#remove(number);
  }

  #isMostlyEmpty(number: number, heldBytes: number): boolean {
    return heldBytes * 2 <= wholePagesOf(this.#segments.endOf(number));
  }

  async #remove(number: number): Promise<void> {
    this.#leaving = number;
    try {
      await this.#empty(number);
    } finally {
      this.#leaving = undefined;
    }
  }

  async #empty(number: number): Promise<void> {
    this.#segments.seal(number);
    await this.#actions.settled();
    const held = this.#blocksOf(number);
    if (held.length > 0) await this.#move(held);
    const areKept = held.length > 0 || (await this.#keepDeletions());
    if (this.#stopped) return;
    await this.#segments.remove(number);
    // That has given room for it.
    if (!areKept) await this.#keepDeletions();
    await this.#actions.removed(number);
  }

  async #move(blocks: [key: string, place: BlockPlace][]): Promise<void> {
    const { copy, replace, flush } = this.#actions;
    const copied: [key: string, place: BlockPlace, copy: BlockPlace][] = [];
    try {
      for (const [key, place] of blocks) {
        if (this.#stopped) return;
        const made = await copy(key, place);
        if (made !== undefined) copied.push([key, place, made]);
      }
      await flush();
    } catch (error) {
      for (const [, , made] of copied) this.#touched.add(made.segment);
      throw error;
    }
    for (const [key, place, made] of copied)
      if (!(await replace(key, place, made))) this.#touched.add(made.segment);
    await flush();
  }

  /**
   * First, or after power loss the index would tell of blocks whose segments are gone. A full disk has no room for it
   * until they are: then it is false.
   */
  async #keepDeletions(): Promise<boolean> {
    try {
      await this.#actions.keepDeletions();
      return true;
    } catch (error) {
      if (!isSharingError(error, "storage_full")) throw error;
      return false;
    }
  }

  #blocksOf(number: number): [key: string, place: BlockPlace][] {
    return [...this.#places].filter(([, { segment }]) => segment === number);
  }
}
