/**
 * One frame of the journal: operations that are stored together or not at all. Called by the journal and its
 * reader. Frames begin at multiples of 8. Little-endian.
 *
 * | offset | type | content |
 * |---|---|---|
 * | 0 | 4 bytes | `VXFR` |
 * | 4 | u32 | bytes of the payload, as it stands here |
 * | 8 | u64 | number of the first operation; the first of an index is 1 |
 * | 16 | u32 | count of operations |
 * | 20 | u32 | CRC-32C of the segment's file id, bytes 0 to 19 and the payload |
 * | 24 | u32 | CRC-32C of the segment's file id and bytes 0 to 23 |
 * | 28 | u32 | 0 |
 * | 32 | bytes | the operations; encrypted: sealed at the first one's number, beside bytes 0 to 19 |
 * | | zeros | up to a multiple of 8 |
 *
 * The file id in the checksums, which no one outside knows, makes sure that bytes which someone put into a vector
 * are never taken for a frame, nor is what an earlier file left on the disk. A header that is whole tells how far
 * its frame went, so that a torn end is told from damage.
 */

import { nextTurn } from "../turns.ts";
import { type Cipher, TAG_BYTES } from "./cipher.ts";
import { crc32c } from "./crc32.ts";
import { MAX_FRAME_BYTES, TURN_BYTES } from "./limits.ts";
import { encodeOperation, maxOperationBytes, type Operation, recordRoom } from "./operations.ts";

export const FRAME_HEADER_BYTES = 32;

const MAGIC = 0x52465856;
const CRC_OFFSET = 20;
const HEADER_CRC_OFFSET = 24;

export interface FrameFacts {
  sequence: number;
  count: number;
  payloadBytes: number;
  crc: number;
}

export interface SegmentSeal {
  fileId: Uint8Array<ArrayBuffer>;
  cipher: Cipher;
}

/** The frame's bytes. Large ones are made in turns, so that searches go on. */
export async function encodeFrame(
  operations: Operation[],
  sequence: number,
  { fileId, cipher }: SegmentSeal,
): Promise<Uint8Array<ArrayBuffer>> {
  const room = operations.reduce((bytes, operation) => bytes + maxOperationBytes(operation), 0);
  const records = recordRoom(FRAME_HEADER_BYTES + room);
  const plain = records.bytes;
  let end = FRAME_HEADER_BYTES;
  let turnEnd = end + TURN_BYTES;
  for (const operation of operations) {
    end = encodeOperation(operation, records, end);
    if (end < turnEnd) continue;
    turnEnd = end + TURN_BYTES;
    await nextTurn();
  }
  writeFacts(plain, {
    sequence,
    count: operations.length,
    payloadBytes: end - FRAME_HEADER_BYTES + cipher.overheadBytes,
  });
  if (cipher.overheadBytes === 0) return finish(plain.subarray(0, end), fileId);
  const sealed = await cipher.seal(sequence, plain.subarray(FRAME_HEADER_BYTES, end), besidePayload(plain));
  const frame = new Uint8Array(paddedFrame(sealed.byteLength));
  frame.set(plain.subarray(0, FRAME_HEADER_BYTES));
  frame.set(sealed, FRAME_HEADER_BYTES);
  return finish(frame, fileId);
}

/** A frame's header, if these bytes are one of that file. */
export function decodeFacts(bytes: Uint8Array, fileId: Uint8Array): FrameFacts | undefined {
  if (bytes.byteLength < FRAME_HEADER_BYTES) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, FRAME_HEADER_BYTES);
  if (view.getUint32(0, true) !== MAGIC) return undefined;
  if (view.getUint32(HEADER_CRC_OFFSET, true) !== headerCrc(bytes, fileId)) return undefined;
  const payloadBytes = view.getUint32(4, true);
  const sequence = Number(view.getBigUint64(8, true));
  const count = view.getUint32(16, true);
  const possible = Number.isSafeInteger(sequence + count) && sequence > 0 && count > 0;
  if (!possible || payloadBytes > MAX_FRAME_BYTES + TAG_BYTES) return undefined;
  return { sequence, count, payloadBytes, crc: view.getUint32(CRC_OFFSET, true) };
}

/** Where in the bytes, at a multiple of 8, a frame may begin; undefined if nowhere. */
export function findFrame(bytes: Uint8Array): number | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let offset = 0; offset + FRAME_HEADER_BYTES <= bytes.byteLength; offset += 8) {
    if (view.getUint32(offset, true) === MAGIC) return offset;
  }
  return undefined;
}

/** Bytes of a whole frame in the file. */
export function paddedFrame(payloadBytes: number): number {
  return Math.ceil((FRAME_HEADER_BYTES + payloadBytes) / 8) * 8;
}

/** The checksum of a frame's bytes. */
export async function frameCrc(frame: Uint8Array, payloadBytes: number, fileId: Uint8Array): Promise<number> {
  let crc = crc32c(frame.subarray(0, CRC_OFFSET), crc32c(fileId));
  const end = FRAME_HEADER_BYTES + payloadBytes;
  for (let offset = FRAME_HEADER_BYTES; offset < end; offset += TURN_BYTES) {
    if (offset > FRAME_HEADER_BYTES) await nextTurn();
    crc = crc32c(frame.subarray(offset, Math.min(end, offset + TURN_BYTES)), crc);
  }
  return crc;
}

/** What stands beside a sealed payload. */
export function besidePayload(frame: Uint8Array): Uint8Array {
  return frame.subarray(0, CRC_OFFSET);
}

function writeFacts(frame: Uint8Array, { sequence, count, payloadBytes }: Omit<FrameFacts, "crc">): void {
  const view = new DataView(frame.buffer, frame.byteOffset, FRAME_HEADER_BYTES);
  view.setUint32(0, MAGIC, true);
  view.setUint32(4, payloadBytes, true);
  view.setBigUint64(8, BigInt(sequence), true);
  view.setUint32(16, count, true);
}

async function finish(frame: Uint8Array<ArrayBuffer>, fileId: Uint8Array): Promise<Uint8Array<ArrayBuffer>> {
  const view = new DataView(frame.buffer, frame.byteOffset, FRAME_HEADER_BYTES);
  view.setUint32(CRC_OFFSET, await frameCrc(frame, view.getUint32(4, true), fileId), true);
  view.setUint32(HEADER_CRC_OFFSET, headerCrc(frame, fileId), true);
  return frame;
}

function headerCrc(frame: Uint8Array, fileId: Uint8Array): number {
  return crc32c(frame.subarray(0, HEADER_CRC_OFFSET), crc32c(fileId));
}
