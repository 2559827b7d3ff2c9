/**
 * Encryption of one file: AES-256-GCM (NIST SP 800-38D) under the file's own key. Made by the writers and readers
 * of journal and snapshot; calls WebCrypto.
 *
 * Each unit of the file (a frame, a chunk) has a position that is used once; the nonce is 4 zero bytes and the
 * position as a big-endian u64. The key belongs to this file alone, and a file is never appended to once it
 * was closed, so no nonce comes twice. Associated data: the file's header and what precedes the unit's ciphertext.
 * A unit that was changed, moved, or taken from another file does not open.
 */
import type { IndexKey } from "./key.ts";

export const TAG_BYTES = 16;

export interface Cipher {
  /** Bytes that sealing adds. */
  readonly overheadBytes: number;
  seal(
    position: number,
    plain: Uint8Array<ArrayBuffer>,
    beside?: Uint8Array,
  ): Promise<Uint8Array<ArrayBuffer>>;
  /** Undefined if these are not the bytes that were sealed there. */
  open(
    position: number,
    sealed: Uint8Array<ArrayBuffer>,
    beside?: Uint8Array,
  ): Promise<Uint8Array<ArrayBuffer> | undefined>;
}

/** Of files that are not encrypted: gives the bytes as they are. */
export const noCipher: Cipher = {
  overheadBytes: 0,
  seal: async (_position, plain) => plain,
  open: async (_position, sealed) => sealed,
};

/** The cipher of the file with that id, which must never be used for another, and with that header. */
export async function fileCipher(
  key: IndexKey | undefined,
  fileId: Uint8Array<ArrayBuffer>,
  header: Uint8Array,
): Promise<Cipher> {
  if (key === undefined) return noCipher;
  const fileKey = await key.fileKey(fileId);
  const parameters = (position: number, beside?: Uint8Array) => {
    const iv = new Uint8Array(12);
    new DataView(iv.buffer).setBigUint64(4, BigInt(position));
    const additionalData = new Uint8Array(header.byteLength + (beside?.byteLength ?? 0));
    additionalData.set(header);
    if (beside !== undefined) additionalData.set(beside, header.byteLength);
    return { name: "AES-GCM", iv, additionalData, tagLength: TAG_BYTES * 8 };
  };
  return {
    overheadBytes: TAG_BYTES,
    async seal(position, plain, beside) {
      return new Uint8Array(await crypto.subtle.encrypt(parameters(position, beside), fileKey, plain));
    },
    async open(position, sealed, beside) {
      if (sealed.byteLength < TAG_BYTES) return undefined;
      try {
        return new Uint8Array(await crypto.subtle.decrypt(parameters(position, beside), fileKey, sealed));
      } catch (error) {
        if (error instanceof Error && error.name === "OperationError") return undefined;
        throw error;
      }
    },
  };
}
