/**
 * The operations that change an index, and their bytes in a frame of the journal: one record after another.
 * Called by the journal and its replay. Little-endian; records begin at multiples of 8, so that vectors can be used
 * where they lie.
 *
 * | offset | type | content |
 * |---|---|---|
 * | 0 | u32 | 1 add, 2 delete |
 * | 4 | u32 | bytes of metadata; 0: none |
 * | 8 | u64 | id |
 * | 16 | f32 times dimension | the vector, of an add alone; zeros up to a multiple of 8 |
 * | | bytes | metadata, JSON text in UTF-8; zeros up to a multiple of 8 |
 */
import { DimensionMismatchError, InvalidIDError, VxError } from "../errors.ts";
import { damaged } from "./damage.ts";
import { MAX_METADATA_BYTES, TURN_BYTES } from "./limits.ts";

export type Operation =
  /** `metadata` is a JSON object's text, kept as it is. */
  | { kind: "add"; id: bigint; vector: Float32Array; metadata?: string | undefined }
  | { kind: "delete"; id: bigint };

const ADD = 1;
const DELETE = 2;
const RECORD_BYTES = 16;

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Bytes that an operation takes at most, without looking at its metadata's characters. */
export function maxOperationBytes(operation: Operation): number {
  if (operation.kind === "delete") return RECORD_BYTES;
  return RECORD_BYTES + padded(operation.vector.byteLength) + padded((operation.metadata?.length ?? 0) * 3);
}

/** @throws DimensionMismatchError, VxError `invalid_id`, `invalid_request` */
export function checkOperation(operation: Operation, dimension: number): void {
  if (BigInt.asUintN(64, operation.id) !== operation.id) {
    throw new InvalidIDError(`An id lies between 0 and 2^64 - 1: ${operation.id}`);
  }
  if (operation.kind === "delete") return;
  if (operation.vector.length !== dimension) {
    throw new DimensionMismatchError(dimension, operation.vector.length);
  }
  if (operation.metadata !== undefined) checkMetadataLength(operation.metadata);
}

/** @throws VxError `invalid_request` */
export function checkMetadataLength(text: string): void {
  if (text.length * 3 <= MAX_METADATA_BYTES) return;
  const most = Math.floor(MAX_METADATA_BYTES / 3);
  throw new VxError("invalid_request", `Metadata may have ${most} characters`);
}

/** Where records are written: bytes that are 0, and views of them; the first record begins at a multiple of 8. */
export interface RecordRoom {
  bytes: Uint8Array<ArrayBuffer>;
  view: DataView;
  floats: Float32Array;
}

export function recordRoom(byteLength: number): RecordRoom {
  const bytes = new Uint8Array(Math.ceil(byteLength / 8) * 8);
  return { bytes, view: new DataView(bytes.buffer), floats: new Float32Array(bytes.buffer) };
}

/** Writes a record at the offset, where `maxOperationBytes` are free, and tells where it ends. */
export function encodeOperation(operation: Operation, room: RecordRoom, offset: number): number {
  room.view.setBigUint64(offset + 8, operation.id, true);
  if (operation.kind === "delete") {
    room.view.setUint32(offset, DELETE, true);
    return offset + RECORD_BYTES;
  }
  const { vector, metadata } = operation;
  room.view.setUint32(offset, ADD, true);
  room.floats.set(vector, (offset + RECORD_BYTES) / 4);
  const metadataOffset = offset + RECORD_BYTES + padded(vector.byteLength);
  if (metadata === undefined || metadata === "") return metadataOffset;
  const { written } = encoder.encodeInto(metadata, room.bytes.subarray(metadataOffset));
  room.view.setUint32(offset + 4, written, true);
  return metadataOffset + padded(written);
}

/**
 * The operations in a payload that was found whole, in batches of about TURN_BYTES. Vectors are views of it.
 * @throws VxError for bytes that no operation makes
 */
export function* decodeOperations(
  payload: Uint8Array<ArrayBuffer>,
  { count, dimension, place }: { count: number; dimension: number; place: string },
): Generator<Operation[]> {
  const wrong = () => damaged(place, "its operations are not what was written");
  const view = new DataView(payload.buffer, payload.byteOffset, payload.byteLength);
  let left = count;
  let batch: Operation[] = [];
  let batchEnd = TURN_BYTES;
  let offset = 0;
  while (offset < payload.byteLength) {
    if (payload.byteLength - offset < RECORD_BYTES || left === 0) throw wrong();
    left--;
    const kind = view.getUint32(offset, true);
    const metadataBytes = view.getUint32(offset + 4, true);
    const id = view.getBigUint64(offset + 8, true);
    offset += RECORD_BYTES;
    if (kind === DELETE && metadataBytes === 0) {
      batch.push({ kind: "delete", id });
    } else {
      const vectorBytes = padded(dimension * 4);
      const end = offset + vectorBytes + padded(metadataBytes);
      if (kind !== ADD || end > payload.byteLength) throw wrong();
      const vector = new Float32Array(payload.buffer, payload.byteOffset + offset, dimension);
      offset += vectorBytes;
      const text = metadataBytes === 0 ? undefined : payload.subarray(offset, offset + metadataBytes);
      batch.push({ kind: "add", id, vector, metadata: text && decodeText(text, wrong) });
      offset = end;
    }
    if (offset < batchEnd) continue;
    yield batch;
    batch = [];
    batchEnd = offset + TURN_BYTES;
  }
  if (left !== 0) throw wrong();
  if (batch.length > 0) yield batch;
}

function decodeText(bytes: Uint8Array, wrong: () => VxError): string {
  try {
    return decoder.decode(bytes);
  } catch {
    throw wrong();
  }
}

function padded(bytes: number): number {
  return Math.ceil(bytes / 8) * 8;
}
