/** Writes a zip archive, entry by entry, as a stream. Called by archive-writer; calls zip and deflate. */
import { crc32 } from "./crc32.ts";
import { deflate } from "./deflate.ts";
import type { NewFile } from "./index-storage.ts";
import { encodeCentral, encodeEnd, encodeLocal, type ZipEntry } from "./zip.ts";

export class ZipWriter {
  readonly #file: NewFile;
  readonly #at: Date;
  readonly #entries: ZipEntry[] = [];
  #offset = 0;

  /** `at`: the time that entries carry. */
  constructor(file: NewFile, at: Date) {
    this.#file = file;
    this.#at = at;
  }

  async add(
    name: string,
    bytes: Uint8Array<ArrayBuffer>,
    { compress }: { compress: boolean },
  ): Promise<void> {
    const deflated = compress ? await deflate(bytes) : undefined;
    const packed = deflated ?? bytes;
    const entry: ZipEntry = {
      name,
      deflated: deflated !== undefined,
      crc: crc32(bytes),
      packedBytes: packed.byteLength,
      sizeBytes: bytes.byteLength,
      offset: this.#offset,
    };
    this.#entries.push(entry);
    await this.#append(encodeLocal(entry, this.#at));
    await this.#append(packed);
  }

  /** Writes the directory; gives the size of the archive. */
  async finish(): Promise<number> {
    const offset = this.#offset;
    for (const entry of this.#entries) await this.#append(encodeCentral(entry, this.#at));
    const entryCount = this.#entries.length;
    await this.#append(encodeEnd({ offset, sizeBytes: this.#offset - offset, entryCount }));
    return this.#offset;
  }

  async #append(bytes: Uint8Array): Promise<void> {
    await this.#file.write(bytes);
    this.#offset += bytes.byteLength;
  }
}
