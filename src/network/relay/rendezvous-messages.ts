/**
 * The question who of the same swarm is connected to a relay: `/shoal/rendezvous/1.0.0`, one stream a question; frames are a
 * varint length, then as many bytes. Called by rendezvous; calls announcement. Bytes are frozen in
 * tests/fixtures/formats/v1/rendezvous.json.
 *
 * | frame    | fields                                                                                              |
 * |----------|-----------------------------------------------------------------------------------------------------|
 * | question | byte version 1; 32 bytes: SHA-256 of the protocol's name, a zero byte and the swarm's name, as text  |
 * | answer   | byte 0, varint count 0..16, then so many peers; or byte 1: the relay itself is of this swarm         |
 *
 * A peer is its id as text, 1..64 bytes, and addresses as in an announcement.
 *
 * By asking, a node lets itself be named to others that ask with the same hash, for as long as it is connected. The
 * relay learns no name that it can't guess.
 */
import { peerIdFromString } from "@libp2p/peer-id";
import { sha256 } from "@noble/hashes/sha2.js";
import { DIGEST_BYTES } from "../../sharing/hash.ts";
import { readAddresses, writeAddresses } from "../announcing/announcement.ts";
import { ByteReader, ByteWriter, malformed } from "../byte-fields.ts";
import { MAX_NAMED_ID_CHARS, MAX_PEERS_NAMED } from "./limits.ts";

export const RENDEZVOUS_PROTOCOL = "/shoal/rendezvous/1.0.0";

/** A peer, and binary multiaddrs that it told the relay. */
export interface Named {
  peerId: string;
  addresses: Uint8Array[];
}

const VERSION = 1;
const NAMED = 0;
const OWN_SWARM = 1;

/** What is said of a swarm in place of its name. */
export function swarmHash(swarm: string): Uint8Array {
  return sha256(new TextEncoder().encode(`${RENDEZVOUS_PROTOCOL}\0${swarm}`));
}

export function encodeRendezvousQuestion(hash: Uint8Array): Uint8Array {
  return new ByteWriter().byte(VERSION).raw(hash).finish();
}

/** The swarm's hash. @throws SharingError `protocol_error` */
export function decodeRendezvousQuestion(bytes: Uint8Array): Uint8Array {
  const fields = new ByteReader(bytes);
  if (fields.byte() !== VERSION) throw malformed("unknown version");
  const hash = fields.raw(DIGEST_BYTES);
  fields.end();
  return hash;
}

/** `named`: undefined where the relay is of that swarm. */
export function encodeRendezvousAnswer(named: readonly Named[] | undefined): Uint8Array {
  if (named === undefined) return Uint8Array.of(OWN_SWARM);
  const out = new ByteWriter().byte(NAMED).varint(named.length);
  for (const { peerId, addresses } of named) writeAddresses(out.text(peerId), addresses);
  return out.finish();
}

/** @throws SharingError `protocol_error` */
export function decodeRendezvousAnswer(bytes: Uint8Array): Named[] | undefined {
  const fields = new ByteReader(bytes);
  const kind = fields.byte();
  if (kind !== NAMED && kind !== OWN_SWARM) throw malformed("unknown answer");
  const count = kind === NAMED ? fields.varint(MAX_PEERS_NAMED) : 0;
  const named = Array.from({ length: count }, () => ({
    peerId: readPeerId(fields),
    addresses: readAddresses(fields),
  }));
  fields.end();
  return kind === NAMED ? named : undefined;
}

function readPeerId(fields: ByteReader): string {
  const text = fields.text(MAX_NAMED_ID_CHARS);
  try {
    return peerIdFromString(text).toString();
  } catch {
    // The library's errors for what is no peer id are of many kinds.
    throw malformed("no peer id");
  }
}
