/**
 * The open files of segments: opened when first used, a bounded number at a time, the one used longest ago closed first.
 * Called by SegmentFiles.
 */
import { DirectFile } from "../files/direct-file.ts";
import { MAX_OPEN_SEGMENTS } from "../limits.ts";
import type { SegmentFolder } from "./segment-folder.ts";

export interface SegmentFile {
  path: string;
  isOnDisk: boolean;
  handle: Promise<DirectFile> | undefined;
  /** Reads and writes that use the handle. */
  users: number;
  /** Has been written to since it was last made durable. */
  isDirty: boolean;
  isRemoved: boolean;
}

export class SegmentHandles {
  readonly #folder: Pick<SegmentFolder, "expectThere">;
  /** Files with an open handle, the one used longest ago first. */
  readonly #opened = new Set<SegmentFile>();
  #hasNewNames = false;

  constructor(folder: Pick<SegmentFolder, "expectThere">) {
    this.#folder = folder;
  }

  /** Calls `keep` where files were made since it last succeeded. */
  async keepNewNames(keep: () => Promise<void>): Promise<void> {
    if (!this.#hasNewNames) return;
    this.#hasNewNames = false;
    try {
      await keep();
    } catch (error) {
      this.#hasNewNames = true;
      throw error;
    }
  }

  /** Opens the file, or makes it, where it isn't open. */
  async use<T>(segment: SegmentFile, action: (file: DirectFile) => Promise<T>): Promise<T> {
    segment.users += 1;
    try {
      return await action(await this.#handleOf(segment));
    } finally {
      segment.users -= 1;
      if (segment.isRemoved) await this.closeUnused(segment);
    }
  }

  async closeUnused(segment: SegmentFile): Promise<void> {
    if (segment.users > 0 || !segment.handle) return;
    const handle = segment.handle;
    segment.handle = undefined;
    this.#opened.delete(segment);
    await (await handle).close();
  }

  async close(): Promise<void> {
    for (const { handle } of this.#opened) await (await handle)?.close();
  }

  async #handleOf(segment: SegmentFile): Promise<DirectFile> {
    this.#opened.delete(segment);
    segment.handle ??= this.#open(segment);
    this.#opened.add(segment);
    const [handle] = await Promise.all([segment.handle, this.#closeIdle()]);
    return handle;
  }

  /** Where too many are open, the one used longest ago of those that can be closed. */
  async #closeIdle(): Promise<void> {
    if (this.#opened.size <= MAX_OPEN_SEGMENTS) return;
    const idle = [...this.#opened].find(({ users, isDirty }) => users === 0 && !isDirty);
    if (idle) await this.closeUnused(idle);
  }

  async #open(segment: SegmentFile): Promise<DirectFile> {
    try {
      if (segment.isOnDisk) return await DirectFile.open(segment.path, "r+");
      // Else it would be lost once the folder that was opened is back.
      await this.#folder.expectThere();
      const handle = await DirectFile.open(segment.path, "wx+", 0o600);
      segment.isOnDisk = true;
      this.#hasNewNames = true;
      return handle;
    } catch (error) {
      segment.handle = undefined;
      this.#opened.delete(segment);
      throw error;
    }
  }
}
