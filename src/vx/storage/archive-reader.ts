/**
 * One backup archive, open for reading: its manifest, and the files in it as a folder that the index's own readers
 * take. Called by archives; calls zip-reader and manifest. Every part is checked against the manifest before a byte
 * of it is used.
 */
import { damaged } from "./damage.ts";
import { toHex } from "./hex.ts";
import type { Folder, StoredFile } from "./index-storage.ts";
import type { IndexKey } from "./key.ts";
import { ENTRY_BYTES, MAX_MANIFEST_BYTES } from "./limits.ts";
import {
  type ArchivedFileFacts,
  decodeManifest,
  MANIFEST,
  type Manifest,
  manifestCipher,
  partName,
  SEAL,
} from "./manifest.ts";
import { openZip, type ZipReader } from "./zip-reader.ts";

/** Parts held unpacked: a read may touch two, and the next one is on its way. */
const PARTS_HELD = 3;

export class ArchiveReader {
  readonly name: string;
  readonly manifest: Manifest;
  readonly #zip: ZipReader;
  readonly #manifestBytes: Uint8Array;

  constructor(name: string, zip: ZipReader, manifestBytes: Uint8Array) {
    this.name = name;
    this.manifest = decodeManifest(manifestBytes, name);
    this.#zip = zip;
    this.#manifestBytes = manifestBytes;
  }

  /** The archived files, by their names. */
  get files(): Pick<Folder, "list" | "open"> {
    return {
      list: async () => this.manifest.files.map(({ name }) => name),
      open: async (name) => {
        const facts = this.manifest.files.find((file) => file.name === name);
        return facts && new ArchivedFile(this.name, this.#zip, facts);
      },
    };
  }

  /** @throws VxError if the archive has other entries than its manifest says, or the manifest is by another hand */
  async check(key: IndexKey | undefined): Promise<void> {
    this.checkEntries();
    if (key === undefined) return;
    const cipher = await manifestCipher(key, this.manifest.id);
    if ((await cipher.open(0, await this.#zip.read(SEAL), this.#manifestBytes)) === undefined) {
      throw damaged(this.name, "its manifest was changed after it was sealed");
    }
  }

  /** @throws VxError if the archive has other entries than its manifest says */
  checkEntries(): void {
    const { files, history } = this.manifest;
    const expected = new Set([MANIFEST, ...(history.key === undefined ? [] : [SEAL])]);
    for (const { name, digests } of files) {
      for (const index of digests.keys()) expected.add(partName(name, index));
    }
    for (const name of this.#zip.entries.keys()) {
      if (!expected.delete(name)) throw damaged(this.name, `it has an entry ${JSON.stringify(name)}`);
    }
    for (const name of expected) throw damaged(this.name, `its entry ${name} is missing`);
  }

  async close(): Promise<void> {
    await this.#zip.close();
  }
}

/** @throws VxError for what is no archive of ours, a newer version */
export async function openArchiveReader(name: string, file: StoredFile): Promise<ArchiveReader> {
  const zip = await openZip(name, file);
  return new ArchiveReader(name, zip, await zip.read(MANIFEST, MAX_MANIFEST_BYTES));
}

class ArchivedFile implements StoredFile {
  readonly sizeBytes: number;
  readonly #archive: string;
  readonly #zip: ZipReader;
  readonly #facts: ArchivedFileFacts;
  readonly #parts = new Map<number, Promise<Uint8Array>>();

  constructor(archive: string, zip: ZipReader, facts: ArchivedFileFacts) {
    this.#archive = archive;
    this.#zip = zip;
    this.#facts = facts;
    this.sizeBytes = facts.sizeBytes;
  }

  async read(offset: number, into: Uint8Array): Promise<void> {
    const end = offset + into.byteLength;
    if (end > this.sizeBytes) throw damaged(this.#archive, `${this.#facts.name} ends before byte ${end}`);
    for (let at = offset; at < end; ) {
      const index = Math.floor(at / ENTRY_BYTES);
      const partOffset = index * ENTRY_BYTES;
      const bytes = (await this.#part(index)).subarray(at - partOffset, end - partOffset);
      into.set(bytes, at - offset);
      at += bytes.byteLength;
    }
  }

  async close(): Promise<void> {
    this.#parts.clear();
  }

  #part(index: number): Promise<Uint8Array> {
    const held = this.#parts.get(index);
    if (held !== undefined) return held;
    for (const oldest of this.#parts.keys()) {
      if (this.#parts.size < PARTS_HELD) break;
      this.#parts.delete(oldest);
    }
    const part = this.#readPart(index);
    this.#parts.set(index, part);
    return part;
  }

  async #readPart(index: number): Promise<Uint8Array> {
    const name = partName(this.#facts.name, index);
    const expectedBytes = Math.min(ENTRY_BYTES, this.sizeBytes - index * ENTRY_BYTES);
    const bytes = await this.#zip.read(name, expectedBytes);
    const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
    const expected = this.#facts.digests[index];
    if (bytes.byteLength !== expectedBytes || expected === undefined || toHex(digest) !== toHex(expected)) {
      throw damaged(this.#archive, `its entry ${name} is not what the manifest says`);
    }
    return bytes;
  }
}
