/**
 * The folder that segments stand in, and whether it still is the one that was opened: its disk may be unmounted, or it may be
 * moved, while the node runs. Asked before a segment counts as gone, and before one is made. Called by segment-files and
 * segment-handles.
 */
import { lstat, stat } from "node:fs/promises";
import { join } from "node:path";
import { unlessAbsent } from "../files/disk-errors.ts";
import { makeFolders } from "../files/make-folders.ts";

export class SegmentFolder {
  readonly path: string;
  /** The number of its disk. */
  readonly #dev: number;

  private constructor(path: string, dev: number) {
    this.path = path;
    this.#dev = dev;
  }

  /** Makes it where it is missing. @throws the system's error */
  static async open(path: string): Promise<SegmentFolder> {
    await makeFolders(path, 0o700);
    return new SegmentFolder(path, (await stat(path)).dev);
  }

  /** Where the file of a segment is. */
  pathOf(number: number): string {
    return join(this.path, String(number));
  }

  /** @throws Error for a folder that is gone, or that has come to light beneath the one that was here */
  async expectThere(): Promise<void> {
    const found = await unlessAbsent(stat(this.path));
    if (found?.dev === this.#dev) return;
    throw new Error(
      `${this.path}: the blocks are not here any more: their disk was unmounted, or they were moved`,
    );
  }

  /** Of a segment that can't be found: was it removed, and not out of reach with its disk? @throws Error where it was not */
  async expectRemoved(number: number): Promise<void> {
    await this.expectThere();
    const path = this.pathOf(number);
    const found = await unlessAbsent(lstat(path));
    if (found === undefined) return;
    throw new Error(
      found.isSymbolicLink()
        ? `${path}: a link to nothing: the disk that it leads to was unmounted`
        : `${path}: it could not be found, and is back`,
    );
  }
}
