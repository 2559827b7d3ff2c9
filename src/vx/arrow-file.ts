/**
 * Looks at an Arrow IPC file before apache-arrow is given it. Called by arrow.ts; calls arrow-heads. Source: the Arrow columnar
 * format, "IPC File Format". A file is:
 *
 * | bytes | content |
 * |---|---|
 * | 8 | `ARROW1`, then zeros |
 * | | messages as in a stream |
 * | length | footer: a flatbuffer with the schema, and where each message is |
 * | 4 | length of the footer, int32 |
 * | 6 | `ARROW1` |
 */
import { checkFooter, checkHead } from "./arrow-heads.ts";
import { VxError } from "./errors.ts";

const MAGIC = "ARROW1";
const TRAIL_BYTES = 4 + MAGIC.length;
const CONTINUATION = 0xffffffff;

export function isArrowFile(bytes: Uint8Array): boolean {
  return new TextDecoder("latin1").decode(bytes.subarray(0, MAGIC.length)) === MAGIC;
}

/**
 * A message of another length or kind than the footer says apache-arrow would read again and again, for ever.
 * @throws VxError `invalid_request`
 */
export function checkFile(bytes: Uint8Array): void {
  const footerEnd = bytes.length - TRAIL_BYTES;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const footerBytes = footerEnd < 0 ? -1 : view.getInt32(footerEnd, true);
  if (footerBytes < 0 || footerBytes > footerEnd) throw noFile();
  for (const { offset, headBytes, kind } of checkFooter(bytes.subarray(footerEnd - footerBytes, footerEnd))) {
    if (offset + headBytes > footerEnd || headBytes < 8) throw noFile();
    const prefixBytes = view.getUint32(offset, true) === CONTINUATION ? 8 : 4;
    if (view.getInt32(offset + prefixBytes - 4, true) !== headBytes - prefixBytes) throw noFile();
    checkHead(bytes.subarray(offset + prefixBytes, offset + headBytes), kind);
  }
}

function noFile(): VxError {
  return new VxError("invalid_request", "The data is no Arrow file, or breaks off");
}
