/**
 * SHA-256 of a block and its CID. Called by the DAG builder and the block stores; calls WebCrypto, which works off the
 * thread.
 */
import { CID } from "multiformats/cid";
import * as Digest from "multiformats/hashes/digest";
import { isSharingError, SharingError } from "./errors.ts";

/** Multihash code of sha2-256, multiformats table. */
export const SHA2_256 = 0x12;
/** Bytes of a SHA-256. */
export const DIGEST_BYTES = 32;
/** Codec of a leaf: raw bytes. */
export const RAW = 0x55;
/** Codec of an inner node: dag-pb. */
export const DAG_PB = 0x70;

/** A short map key: codec and the digest's 32 bytes as characters. */
export function blockKey({ code, multihash }: CID): string {
  return String.fromCharCode(code, ...multihash.digest);
}

export async function blockCid(bytes: Uint8Array, codec: number): Promise<CID> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes as Uint8Array<ArrayBuffer>));
  return CID.createV1(codec, Digest.create(SHA2_256, digest));
}

/**
 * `sha256`: of the bytes, where it was made before.
 * @throws SharingError `hash_mismatch` when the bytes are not those the CID names
 */
export async function verifyBlock(cid: CID, bytes: Uint8Array, sha256?: Uint8Array): Promise<void> {
  const actual = sha256 ? Digest.create(SHA2_256, sha256) : (await blockCid(bytes, cid.code)).multihash;
  if (!Digest.equals(actual, cid.multihash)) {
    throw new SharingError("hash_mismatch", `block ${cid} does not match its hash`);
  }
}

/** Are the bytes those the CID names? */
export async function isBlock(cid: CID, bytes: Uint8Array): Promise<boolean> {
  try {
    await verifyBlock(cid, bytes);
    return true;
  } catch (error) {
    if (isSharingError(error, "hash_mismatch")) return false;
    throw error;
  }
}
