/**
 * Files of which each chunk stands in its place, so that the segment is the file: a download writes its bytes once, and
 * its output is a second name of the segment (a hard link). Made by FsBlockStore; calls segment-files and block-index.
 *
 * From then on somebody else may change the bytes, as with any shared file on a disk. The time of the last change, noted
 * when the file was whole, tells; what is read after a later one is to be hashed before it is believed.
 */
import { stat } from "node:fs/promises";
import { unlessGone } from "../files/disk-errors.ts";
import type { BlockIndex, WholeRecord } from "./block-index.ts";
import type { SegmentFiles } from "./segment-files.ts";

export class WholeFiles {
  readonly #index: BlockIndex;
  readonly #segments: SegmentFiles;
  /** By number of their segment. */
  readonly #records: Map<number, WholeRecord>;
  /** Segments that a download writes to now. */
  readonly #open = new Set<number>();
  /** Segments that somebody else has changed. */
  readonly #changed = new Set<number>();

  private constructor(index: BlockIndex, segments: SegmentFiles, records: Map<number, WholeRecord>) {
    this.#index = index;
    this.#segments = segments;
    this.#records = records;
  }

  /** Forgets those whose segment is gone. */
  static async open(
    index: BlockIndex,
    segments: SegmentFiles,
    records: Map<number, WholeRecord>,
  ): Promise<WholeFiles> {
    const files = new WholeFiles(index, segments, records);
    const held = new Set(segments.numbers());
    for (const number of records.keys()) if (!held.has(number)) await files.forget(number);
    return files;
  }

  /** The segment of a file that is not whole yet, from an earlier download unless it is about to go, or new. */
  async begin(root: string, isLeaving: (number: number) => boolean): Promise<number> {
    for (const number of this.#unfinished(root)) {
      if (!(await this.#isOurs(number))) continue;
      // Asked last, so that it can't begin to go before it is known to be open.
      if (this.#open.has(number) || isLeaving(number)) continue;
      this.#open.add(number);
      return number;
    }
    const number = await this.#make(root);
    this.#open.add(number);
    return number;
  }

  isOpen(number: number): boolean {
    return this.#open.has(number);
  }

  /** Is it of a download that may go on in it? */
  isUnfinished(number: number): boolean {
    const record = this.#records.get(number);
    return record !== undefined && record.changedAtNs === undefined;
  }

  /** Makes the file durable, of that size, and notes when it was last changed. */
  async seal(number: number, sizeBytes: number): Promise<void> {
    const changedAtNs = await this.#segments.finish(number, sizeBytes);
    const root = this.#records.get(number)?.root ?? "";
    await this.#put(number, { root, changedAtNs: changedAtNs.toString() });
  }

  /** The download that wrote to it has ended. */
  end(number: number): void {
    this.#open.delete(number);
  }

  /** Has somebody else changed the segment since it was whole? */
  async isChanged(number: number): Promise<boolean> {
    const changedAtNs = this.#records.get(number)?.changedAtNs;
    if (changedAtNs === undefined) return false;
    if (this.#changed.has(number)) return true;
    if ((await this.#segments.changedAtNs(number))?.toString() === changedAtNs) return false;
    this.#changed.add(number);
    return true;
  }

  async forget(number: number): Promise<void> {
    this.#changed.delete(number);
    if (this.#records.delete(number)) await this.#index.deleteWhole(number);
  }

  #unfinished(root: string): number[] {
    const ofRoot = [...this.#records].filter(([, record]) => record.root === root);
    return ofRoot.map(([number]) => number).filter((number) => this.isUnfinished(number));
  }

  /** Has the file no other name? */
  async #isOurs(number: number): Promise<boolean> {
    return (await unlessGone(stat(this.#segments.pathOf(number))))?.nlink === 1;
  }

  async #make(root: string): Promise<number> {
    const number = await this.#segments.make();
    await this.#put(number, { root });
    return number;
  }

  async #put(number: number, record: WholeRecord): Promise<void> {
    await this.#index.putWhole(number, record);
    this.#records.set(number, record);
  }
}
