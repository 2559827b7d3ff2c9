/**
 * File ids: the root CID of a file's UnixFS DAG, written as a base32 CIDv1. Any spelling of the same CID is
 * taken at the edge (API, links, announcements) and turned into that one form here.
 */
import { base16, base16upper } from "multiformats/bases/base16";
import { base32, base32upper } from "multiformats/bases/base32";
import { base36, base36upper } from "multiformats/bases/base36";
import { base58btc } from "multiformats/bases/base58";
import { base64, base64url } from "multiformats/bases/base64";
import { CID } from "multiformats/cid";
import { SharingError } from "./errors.ts";
import { DAG_PB, DIGEST_BYTES, RAW, SHA2_256 } from "./hash.ts";
import { MAX_FILE_ID_CHARS } from "./limits.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder();

const anyBase = base32.decoder
  .or(base32upper.decoder)
  .or(base16.decoder)
  .or(base16upper.decoder)
  .or(base36.decoder)
  .or(base36upper.decoder)
  .or(base58btc.decoder)
  .or(base64.decoder)
  .or(base64url.decoder);

/**
 * The CIDv1 that a text names.
 * @throws SharingError `bad_request` for anything but a sha2-256 CID of a raw or dag-pb block
 */
export function parseFileId(text: string): CID {
  const cid = parseCid(text);
  const isFile =
    (cid.code === RAW || cid.code === DAG_PB) &&
    cid.multihash.code === SHA2_256 &&
    cid.multihash.digest.length === DIGEST_BYTES;
  if (!isFile) throw new SharingError("bad_request", "a file id is a sha2-256 CID of a raw or dag-pb block");
  return cid.toV1();
}

/**
 * The text of a file's CID, which is given by its bytes, for one of very many that are kept: what is put together letter by
 * letter, V8 keeps in as many pieces, 1600 bytes in place of 120 (measured).
 */
export function compactFileId(cidBytes: Uint8Array): string {
  return decoder.decode(encoder.encode(base32.encode(cidBytes)));
}

/** A CID in any of its spellings. Throws what is wrong with it as the library says it. */
export function readCid(text: string): CID {
  return text.startsWith("Qm") ? CID.parse(text) : CID.parse(text, anyBase);
}

function parseCid(text: string): CID {
  if (text.length > MAX_FILE_ID_CHARS) throw new SharingError("bad_request", "the file id is too long");
  try {
    return readCid(text);
  } catch (error) {
    throw new SharingError("bad_request", "the file id is not a CID", { cause: error });
  }
}
