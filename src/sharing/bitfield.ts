/** Bitfields of chunks as in BitTorrent (BEP 3): bit i is byte i>>3, mask 0x80>>(i&7); spare bits are zero. */

export function bitfieldBytes(count: number): number {
  return Math.ceil(count / 8);
}

export function hasBit(bits: Uint8Array, index: number): boolean {
  return ((bits[index >> 3] ?? 0) & (0x80 >> (index & 7))) !== 0;
}

export function setBit(bits: Uint8Array, index: number): void {
  bits[index >> 3] = (bits[index >> 3] ?? 0) | (0x80 >> (index & 7));
}

export function clearBit(bits: Uint8Array, index: number): void {
  bits[index >> 3] = (bits[index >> 3] ?? 0) & ~(0x80 >> (index & 7));
}
