/**
 * The kernel's exports: ChaCha20-Poly1305 over the text in its memory, where the host (../noise-cipher.ts) has put key,
 * nonce and text. Source: RFC 8439, section 2.8.
 */
import { STRIDE, xorStride } from "./chacha";
import { ASSOCIATED, ONE_TIME_KEY, STREAM, TAG, TEXT } from "./places";
import { begin, finish, takeBlocks } from "./poly1305";

/** Encrypts the text, and writes its tag behind it. */
export function seal(textBytes: u32, associatedBytes: u32): void {
  makeOneTimeKey();
  cross(textBytes);
  authenticate(textBytes, associatedBytes);
  memory.copy(TEXT + textBytes, TAG, 16);
}

/** Decrypts the text if the 16 bytes behind it are its tag; else gives false, and the text is worth nothing. */
export function open(textBytes: u32, associatedBytes: u32): bool {
  const low = load<u64>(TEXT + textBytes);
  const high = load<u64>(TEXT + textBytes + 8);
  makeOneTimeKey();
  authenticate(textBytes, associatedBytes);
  if (((load<u64>(TAG) ^ low) | (load<u64>(TAG + 8) ^ high)) !== 0) return false;
  cross(textBytes);
  return true;
}

/** Poly1305's key is the beginning of the keystream, whose other blocks are the text's. */
function makeOneTimeKey(): void {
  memory.fill(STREAM, 0, STRIDE);
  xorStride(STREAM, 0);
  memory.copy(ONE_TIME_KEY, STREAM, 32);
}

/** XORs text and keystream. */
function cross(textBytes: u32): void {
  let block: u32 = 1;
  for (let at: u32 = 0; at < textBytes; at += STRIDE) {
    xorStride(TEXT + at, block);
    block += 4;
  }
}

function authenticate(textBytes: u32, associatedBytes: u32): void {
  begin();
  takePadded(ASSOCIATED, associatedBytes);
  takePadded(TEXT, textBytes);
  store<u64>(STREAM, associatedBytes);
  store<u64>(STREAM + 8, textBytes);
  takeBlocks(STREAM, 16);
  finish();
}

/** With zeroes up to a whole block, which are written behind the bytes. */
function takePadded(at: usize, bytes: u32): void {
  const padding = (16 - (bytes & 15)) & 15;
  memory.fill(at + bytes, 0, padding);
  takeBlocks(at, bytes + padding);
}
