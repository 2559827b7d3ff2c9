/**
 * Noise's cipher for pages, ChaCha20-Poly1305 in WebAssembly (assembly/): several times as fast as the JavaScript that libp2p
 * brings along, which took a seventh of a download's processor time. Made by start-node, handed to the network; what
 * handshakes need beside it stays the library's. Source: RFC 8439.
 */
import { type ICryptoInterface, pureJsCrypto } from "@libp2p/noise";
import type { Uint8ArrayList } from "uint8arraylist";
import { kernelBase64 } from "./build/kernel-wasm.ts";

/** As in assembly/places.ts. */
const KEY = 1024;
const NONCE = 1056;
const ASSOCIATED = 1088;
const TEXT = 2048;

const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** A handshake authenticates a hash of 32 bytes, a message nothing. */
const MAX_ASSOCIATED_BYTES = 64;

/** Of a text with its tag: noise's messages end at 65,535 bytes. */
const MAX_TEXT_BYTES = 65_535;

interface Kernel {
  memory: WebAssembly.Memory;
  seal(textBytes: number, associatedBytes: number): void;
  open(textBytes: number, associatedBytes: number): number;
}

export async function createNoiseCipher(): Promise<ICryptoInterface> {
  const code = Uint8Array.from(atob(kernelBase64), (char) => char.charCodeAt(0));
  const { instance } = await WebAssembly.instantiate(code);
  const kernel = instance.exports as unknown as Kernel;
  const memory = new Uint8Array(kernel.memory.buffer);

  const put = (
    key: Uint8Array,
    nonce: Uint8Array,
    associated: Uint8Array,
    text: Uint8Array | Uint8ArrayList,
  ) => {
    check(key.length === KEY_BYTES && nonce.length === NONCE_BYTES);
    check(associated.length <= MAX_ASSOCIATED_BYTES && text.byteLength <= MAX_TEXT_BYTES);
    memory.set(key, KEY);
    memory.set(nonce, NONCE);
    memory.set(associated, ASSOCIATED);
    let at = TEXT;
    for (const piece of text instanceof Uint8Array ? [text] : text) {
      memory.set(piece, at);
      at += piece.length;
    }
  };

  return {
    ...pureJsCrypto,
    chaCha20Poly1305Encrypt(text, nonce, associated, key) {
      check(text.byteLength <= MAX_TEXT_BYTES - TAG_BYTES);
      put(key, nonce, associated, text);
      kernel.seal(text.byteLength, associated.length);
      return memory.slice(TEXT, TEXT + text.byteLength + TAG_BYTES);
    },
    chaCha20Poly1305Decrypt(sealed, nonce, associated, key, into) {
      const textBytes = sealed.byteLength - TAG_BYTES;
      check(textBytes >= 0);
      put(key, nonce, associated, sealed);
      if (kernel.open(textBytes, associated.length) === 0) throw new Error("the message is not authentic");
      const text = memory.subarray(TEXT, TEXT + textBytes);
      if (into === undefined) return text.slice();
      into.set(text);
      return into;
    },
  };
}

function check(isSound: boolean): void {
  if (!isSound) throw new RangeError("a key, nonce or text of the wrong length");
}
