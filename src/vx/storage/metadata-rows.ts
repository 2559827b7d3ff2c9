/**
 * The metadata of all records as a stream of bytes, cut into chunks: a snapshot's last section. Called by the
 * snapshot's writer and reader. One row after another, little-endian:
 *
 * | offset | type | content |
 * |---|---|---|
 * | 0 | u64 | id |
 * | 8 | u32 | bytes of the text |
 * | 12 | bytes | metadata, JSON text in UTF-8 |
 */
import { joinedBytes } from "../joined-bytes.ts";
import { CHUNK_BYTES, MAX_METADATA_BYTES } from "./limits.ts";
import type { EncodedRow, MetadataRow } from "./stored-index.ts";

const ROW_BYTES = 12;

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Chunks of CHUNK_BYTES, the last one shorter. */
export async function* encodeRows(
  batches: Iterable<EncodedRow[]> | AsyncIterable<EncodedRow[]>,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  let chunk = new Uint8Array(CHUNK_BYTES);
  let view = new DataView(chunk.buffer);
  let length = 0;
  for await (const rows of batches) {
    for (const { id, metadata } of rows) {
      if (length + ROW_BYTES + metadata.byteLength <= CHUNK_BYTES) {
        writeRow(view, length, id, metadata);
        length += ROW_BYTES + metadata.byteLength;
        continue;
      }
      let rest = new Uint8Array(ROW_BYTES + metadata.byteLength);
      writeRow(new DataView(rest.buffer), 0, id, metadata);
      while (length + rest.byteLength >= CHUNK_BYTES) {
        chunk.set(rest.subarray(0, CHUNK_BYTES - length), length);
        rest = rest.subarray(CHUNK_BYTES - length);
        yield chunk;
        chunk = new Uint8Array(CHUNK_BYTES);
        view = new DataView(chunk.buffer);
        length = 0;
      }
      chunk.set(rest, length);
      length += rest.byteLength;
    }
  }
  if (length > 0) yield chunk.slice(0, length);
}

function writeRow(view: DataView, offset: number, id: bigint, metadata: Uint8Array): void {
  view.setBigUint64(offset, id, true);
  view.setUint32(offset + 8, metadata.byteLength, true);
  new Uint8Array(view.buffer).set(metadata, offset + ROW_BYTES);
}

/** Rows in batches of about a chunk, as views of it. @throws what `wrong` gives, for bytes that are no rows */
export async function* decodeRows(
  chunks: AsyncIterable<Uint8Array>,
  wrong: () => Error,
): AsyncGenerator<MetadataRow[]> {
  let pending: Uint8Array[] = [];
  let pendingBytes = 0;
  let neededBytes = 0;
  for await (const chunk of chunks) {
    pending.push(chunk);
    pendingBytes += chunk.byteLength;
    if (pendingBytes < neededBytes) continue;
    const bytes = joinedBytes(pending);
    const { rows, end, nextBytes } = decodeWhole(bytes, wrong);
    pending = [bytes.slice(end)];
    pendingBytes = bytes.byteLength - end;
    neededBytes = nextBytes;
    if (rows.length > 0) yield rows;
  }
  if (pendingBytes > 0) throw wrong();
}

/** The rows that are whole; the first that is not begins at `end` and takes `nextBytes`, or more. */
function decodeWhole(
  bytes: Uint8Array<ArrayBuffer>,
  wrong: () => Error,
): { rows: MetadataRow[]; end: number; nextBytes: number } {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const rows: MetadataRow[] = [];
  let offset = 0;
  while (bytes.byteLength - offset >= ROW_BYTES) {
    const textBytes = view.getUint32(offset + 8, true);
    if (textBytes > MAX_METADATA_BYTES) throw wrong();
    const end = offset + ROW_BYTES + textBytes;
    if (end > bytes.byteLength) return { rows, end: offset, nextBytes: end - offset };
    const metadata = bytes.subarray(offset + ROW_BYTES, end);
    if (!isUtf8(metadata)) throw wrong();
    rows.push({ id: view.getBigUint64(offset, true), metadata });
    offset = end;
  }
  return { rows, end: offset, nextBytes: ROW_BYTES };
}

/** Most texts are short, and in ASCII. */
function isUtf8(bytes: Uint8Array): boolean {
  let all = 0;
  for (const byte of bytes) all |= byte;
  if (all < 0x80) return true;
  try {
    decoder.decode(bytes);
    return true;
  } catch {
    return false;
  }
}
