/** Bytes as lower-case hexadecimal digits, and back. Called wherever bytes stand in JSON or names. */
export function toHex(bytes: Uint8Array): string {
  let hex = "";
  for (const byte of bytes) hex += byte.toString(16).padStart(2, "0");
  return hex;
}

/** Undefined unless the text is exactly that many bytes in hexadecimal. */
export function fromHex(hex: unknown, byteLength: number): Uint8Array<ArrayBuffer> | undefined {
  if (typeof hex !== "string" || hex.length !== byteLength * 2 || !/^[0-9a-f]*$/.test(hex)) return undefined;
  return Uint8Array.from({ length: byteLength }, (_, i) => Number.parseInt(hex.slice(i * 2, i * 2 + 2), 16));
}
