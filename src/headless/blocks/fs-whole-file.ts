/** One file that a download fills chunk by chunk. Made by FsBlockStore, which writes the chunks; calls whole-files. */
import type { CID } from "multiformats/cid";
import type { PutOptions, WholeFile } from "../../sharing/ports.ts";
import { diskError } from "../files/disk-errors.ts";
import { keyOf } from "./block-index.ts";
import type { BlockPlace } from "./segment-files.ts";
import { verifyBlockNow } from "./verify-now.ts";
import type { WholeFiles } from "./whole-files.ts";

/** Where in which segment. */
export type WholePlace = Pick<BlockPlace, "segment" | "offset">;

export interface FsWholeFileParts {
  files: WholeFiles;
  places: ReadonlyMap<string, BlockPlace>;
  write(cid: CID, bytes: Uint8Array, at: WholePlace): Promise<void>;
  /** It is filled no further. */
  ended(segment: number): void;
}

export class FsWholeFile implements WholeFile {
  readonly path: string;
  readonly #segment: number;
  readonly #parts: FsWholeFileParts;

  constructor(segment: number, path: string, parts: FsWholeFileParts) {
    this.#segment = segment;
    this.path = path;
    this.#parts = parts;
  }

  holds(cid: CID, offset: number): boolean {
    const place = this.#parts.places.get(keyOf(cid));
    return place?.segment === this.#segment && place.offset === offset;
  }

  async putVerified(cid: CID, offset: number, bytes: Uint8Array, options: PutOptions = {}): Promise<void> {
    verifyBlockNow(cid, bytes, options.sha256);
    if (!this.holds(cid, offset)) await this.#parts.write(cid, bytes, { segment: this.#segment, offset });
  }

  async seal(sizeBytes: number): Promise<void> {
    try {
      await this.#parts.files.seal(this.#segment, sizeBytes);
    } catch (error) {
      throw diskError(error);
    }
  }

  close(): void {
    this.#parts.files.end(this.#segment);
    this.#parts.ended(this.#segment);
  }
}
