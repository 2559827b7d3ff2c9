/**
 * The UnixFS message of a file's inner node, as bytes: type 2 (file), its size, and that of each child. Called by
 * manifest. Written here because protons-runtime 7.1.2, below ipfs-unixfs, leaves bytes unwritten for numbers from 2^31
 * to 2^32, and read here because the size is all that is read: whoever has it and the children writes the message anew,
 * and compares.
 *
 *   08 02 · 18 varint(size of the file) · 20 varint(size of a child) for each child
 *
 * Source: unixfs.proto of the UnixFS specification, fields in the order of their numbers, `blocksizes` unpacked.
 */
import { varint } from "multiformats";

const TYPE_FILE = [0x08, 2];
const FILE_SIZE_TAG = 0x18;
const BLOCK_SIZE_TAG = 0x20;

/** `childBytes`: bytes of the file below each child, in order. */
export function encodeUnixfsFile(childBytes: readonly number[]): Uint8Array {
  const fields: [tag: number, value: number][] = [
    [FILE_SIZE_TAG, childBytes.reduce((sum, bytes) => sum + bytes, 0)],
    ...childBytes.map((bytes): [number, number] => [BLOCK_SIZE_TAG, bytes]),
  ];
  const length = fields.reduce((sum, [, value]) => sum + 1 + varint.encodingLength(value), TYPE_FILE.length);
  const message = new Uint8Array(length);
  message.set(TYPE_FILE);
  let at = TYPE_FILE.length;
  for (const [tag, value] of fields) {
    message[at] = tag;
    varint.encodeTo(value, message, at + 1);
    at += 1 + varint.encodingLength(value);
  }
  return message;
}

/**
 * Bytes of the file below, as the message tells them; undefined for a message of another kind.
 * @throws RangeError where it is cut off
 */
export function readUnixfsFileSize(message: Uint8Array): number | undefined {
  const beginning = [...TYPE_FILE, FILE_SIZE_TAG];
  if (beginning.some((byte, at) => message[at] !== byte)) return undefined;
  const [sizeBytes] = varint.decode(message, beginning.length);
  return sizeBytes;
}
