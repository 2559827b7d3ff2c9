/**
 * Looks at an Arrow IPC file before apache-arrow is given it. Called by read-arrow; calls heads. Source: the Arrow columnar
 * format, "IPC File Format". A file is:
 *
 * | bytes | content |
 * |---|---|
 * | 8 | `ARROW1`, then zeros |
 * | | messages as in a stream, the schema first |
 * | | mark of the end as in a stream, which may be left out |
 * | length | footer: a flatbuffer with the schema, and where each message is |
 * | 4 | length of the footer, int32 |
 * | 6 | `ARROW1` |
 */

import { VxError } from "../errors.ts";
import { CONTINUATION, checkFooter, checkHead } from "./heads.ts";

const MAGIC = "ARROW1";
const TRAIL_BYTES = 4 + MAGIC.length;
const SCHEMA_AT = 8;

export function isArrowFile(bytes: Uint8Array): boolean {
  return isMagic(bytes.subarray(0, MAGIC.length));
}

function isMagic(bytes: Uint8Array): boolean {
  return new TextDecoder("latin1").decode(bytes) === MAGIC;
}

/**
 * A message of another length or kind than the footer says apache-arrow would read again and again, for ever. What stands between
 * messages and footer, such as the end of a first file, it would leave out unseen.
 * @throws VxError `invalid_request`
 */
export function checkFile(bytes: Uint8Array): void {
  const footerEnd = bytes.length - TRAIL_BYTES;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const footerBytes = footerEnd < 0 ? -1 : view.getInt32(footerEnd, true);
  const footerStart = footerEnd - footerBytes;
  if (footerBytes < 0 || footerStart < SCHEMA_AT + 8 || !isMagic(bytes.subarray(-MAGIC.length)))
    throw noFile();

  const prefixBytes = (at: number) => (view.getUint32(at, true) === CONTINUATION ? 8 : 4);
  const schemaHeadAt = SCHEMA_AT + prefixBytes(SCHEMA_AT);
  let end = schemaHeadAt + view.getInt32(schemaHeadAt - 4, true);
  for (const { offset, headBytes, kind } of checkFooter(bytes.subarray(footerStart, footerEnd))) {
    if (offset + headBytes > footerEnd || headBytes < 8) throw noFile();
    const headAt = offset + prefixBytes(offset);
    if (view.getInt32(headAt - 4, true) !== headBytes - (headAt - offset)) throw noFile();
    const { bodyBytes } = checkHead(bytes.subarray(headAt, offset + headBytes), kind);
    end = Math.max(end, offset + headBytes + bodyBytes);
  }
  if (end > footerStart || !isEnd(bytes.subarray(end, footerStart))) throw noFile();
}

/** The mark of the end, and zeros that bring the footer to where it may begin; or nothing. */
function isEnd(bytes: Uint8Array): boolean {
  const isMarked = bytes.length >= 4 && bytes.subarray(0, 4).every((byte) => byte === 0xff);
  return bytes.subarray(isMarked ? 4 : 0).every((byte) => byte === 0);
}

function noFile(): VxError {
  return new VxError("invalid_request", "The data is no Arrow file, breaks off or goes on");
}
