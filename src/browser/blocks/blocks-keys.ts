/**
 * How the window and the storage worker name a block: the bytes of its CIDv1, each a character. A tenth of the work of
 * base32, which the database has: at start every chunk of every file is looked up. Called by both ends; calls nothing.
 */
import { CID } from "multiformats/cid";

/** A CIDv0 and its CIDv1 name the same block. */
export function blockKey(cid: CID): string {
  return String.fromCharCode(...cid.toV1().bytes);
}

export function cidOfKey(key: string): CID {
  return CID.decode(Uint8Array.from(key, (character) => character.charCodeAt(0)));
}
