/** Values that the conformance suite knows beforehand. */
import { base16, base16upper } from "multiformats/bases/base16";
import { base32upper } from "multiformats/bases/base32";
import { base36, base36upper } from "multiformats/bases/base36";
import { base58btc } from "multiformats/bases/base58";
import { base64url } from "multiformats/bases/base64";
import { CID } from "multiformats/cid";

const HELLO_CID = CID.parse("bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e");

/** A raw file of 11 bytes has this id under the profile unixfs-v1-2025. */
export const HELLO = {
  text: "hello world",
  id: HELLO_CID.toString(),
  /** The same id as tools of IPFS may write it. */
  spellings: [
    HELLO_CID.toString(),
    ...[base32upper, base16, base16upper, base36, base36upper, base58btc, base64url].map((base) =>
      HELLO_CID.toString(base),
    ),
  ],
};

export const MIB = 1024 * 1024;
export const ISO_UTC = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{3})?Z$/;

/** Wait for what another peer has just begun to offer. */
export const HEARD_WITHIN_MS = 30_000;
