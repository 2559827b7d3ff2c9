/** A machine: what its disk holds, whatever becomes of the process that runs on it, and what the disk does wrong. */
import type { CID } from "multiformats/cid";
import { collectBytes } from "../../src/sharing/collect-bytes.ts";
import { SharingError } from "../../src/sharing/errors.ts";
import { CHUNK_BYTES } from "../../src/sharing/limits.ts";
import { MemoryRecords } from "../../src/sharing/memory/memory-records.ts";
import type { Clock } from "../../src/sharing/ports.ts";
import { UnflushedBlocks } from "../unit/sharing/unflushed-blocks.ts";
import type { Life } from "./life.ts";
import type { Lots } from "./lots.ts";

export type DiskWork = "write" | "read" | "flush" | "delete" | "record" | "output";

/** Room for a few chunks. */
const SMALL_BYTES = 5 * CHUNK_BYTES;

/** What a bad disk answers. */
export class DiskError extends Error {
  readonly code = "EIO";
}

export class Machine {
  readonly blocks = new UnflushedBlocks();
  readonly records = new MemoryRecords();
  /** Files that downloads were written to, by path. */
  readonly outputs = new Map<string, Uint8Array>();
  /** Blocks that came to harm on the disk, by name: those that are there now, and all there ever were. */
  readonly #damaged = new Set<string>();
  readonly harmed = new Set<string>();
  /** What was to be kept of a transfer may not have been. */
  hasLostRecords = false;
  isFull = false;
  readonly #clock: Clock;
  readonly #lots: Lots;
  readonly #slowestMs: number;
  readonly #failing = new Set<DiskWork>();

  constructor(clock: Clock, lots: Lots) {
    this.#clock = clock;
    this.#lots = lots;
    this.#slowestMs = lots.oneOf([0, 3, 40]) ?? 0;
    if (lots.chance(0.2)) this.blocks.maxBytes = SMALL_BYTES;
  }

  /** The next work of the kind fails. */
  fail(work: DiskWork): void {
    this.#failing.add(work);
  }

  /** The disk is as good as new. */
  heal(): void {
    this.#failing.clear();
    this.isFull = false;
    this.blocks.maxBytes = Number.MAX_SAFE_INTEGER;
  }

  /** Is the block here, and was not harmed since it came? */
  isSound(cid: CID): boolean {
    return this.blocks.has(cid) && !this.#damaged.has(cid.toString());
  }

  /** A block can't be read any more. */
  async lose(cid: CID): Promise<void> {
    this.harmed.add(cid.toString());
    await this.forget(cid);
  }

  /** Somebody wants it no more; until that is flushed it may come back. */
  async delete(cid: CID): Promise<void> {
    if (this.isSound(cid)) await this.blocks.delete(cid);
    else await this.forget(cid);
  }

  async forget(cid: CID): Promise<void> {
    this.#damaged.delete(cid.toString());
    await this.blocks.lose(cid);
  }

  /** A block comes to harm, and nobody is told. */
  async harm(cid: CID): Promise<void> {
    const bytes = (await collectBytes(this.blocks.get(cid))).slice();
    bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 0x10;
    this.harmed.add(cid.toString());
    this.#damaged.add(cid.toString());
    await this.blocks.harm(cid, bytes);
  }

  /** Takes its time. @throws DiskError, SharingError `storage_full` */
  async work(work: DiskWork, life: Life): Promise<void> {
    const ms = this.#lots.between(0, this.#slowestMs);
    await life.while(ms === 0 ? Promise.resolve() : this.#clock.sleep(ms));
    const needsRoom = work === "write" || work === "record" || work === "output";
    const isBad = this.#failing.delete(work);
    if (work === "record" && (isBad || this.isFull)) this.hasLostRecords = true;
    if (isBad) throw new DiskError(`a bad ${work}`);
    if (this.isFull && needsRoom) throw new SharingError("storage_full", "the disk is full");
  }
}
