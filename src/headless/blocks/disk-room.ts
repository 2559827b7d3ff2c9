/**
 * Keeps a reserve free on the disk. Asked by FsBlockStore before each block and told after it; the system is asked
 * again only when half of what it last said was free has been used, and each time where it could not tell.
 */
import { SharingError } from "../../sharing/errors.ts";
import { freeBytesAt } from "../files/free-bytes.ts";
import { DISK_RESERVE_BYTES } from "../limits.ts";

export class DiskRoom {
  readonly #folder: string;
  /** Bytes that may be written before the system is asked again. */
  #allowedBytes = 0;
  /** Bytes allowed and perhaps not written yet. */
  #underWayBytes = 0;
  #asking: Promise<void> | undefined;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Bytes that may still be written. */
  async freeBytes(): Promise<number> {
    return Math.max(0, (await freeBytesAt(this.#folder)) - DISK_RESERVE_BYTES - this.#underWayBytes);
  }

  /** To be followed by `written`, whatever comes of the write. @throws SharingError `storage_full` */
  async take(sizeBytes: number): Promise<void> {
    while (sizeBytes > this.#allowedBytes) {
      const hasAsked = this.#asking === undefined;
      this.#asking ??= this.#ask(sizeBytes).finally(() => {
        this.#asking = undefined;
      });
      await this.#asking;
      if (hasAsked && sizeBytes > this.#allowedBytes) {
        throw new SharingError("storage_full", "the disk is full");
      }
    }
    this.#allowedBytes -= sizeBytes;
    this.#underWayBytes += sizeBytes;
  }

  written(sizeBytes: number): void {
    this.#underWayBytes -= sizeBytes;
  }

  async #ask(sizeBytes: number): Promise<void> {
    const freeBytes = await this.freeBytes();
    // A disk that can't tell now may tell the next time.
    const halfBytes = Number.isFinite(freeBytes) ? freeBytes / 2 : 0;
    this.#allowedBytes = sizeBytes > freeBytes ? 0 : Math.max(sizeBytes, halfBytes);
  }
}
