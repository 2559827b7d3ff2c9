/**
 * The table of contents that a snapshot ends with. Called by its writer and reader.
 *
 * A snapshot is its header (file-header), then sections, each cut into chunks of CHUNK_BYTES, the last one
 * shorter; then the contents; then a footer. Encrypted, each chunk and the contents are sealed and so 16 bytes longer;
 * a chunk's position is its number in the file, that of the contents the one after. Little-endian.
 *
 * Sections: `graph` (a graph's header) and its parts (hnsw/state); where vectors are reduced `model`, 16 random bytes
 * that name it and then its own (reduction/model-bytes), and `originals`, the vectors as they were added, f32 row-major
 * [slots, dimension]; `metadata` (metadata-rows). An index that was empty has none. A graph without a model beside it is of
 * vectors as they were added.
 *
 * | contents | type | content |
 * |---|---|---|
 * | 0 | u32 | sections |
 * | | for each: 16 bytes | name, ASCII, then zeros |
 * | | u64 | bytes |
 * | | for each chunk: u32 | CRC-32C of it; 0 if it is sealed |
 *
 * | footer | type | content |
 * |---|---|---|
 * | 0 | 4 bytes | `VXEN` |
 * | 4 | u32 | bytes of the contents as they stand in the file |
 * | 8 | u64 | their offset |
 * | 16 | u32 | chunks in the file |
 * | 20 | 8 bytes | 0 |
 * | 28 | u32 | CRC-32C of the file id, the contents as they stand in the file, and bytes 0 to 27 |
 */
import { crc32c } from "./crc32.ts";
import { CHUNK_BYTES, MAX_CONTENTS_BYTES, MAX_SECTIONS } from "./limits.ts";

export const FOOTER_BYTES = 32;

const MAGIC = 0x4e455856;
const NAME_BYTES = 16;
const SECTION_BYTES = NAME_BYTES + 8;
const CRC_OFFSET = 28;

export interface Section {
  name: string;
  sizeBytes: number;
  /** One a chunk; all 0 in an encrypted snapshot. */
  checksums: number[];
}

export function encodeContents(sections: Section[]): Uint8Array<ArrayBuffer> {
  const chunks = sections.reduce((count, { checksums }) => count + checksums.length, 0);
  const bytes = new Uint8Array(4 + sections.length * SECTION_BYTES + chunks * 4);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, sections.length, true);
  let offset = 4;
  for (const { name, sizeBytes } of sections) {
    new TextEncoder().encodeInto(name, bytes.subarray(offset, offset + NAME_BYTES));
    view.setBigUint64(offset + NAME_BYTES, BigInt(sizeBytes), true);
    offset += SECTION_BYTES;
  }
  for (const checksum of sections.flatMap(({ checksums }) => checksums)) {
    view.setUint32(offset, checksum, true);
    offset += 4;
  }
  return bytes;
}

/** Undefined if these are no contents. */
export function decodeContents(bytes: Uint8Array): Section[] | undefined {
  if (bytes.byteLength < 4) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const count = view.getUint32(0, true);
  if (count > MAX_SECTIONS || 4 + count * SECTION_BYTES > bytes.byteLength) return undefined;
  const sections: Section[] = [];
  let checksumOffset = 4 + count * SECTION_BYTES;
  for (let offset = 4; sections.length < count; offset += SECTION_BYTES) {
    const name = String.fromCharCode(...bytes.subarray(offset, offset + NAME_BYTES)).replace(/\0+$/, "");
    const sizeBytes = Number(view.getBigUint64(offset + NAME_BYTES, true));
    const chunks = Math.ceil(sizeBytes / CHUNK_BYTES);
    if (checksumOffset + chunks * 4 > bytes.byteLength) return undefined;
    const checksums = Array.from({ length: chunks }, (_, i) => view.getUint32(checksumOffset + i * 4, true));
    checksumOffset += chunks * 4;
    sections.push({ name, sizeBytes, checksums });
  }
  return checksumOffset === bytes.byteLength ? sections : undefined;
}

export interface Footer {
  contentsOffset: number;
  contentsBytes: number;
  chunkCount: number;
  crc: number;
}

export function encodeFooter(
  contents: Uint8Array,
  { contentsOffset, chunkCount }: Pick<Footer, "contentsOffset" | "chunkCount">,
  fileId: Uint8Array,
): Uint8Array<ArrayBuffer> {
  const footer = new Uint8Array(FOOTER_BYTES);
  const view = new DataView(footer.buffer);
  view.setUint32(0, MAGIC, true);
  view.setUint32(4, contents.byteLength, true);
  view.setBigUint64(8, BigInt(contentsOffset), true);
  view.setUint32(16, chunkCount, true);
  view.setUint32(CRC_OFFSET, contentsCrc(footer, contents, fileId), true);
  return footer;
}

/** Undefined if it is none, or speaks of contents that do not stand right before it. */
export function decodeFooter(footer: Uint8Array, footerOffset: number): Footer | undefined {
  const view = new DataView(footer.buffer, footer.byteOffset, FOOTER_BYTES);
  const contentsBytes = view.getUint32(4, true);
  const contentsOffset = Number(view.getBigUint64(8, true));
  const fits = contentsBytes <= MAX_CONTENTS_BYTES && contentsOffset + contentsBytes === footerOffset;
  if (view.getUint32(0, true) !== MAGIC || !fits) return undefined;
  return {
    contentsOffset,
    contentsBytes,
    chunkCount: view.getUint32(16, true),
    crc: view.getUint32(CRC_OFFSET, true),
  };
}

export function contentsCrc(footer: Uint8Array, contents: Uint8Array, fileId: Uint8Array): number {
  return crc32c(footer.subarray(0, CRC_OFFSET), crc32c(contents, crc32c(fileId)));
}
