/**
 * Reads a snapshot, each byte checked before it is used and put where it belongs without a copy between. Called by
 * openIndexStore and OpenArchive; calls snapshot-contents.
 */
import type { VxError } from "../errors.ts";
import { nextTurn } from "../turns.ts";
import { type Cipher, fileCipher } from "./cipher.ts";
import { type Crc, crc32c, crc32cIn, type Room } from "./crc32.ts";
import { damaged } from "./damage.ts";
import { decodeHeader, type FileHeader, HEADER_BYTES } from "./file-header.ts";
import type { StoredFile } from "./index-storage.ts";
import type { IndexKey } from "./key.ts";
import {
  CHUNK_BYTES,
  CHUNKS_A_TURN,
  CHUNKS_AT_ONCE,
  MAX_GRAPH_HEADER_BYTES,
  MAX_MODEL_BYTES,
  MODEL_ID_BYTES,
  MOST_PIECES,
  TAIL_BYTES,
} from "./limits.ts";
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

interface PlacedSection extends Section {
  offset: number;
  /** Number in the file of its first chunk. */
  firstChunk: number;
}

/** An open snapshot whose header has been read, for which no key is needed. */
export interface OpenSnapshot {
  file: StoredFile;
  header: FileHeader;
  headerBytes: Uint8Array;
}

/** The file stays the caller's to close. @throws VxError for damage, a newer version */
export async function openSnapshot(file: StoredFile): Promise<OpenSnapshot> {
  const headerBytes = new Uint8Array(Math.min(HEADER_BYTES, file.sizeBytes));
  await file.read(0, headerBytes);
  return { file, header: decodeHeader(headerBytes, "snapshot", SNAPSHOT), headerBytes };
}

/**
 * Gives graph and metadata to the receiver, and the id of the model in the snapshot, if there is one.
 * @throws VxError for damage, and what the receiver throws
 */
export async function loadSnapshot(
  { file, header, headerBytes }: OpenSnapshot,
  key: IndexKey | undefined,
  receiver: Pick<IndexReceiver, "graph" | "metadata">,
): Promise<Uint8Array | undefined> {
  const cipher = await fileCipher(header.key && key, header.fileId, headerBytes);
  const sections = await readContents(file, header, cipher);
  if (sections.size === 0) return undefined;
  const reader = new SectionReader(file, cipher, sections);
  const model = sections.has("model") ? await readModel(reader) : undefined;
  const graph = await reader.whole("graph", MAX_GRAPH_HEADER_BYTES);
  await receiver.graph(graph, (...asked) => reader.fill(...asked), model);
  const wrong = () => damaged(SNAPSHOT, "its metadata is not what was written");
  for await (const rows of decodeRows(reader.chunks("metadata"), wrong)) await receiver.metadata(rows);
  return model?.id;
}

async function readModel(reader: SectionReader): Promise<KeptModel> {
  const section = await reader.whole("model", MAX_MODEL_BYTES);
  if (section.byteLength < MODEL_ID_BYTES) {
    throw damaged(SNAPSHOT, `its model has ${section.byteLength} bytes`);
  }
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
  const tailOffset = Math.max(HEADER_BYTES, file.sizeBytes - TAIL_BYTES);
  const tail = new Uint8Array(file.sizeBytes - tailOffset);
  await file.read(tailOffset, tail);
  const footerBytes = tail.subarray(footerOffset - tailOffset);
  const footer = decodeFooter(footerBytes, footerOffset);
  if (footer === undefined) throw wrong();
  const { contentsOffset, contentsBytes } = footer;
  const isInTail = contentsOffset >= tailOffset;
  const stored = isInTail
    ? tail.slice(contentsOffset - tailOffset, footerOffset - tailOffset)
    : new Uint8Array(contentsBytes);
  if (!isInTail) await file.read(contentsOffset, stored);
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

/** Sections as bytes, each byte checked before it is given. */
class SectionReader {
  readonly #file: StoredFile;
  readonly #cipher: Cipher;
  readonly #sections: Map<string, PlacedSection>;
  #chunksGiven = 0;
  #inRoom: { room: Room; crc: Crc } | undefined;

  constructor(file: StoredFile, cipher: Cipher, sections: Map<string, PlacedSection>) {
    this.#file = file;
    this.#cipher = cipher;
    this.#sections = sections;
  }

  /** A section that is held in memory: an archive of a few megabytes may have one of gigabytes. */
  async whole(name: string, mostBytes: number): Promise<Uint8Array<ArrayBuffer>> {
    const { sizeBytes } = this.#section(name);
    if (sizeBytes > mostBytes) {
      throw damaged(SNAPSHOT, `its section ${name} has ${sizeBytes} bytes, more than ${mostBytes}`);
    }
    const bytes = new Uint8Array(sizeBytes);
    await this.fill(name, [bytes], () => undefined);
    return bytes;
  }

  /**
   * Fills places one after the other; tells how many bytes are there so far. The next chunks are read meanwhile. With a room
   * they are checked where they lie, in its memory.
   */
  async fill(name: string, places: Uint8Array[], ready: (bytes: number) => void, room?: Room): Promise<void> {
    const crc = room === undefined ? crc32c : this.#crcIn(room);
    const section = this.#section(name);
    const sizeBytes = places.reduce((total, { byteLength }) => total + byteLength, 0);
    if (sizeBytes !== section.sizeBytes) {
      throw damaged(SNAPSHOT, `its section ${name} has ${section.sizeBytes} bytes, not ${sizeBytes}`);
    }
    const reading: Promise<void>[] = [];
    let givenBytes = 0;
    const giveFirst = async () => {
      await reading[0];
      reading.shift();
      givenBytes = Math.min(givenBytes + CHUNK_BYTES, sizeBytes);
      ready(givenBytes);
      if (++this.#chunksGiven % CHUNKS_A_TURN === 0) await nextTurn();
    };
    try {
      for (const [index, pieces] of piecesByChunk(places).entries()) {
        const chunk = this.#readChunk(section, index, pieces, crc);
        // What it throws is told to whoever awaits it.
        chunk.catch(() => undefined);
        reading.push(chunk);
        if (reading.length === CHUNKS_AT_ONCE) await giveFirst();
      }
      while (reading.length > 0) await giveFirst();
    } finally {
      // Nothing is written into memory of a reader that gave up.
      await Promise.allSettled(reading);
    }
  }

  /** The chunks of a section in order, each the receiver's own. */
  async *chunks(name: string): AsyncGenerator<Uint8Array> {
    const section = this.#section(name);
    for (let index = 0; index < section.checksums.length; index++) {
      const bytes = new Uint8Array(chunkBytes(section, index));
      await this.#readChunk(section, index, [bytes], crc32c);
      yield bytes;
    }
  }

  /** Parts that share a room are checked by the same instance. */
  #crcIn(room: Room): Crc {
    if (this.#inRoom?.room !== room) this.#inRoom = { room, crc: crc32cIn(room) };
    return this.#inRoom.crc;
  }

  #section(name: string): PlacedSection {
    const section = this.#sections.get(name);
    if (section === undefined) throw damaged(SNAPSHOT, `it has no section ${name}`);
    return section;
  }

  /** Pieces are read to where they belong, unless they are many or come encrypted. */
  async #readChunk(section: PlacedSection, index: number, pieces: Uint8Array[], crcOf: Crc): Promise<void> {
    const { overheadBytes } = this.#cipher;
    const offset = section.offset + index * (CHUNK_BYTES + overheadBytes);
    if (overheadBytes === 0 && pieces.length <= MOST_PIECES) {
      await this.#readPieces(offset, pieces);
      const crc = pieces.reduce((before, piece) => crcOf(piece, before), 0);
      if (crc !== section.checksums[index]) throw this.#changed(section, offset);
      return;
    }
    const stored = new Uint8Array(chunkBytes(section, index) + overheadBytes);
    await this.#file.read(offset, stored);
    const plain = await this.#open(section, index, stored);
    if (plain === undefined) throw this.#changed(section, offset);
    let start = 0;
    for (const piece of pieces) {
      piece.set(plain.subarray(start, start + piece.byteLength));
      start += piece.byteLength;
    }
  }

  async #readPieces(offset: number, pieces: Uint8Array[]): Promise<void> {
    let at = offset;
    const reading = pieces.map((piece) => {
      at += piece.byteLength;
      return this.#file.read(at - piece.byteLength, piece);
    });
    // All end before this does, as in fill.
    for (const result of await Promise.allSettled(reading)) {
      if (result.status === "rejected") throw result.reason;
    }
  }

  /** A chunk's own bytes; undefined if they are not what was written. */
  async #open(
    section: PlacedSection,
    index: number,
    stored: Uint8Array<ArrayBuffer>,
  ): Promise<Uint8Array | undefined> {
    if (this.#cipher.overheadBytes > 0) return this.#cipher.open(section.firstChunk + index, stored);
    return crc32c(stored) === section.checksums[index] ? stored : undefined;
  }

  #changed(section: Section, offset: number): VxError {
    return damaged(SNAPSHOT, `a chunk of ${section.name} at byte ${offset} is not what was written`);
  }
}

function chunkBytes(section: Section, index: number): number {
  return Math.min(CHUNK_BYTES, section.sizeBytes - index * CHUNK_BYTES);
}

/** The parts of places that each chunk goes into. */
function piecesByChunk(places: Uint8Array[]): Uint8Array[][] {
  const chunks: Uint8Array[][] = [];
  let room = 0;
  for (const place of places) {
    for (let start = 0; start < place.byteLength; ) {
      if (room === 0) {
        chunks.push([]);
        room = CHUNK_BYTES;
      }
      const piece = place.subarray(start, start + room);
      chunks.at(-1)?.push(piece);
      start += piece.byteLength;
      room -= piece.byteLength;
    }
  }
  return chunks;
}
