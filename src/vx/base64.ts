/** Bytes as text: WebAssembly in a module, which Node.js, a bundle and a worker then load alike, and what stands in metadata. */

/** A loop, for `Uint8Array.from` takes fifteen times as long. */
export function bytesOfBase64(base64: string): Uint8Array<ArrayBuffer> {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = text.charCodeAt(i);
  return bytes;
}

/** For bytes of any number, for which a call has not enough arguments. */
export function base64OfBytes(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text);
}
