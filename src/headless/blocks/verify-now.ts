/**
 * SHA-256 of a block against its CID, on this thread. Called by FsBlockStore for what comes from peers and from the
 * disk. WebCrypto hashes in another thread, but copies the bytes before and wipes the copy afterwards in this one,
 * which takes half as long as the hash itself (measured).
 */
import { createHash, hash } from "node:crypto";
import type { CID } from "multiformats/cid";
import { SharingError } from "../../sharing/errors.ts";
import { SHA2_256 } from "../../sharing/hash.ts";
import type { RunningHash } from "../../sharing/ports.ts";

/** For bytes that are hashed as they come. */
export function startSha256(): RunningHash {
  return createHash("sha256");
}

/**
 * `sha256`: of the bytes, where it was made before.
 * @throws SharingError `hash_mismatch` when the bytes are not those the CID names
 */
export function verifyBlockNow(cid: CID, bytes: Uint8Array, sha256?: Uint8Array): void {
  if (!isBlockNow(cid, bytes, sha256))
    throw new SharingError("hash_mismatch", `block ${cid} does not match its hash`);
}

/** Are the bytes those the CID names? `sha256` as above. */
export function isBlockNow({ multihash }: CID, bytes: Uint8Array, sha256?: Uint8Array): boolean {
  const digest = sha256 ?? hash("sha256", bytes, "buffer");
  return multihash.code === SHA2_256 && Buffer.compare(digest, multihash.digest) === 0;
}
