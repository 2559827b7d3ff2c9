/**
 * Reads a snapshot, each byte checked before it is used and put where it belongs without a copy between. Called by
 * openIndexStore and OpenArchive; calls snapshot-contents.
 */
import type { VxError } from "../errors.ts";
import { type Cipher, fileCipher } from "./cipher.ts";
import { crc32c } from "./crc32.ts";
import { damaged } from "./damage.ts";
import { decodeHeader, type FileHeader, HEADER_BYTES } from "./file-header.ts";
import type { StoredFile } from "./index-storage.ts";
import type { IndexKey } from "./key.ts";
import { CHUNK_BYTES, CHUNKS_AT_ONCE, MAX_MODEL_BYTES, MODEL_ID_BYTES } from "./limits.ts";
import { decodeRows } from "./metadata-rows.ts";
import {
  contentsCrc,
  decodeContents,
  decodeFooter,
  FOOTER_BYTES,
  type Section,
} from "./snapshot-contents.ts";
import { SNAPSHOT } from "./snapshot-writer.ts";
import type { IndexReceiver, KeptModel } from "./stored-index.ts";
import { nextTurn } from "./turns.ts";

interface PlacedSection extends Section {
  offset: number;
  /** Number in the file of its first chunk. */
  firstChunk: number;
}

/** The header, for which no key is needed. @throws VxError for damage, a newer version */
export async function readSnapshotHeader(
  file: StoredFile,
): Promise<{ header: FileHeader; bytes: Uint8Array }> {
  const bytes = new Uint8Array(Math.min(HEADER_BYTES, file.sizeBytes));
  await file.read(0, bytes);
  return { header: decodeHeader(bytes, "snapshot", SNAPSHOT), bytes };
}

/**
 * Gives graph and metadata to the receiver, and the id of the model in the snapshot, if there is one.
 * @throws VxError for damage, and what the receiver throws
 */
export async function loadSnapshot(
  file: StoredFile,
  key: IndexKey | undefined,
  receiver: Pick<IndexReceiver, "graph" | "metadata">,
): Promise<Uint8Array | undefined> {
  const { header, bytes } = await readSnapshotHeader(file);
  const cipher = await fileCipher(header.key && key, header.fileId, bytes);
  const sections = await readContents(file, header, cipher);
  if (sections.size === 0) return undefined;
  const reader = new SectionReader(file, cipher, sections);
  const model = sections.has("model") ? await readModel(reader) : undefined;
  const graph = await reader.whole("graph");
  await receiver.graph(graph, (part, offset, into) => reader.read(part, offset, into), model);
  const wrong = () => damaged(SNAPSHOT, "its metadata is not what was written");
  for await (const rows of decodeRows(reader.chunks("metadata"), wrong)) await receiver.metadata(rows);
  return model?.id;
}

async function readModel(reader: SectionReader): Promise<KeptModel> {
  const sizeBytes = reader.sizeOf("model");
  if (sizeBytes < MODEL_ID_BYTES || sizeBytes > MAX_MODEL_BYTES) {
    throw damaged(SNAPSHOT, `its model has ${sizeBytes} bytes`);
  }
  const section = await reader.whole("model");
  return { id: section.slice(0, MODEL_ID_BYTES), bytes: section.subarray(MODEL_ID_BYTES) };
}

async function readContents(
  file: StoredFile,
  header: FileHeader,
  cipher: Cipher,
): Promise<Map<string, PlacedSection>> {
  const wrong = () => damaged(SNAPSHOT, "its table of contents is not what was written");
  const footerOffset = file.sizeBytes - FOOTER_BYTES;
  if (footerOffset < HEADER_BYTES) throw wrong();
  const footerBytes = new Uint8Array(FOOTER_BYTES);
  await file.read(footerOffset, footerBytes);
  const footer = decodeFooter(footerBytes, footerOffset);
  if (footer === undefined) throw wrong();
  const stored = new Uint8Array(footer.contentsBytes);
  await file.read(footer.contentsOffset, stored);
  if (contentsCrc(footerBytes, stored, header.fileId) !== footer.crc) throw wrong();
  const plain = await cipher.open(footer.chunkCount, stored);
  const sections = plain && decodeContents(plain);
  if (sections === undefined) throw wrong();
  const placed = new Map<string, PlacedSection>();
  let offset = HEADER_BYTES;
  let firstChunk = 0;
  for (const section of sections) {
    placed.set(section.name, { ...section, offset, firstChunk });
    firstChunk += section.checksums.length;
    offset += section.sizeBytes + section.checksums.length * cipher.overheadBytes;
  }
  if (offset !== footer.contentsOffset) throw wrong();
  return placed;
}

/** Sections as bytes, read at any offset; best from start to end, several at a time. */
class SectionReader {
  readonly #file: StoredFile;
  readonly #cipher: Cipher;
  readonly #sections: Map<string, PlacedSection>;
  /** By section the chunk that the last read began or ended within. */
  readonly #edges = new Map<string, { index: number; bytes: Uint8Array<ArrayBuffer> }>();
  /** Arrays of chunks that lie in no edge any more: to fill one again takes half as long as to fill a new one. */
  readonly #spare: Uint8Array<ArrayBuffer>[] = [];
  #readsInTurn = 0;

  constructor(file: StoredFile, cipher: Cipher, sections: Map<string, PlacedSection>) {
    this.#file = file;
    this.#cipher = cipher;
    this.#sections = sections;
  }

  sizeOf(section: string): number {
    return this.#section(section).sizeBytes;
  }

  async whole(section: string): Promise<Uint8Array<ArrayBuffer>> {
    const bytes = new Uint8Array(this.sizeOf(section));
    await this.read(section, 0, bytes);
    return bytes;
  }

  /** Fills `into` from the section's offset on. */
  async read(name: string, offset: number, into: Uint8Array): Promise<void> {
    const section = this.#section(name);
    const end = offset + into.byteLength;
    if (end > section.sizeBytes) throw damaged(SNAPSHOT, `its section ${name} ends before byte ${end}`);
    let at = offset;
    while (at < end) {
      const chunks: Promise<void>[] = [];
      for (; at < end && chunks.length < CHUNKS_AT_ONCE; at = nextChunk(at)) {
        const part = into.subarray(at - offset, Math.min(nextChunk(at), end) - offset);
        chunks.push(this.#readWithin(section, at, part));
      }
      await settled(chunks);
      if (++this.#readsInTurn % 4 === 0) await nextTurn();
    }
  }

  /** The chunks of a section in order, each the receiver's own. */
  async *chunks(name: string): AsyncGenerator<Uint8Array> {
    const section = this.#section(name);
    for (let index = 0; index < section.checksums.length; index++) {
      const bytes = new Uint8Array(chunkBytes(section, index));
      await this.#readChunk(section, index, bytes);
      yield bytes;
    }
  }

  #section(name: string): PlacedSection {
    const section = this.#sections.get(name);
    if (section === undefined) throw damaged(SNAPSHOT, `it has no section ${name}`);
    return section;
  }

  /** A range that lies within one chunk. */
  async #readWithin(section: PlacedSection, offset: number, into: Uint8Array): Promise<void> {
    const index = Math.floor(offset / CHUNK_BYTES);
    const size = chunkBytes(section, index);
    if (into.byteLength === size) return this.#readChunk(section, index, into);
    let edge = this.#edges.get(section.name);
    if (edge?.index !== index) {
      const spare = this.#spare.pop();
      const bytes = spare !== undefined && spare.byteLength >= size ? spare : new Uint8Array(size);
      await this.#readChunk(section, index, bytes.subarray(0, size));
      const before = this.#edges.get(section.name);
      if (before !== undefined) this.#spare.push(before.bytes);
      edge = { index, bytes };
      this.#edges.set(section.name, edge);
    }
    const from = offset - index * CHUNK_BYTES;
    into.set(edge.bytes.subarray(from, from + into.byteLength));
  }

  async #readChunk(section: PlacedSection, index: number, into: Uint8Array): Promise<void> {
    const { overheadBytes } = this.#cipher;
    const offset = section.offset + index * (CHUNK_BYTES + overheadBytes);
    if (overheadBytes === 0) {
      await this.#file.read(offset, into);
      if (crc32c(into) !== section.checksums[index]) throw this.#changed(section, offset);
      return;
    }
    const sealed = new Uint8Array(into.byteLength + overheadBytes);
    await this.#file.read(offset, sealed);
    const plain = await this.#cipher.open(section.firstChunk + index, sealed);
    if (plain === undefined) throw this.#changed(section, offset);
    into.set(plain);
  }

  #changed(section: Section, offset: number): VxError {
    return damaged(SNAPSHOT, `a chunk of ${section.name} at byte ${offset} is not what was written`);
  }
}

function chunkBytes(section: Section, index: number): number {
  return Math.min(CHUNK_BYTES, section.sizeBytes - index * CHUNK_BYTES);
}

function nextChunk(offset: number): number {
  return (Math.floor(offset / CHUNK_BYTES) + 1) * CHUNK_BYTES;
}

/** Waits for all, so that nothing is written into memory of a reader that gave up. */
async function settled(tasks: Promise<void>[]): Promise<void> {
  for (const result of await Promise.allSettled(tasks)) if (result.status === "rejected") throw result.reason;
}
