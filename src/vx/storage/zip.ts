/**
 * The records of a zip archive, as PKWARE's APPNOTE.TXT 6.3.10 has them: local header, central directory header, and
 * the ends of the directory, in their 64-bit forms where numbers are too large. Called by the zip's writer and
 * reader. Little-endian; times are UTC.
 */

/** An entry as the archive describes it. */
export interface ZipEntry {
  name: string;
  deflated: boolean;
  crc: number;
  /** As it stands in the archive. */
  packedBytes: number;
  sizeBytes: number;
  /** Of its local header. */
  offset: number;
}

export interface ZipDirectory {
  offset: number;
  sizeBytes: number;
  entryCount: number;
}

export const LOCAL_BYTES = 30;
const CENTRAL_BYTES = 46;
export const END_BYTES = 22;
export const END64_BYTES = 56;
export const LOCATOR_BYTES = 20;

const LOCAL = 0x04034b50;
const CENTRAL = 0x02014b50;
const END = 0x06054b50;
const END64 = 0x06064b50;
const LOCATOR = 0x07064b50;

const UTF8 = 0x0800;
const DEFLATED = 8;
const VERSION = 20;
const VERSION_64 = 45;
const MAX_16 = 0xffff;
const MAX_32 = 0xffffffff;
const OFFSET_64_EXTRA_BYTES = 12;

export function encodeLocal(entry: ZipEntry, at: Date): Uint8Array<ArrayBuffer> {
  const name = new TextEncoder().encode(entry.name);
  const bytes = new Uint8Array(LOCAL_BYTES + name.byteLength);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, LOCAL, true);
  view.setUint16(4, VERSION, true);
  writeShared(view, 6, entry, at);
  view.setUint16(26, name.byteLength, true);
  bytes.set(name, LOCAL_BYTES);
  return bytes;
}

/** Bytes from the local header's offset to the entry's own, if the header says what the directory says. */
export function localBytes(header: Uint8Array, entry: ZipEntry): number | undefined {
  const view = new DataView(header.buffer, header.byteOffset, header.byteLength);
  if (header.byteLength < LOCAL_BYTES || view.getUint32(0, true) !== LOCAL) return undefined;
  const name = new TextEncoder().encode(entry.name);
  const shared = readShared(view, 6);
  const same =
    shared !== undefined &&
    shared.deflated === entry.deflated &&
    shared.crc === entry.crc &&
    shared.packedBytes === entry.packedBytes &&
    shared.sizeBytes === entry.sizeBytes &&
    view.getUint16(26, true) === name.byteLength &&
    name.every((byte, i) => header[LOCAL_BYTES + i] === byte);
  return same ? LOCAL_BYTES + name.byteLength + view.getUint16(28, true) : undefined;
}

export function encodeCentral(entry: ZipEntry, at: Date): Uint8Array<ArrayBuffer> {
  const name = new TextEncoder().encode(entry.name);
  const far = entry.offset >= MAX_32;
  const bytes = new Uint8Array(CENTRAL_BYTES + name.byteLength + (far ? OFFSET_64_EXTRA_BYTES : 0));
  const view = new DataView(bytes.buffer);
  view.setUint32(0, CENTRAL, true);
  view.setUint16(4, far ? VERSION_64 : VERSION, true);
  view.setUint16(6, far ? VERSION_64 : VERSION, true);
  writeShared(view, 8, entry, at);
  view.setUint16(28, name.byteLength, true);
  view.setUint16(30, far ? OFFSET_64_EXTRA_BYTES : 0, true);
  view.setUint32(42, far ? MAX_32 : entry.offset, true);
  bytes.set(name, CENTRAL_BYTES);
  if (!far) return bytes;
  const extra = CENTRAL_BYTES + name.byteLength;
  view.setUint16(extra, 1, true);
  view.setUint16(extra + 2, 8, true);
  view.setBigUint64(extra + 4, BigInt(entry.offset), true);
  return bytes;
}

/** The entry at the beginning of the bytes, and where the next one begins; undefined for what we do not write. */
export function decodeCentral(bytes: Uint8Array): { entry: ZipEntry; end: number } | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.byteLength < CENTRAL_BYTES || view.getUint32(0, true) !== CENTRAL) return undefined;
  const extra = CENTRAL_BYTES + view.getUint16(28, true);
  const extraBytes = view.getUint16(30, true);
  const end = extra + extraBytes;
  const shared = readShared(view, 8);
  if (shared === undefined || end > bytes.byteLength || view.getUint16(32, true) !== 0) return undefined;
  let offset = view.getUint32(42, true);
  if (offset === MAX_32) {
    if (extraBytes !== OFFSET_64_EXTRA_BYTES || view.getUint32(extra, true) !== 0x0008_0001) return undefined;
    offset = Number(view.getBigUint64(extra + 4, true));
  }
  const name = String.fromCharCode(...bytes.subarray(CENTRAL_BYTES, extra));
  return { entry: { ...shared, name, offset }, end };
}

/** What follows the directory. */
export function encodeEnd({ offset, sizeBytes, entryCount }: ZipDirectory): Uint8Array<ArrayBuffer> {
  const far = entryCount >= MAX_16 || offset >= MAX_32 || sizeBytes >= MAX_32;
  const endOffset = far ? END64_BYTES + LOCATOR_BYTES : 0;
  const bytes = new Uint8Array(endOffset + END_BYTES);
  const view = new DataView(bytes.buffer);
  view.setUint32(endOffset, END, true);
  view.setUint16(endOffset + 8, far ? MAX_16 : entryCount, true);
  view.setUint16(endOffset + 10, far ? MAX_16 : entryCount, true);
  view.setUint32(endOffset + 12, far ? MAX_32 : sizeBytes, true);
  view.setUint32(endOffset + 16, far ? MAX_32 : offset, true);
  if (!far) return bytes;
  view.setUint32(0, END64, true);
  view.setBigUint64(4, BigInt(END64_BYTES - 12), true);
  view.setUint16(12, VERSION_64, true);
  view.setUint16(14, VERSION_64, true);
  view.setBigUint64(24, BigInt(entryCount), true);
  view.setBigUint64(32, BigInt(entryCount), true);
  view.setBigUint64(40, BigInt(sizeBytes), true);
  view.setBigUint64(48, BigInt(offset), true);
  view.setUint32(END64_BYTES, LOCATOR, true);
  view.setBigUint64(END64_BYTES + 8, BigInt(offset + sizeBytes), true);
  view.setUint32(END64_BYTES + 16, 1, true);
  return bytes;
}

/** The directory's place by the last bytes of an archive; undefined unless it ends right before its end records. */
export function decodeEnd(tail: Uint8Array, archiveBytes: number): ZipDirectory | undefined {
  const view = new DataView(tail.buffer, tail.byteOffset, tail.byteLength);
  const end = tail.byteLength - END_BYTES;
  if (end < 0 || view.getUint32(end, true) !== END || view.getUint16(end + 20, true) !== 0) return undefined;
  const near = {
    entryCount: view.getUint16(end + 10, true),
    sizeBytes: view.getUint32(end + 12, true),
    offset: view.getUint32(end + 16, true),
  };
  if (near.offset + near.sizeBytes === archiveBytes - END_BYTES) return near;
  const end64 = end - LOCATOR_BYTES - END64_BYTES;
  if (near.offset !== MAX_32 || end64 < 0 || view.getUint32(end64, true) !== END64) return undefined;
  const directory = {
    entryCount: Number(view.getBigUint64(end64 + 32, true)),
    sizeBytes: Number(view.getBigUint64(end64 + 40, true)),
    offset: Number(view.getBigUint64(end64 + 48, true)),
  };
  const ends = archiveBytes - END_BYTES - LOCATOR_BYTES - END64_BYTES;
  return directory.offset + directory.sizeBytes === ends ? directory : undefined;
}

/** What local and central headers both have: flags, method, time, checksum, sizes. */
function writeShared(view: DataView, offset: number, entry: ZipEntry, at: Date): void {
  view.setUint16(offset, UTF8, true);
  view.setUint16(offset + 2, entry.deflated ? DEFLATED : 0, true);
  const clock = (at.getUTCHours() << 11) | (at.getUTCMinutes() << 5) | (at.getUTCSeconds() >> 1);
  const day = ((at.getUTCFullYear() - 1980) << 9) | ((at.getUTCMonth() + 1) << 5) | at.getUTCDate();
  view.setUint16(offset + 4, clock, true);
  view.setUint16(offset + 6, day, true);
  view.setUint32(offset + 8, entry.crc, true);
  view.setUint32(offset + 12, entry.packedBytes, true);
  view.setUint32(offset + 16, entry.sizeBytes, true);
}

function readShared(view: DataView, offset: number): Omit<ZipEntry, "name" | "offset"> | undefined {
  const method = view.getUint16(offset + 2, true);
  if (view.getUint16(offset, true) !== UTF8 || (method !== 0 && method !== DEFLATED)) return undefined;
  return {
    deflated: method === DEFLATED,
    crc: view.getUint32(offset + 8, true),
    packedBytes: view.getUint32(offset + 12, true),
    sizeBytes: view.getUint32(offset + 16, true),
  };
}
