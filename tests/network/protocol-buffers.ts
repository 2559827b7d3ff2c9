/** Protocol buffers by hand, for what no honest peer would send: numbers of seven bits a byte, and fields of bytes. */
export function varint(value: number): number[] {
  return value < 128 ? [value] : [(value & 127) | 128, ...varint(Math.floor(value / 128))];
}

export function field(number: number, bytes: Uint8Array): Uint8Array {
  return Buffer.concat([Uint8Array.from([...varint(number * 8 + 2), ...varint(bytes.length)]), bytes]);
}
