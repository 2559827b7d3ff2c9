/**
 * Reads a zip archive that anyone may have made. Called by archives; calls zip and deflate. Takes what ZipWriter
 * writes and little else, and no memory that an archive merely claims to need.
 */
import { crc32 } from "./crc32.ts";
import { damaged } from "./damage.ts";
import { inflate } from "./deflate.ts";
import type { StoredFile } from "./index-storage.ts";
import { DEFLATE_SLACK_BYTES, ENTRY_BYTES, MAX_DIRECTORY_BYTES, MAX_ENTRIES } from "./limits.ts";
import {
  decodeCentral,
  decodeEnd,
  END_BYTES,
  END64_BYTES,
  LOCAL_BYTES,
  LOCATOR_BYTES,
  localBytes,
  type ZipEntry,
} from "./zip.ts";

export class ZipReader {
  readonly entries: ReadonlyMap<string, ZipEntry>;
  readonly #name: string;
  readonly #file: StoredFile;

  constructor(name: string, file: StoredFile, entries: ReadonlyMap<string, ZipEntry>) {
    this.#name = name;
    this.#file = file;
    this.entries = entries;
  }

  /** An entry, unpacked, at most `limitBytes`. @throws VxError for damage, or if there is none */
  async read(name: string, limitBytes = ENTRY_BYTES): Promise<Uint8Array<ArrayBuffer>> {
    const wrong = (what: string) => damaged(this.#name, `its entry ${name} ${what}`);
    const entry = this.entries.get(name);
    if (entry === undefined) throw wrong("is missing");
    const { offset, packedBytes, sizeBytes, deflated } = entry;
    if (sizeBytes > limitBytes || packedBytes > sizeBytes + DEFLATE_SLACK_BYTES) throw wrong("is too large");
    const header = new Uint8Array(LOCAL_BYTES + name.length);
    if (offset + header.byteLength + packedBytes > this.#file.sizeBytes) throw wrong("is cut short");
    await this.#file.read(offset, header);
    const before = localBytes(header, entry);
    if (before === undefined) throw wrong("is not what the directory says");
    if (offset + before + packedBytes > this.#file.sizeBytes) throw wrong("is cut short");
    const packed = new Uint8Array(packedBytes);
    await this.#file.read(offset + before, packed);
    const bytes = deflated ? await inflate(packed, sizeBytes) : packed;
    if (bytes?.byteLength !== sizeBytes || crc32(bytes) !== entry.crc) throw wrong("is not what was written");
    return bytes;
  }

  async close(): Promise<void> {
    await this.#file.close();
  }
}

/** @throws VxError for what is no archive, or one that was cut short */
export async function openZip(name: string, file: StoredFile): Promise<ZipReader> {
  const wrong = (what: string) => damaged(name, what);
  const tail = new Uint8Array(Math.min(END_BYTES + LOCATOR_BYTES + END64_BYTES, file.sizeBytes));
  await file.read(file.sizeBytes - tail.byteLength, tail);
  const directory = decodeEnd(tail, file.sizeBytes);
  if (directory === undefined) throw wrong("it is no whole zip archive");
  if (directory.sizeBytes > MAX_DIRECTORY_BYTES || directory.entryCount > MAX_ENTRIES) {
    throw wrong("it has too many entries");
  }
  const bytes = new Uint8Array(directory.sizeBytes);
  await file.read(directory.offset, bytes);
  const entries = new Map<string, ZipEntry>();
  for (let offset = 0; offset < bytes.byteLength; ) {
    const central = decodeCentral(bytes.subarray(offset));
    if (central === undefined || entries.has(central.entry.name)) throw wrong("its directory is damaged");
    entries.set(central.entry.name, central.entry);
    offset += central.end;
  }
  if (entries.size !== directory.entryCount) throw wrong("its directory is damaged");
  return new ZipReader(name, file, entries);
}
