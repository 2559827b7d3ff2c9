/**
 * The question which of some files a peer holds and lists nowhere: `/shoal/unlisted/1.0.0`, one stream a question; frames are a
 * varint length, then as many bytes. Called by unlisted; calls byte-fields. Bytes are frozen in
 * tests/fixtures/formats/v1/unlisted.json.
 *
 * | frame    | fields                                                                                            |
 * |----------|---------------------------------------------------------------------------------------------------|
 * | question | byte version 1; text swarm name, 1..64 bytes; varint count 1..64; count marks                     |
 * | answer   | for each mark, in their order: byte 0 not held, or listed; or 1 some of it, 2 all, and a proof    |
 *
 * mark, 32 bytes: SHA-256 of the protocol's name, the peer id of who is asked, and the file id, all as text, with a zero byte
 * between one and the next. Who does not hold the file learns nothing from it, and can't pass the question on to others.
 * proof, 32 bytes: the same of the protocol's name, the peer ids of who is asked and of who asks, and the file id. Without it
 * whoever says yes to everything would be asked for the file, and so learn its id. A node of another swarm holds nothing.
 */
import { sha256 } from "@noble/hashes/sha2.js";
import { equals } from "multiformats/bytes";
import { DIGEST_BYTES } from "../../sharing/hash.ts";
import { MAX_SWARM_NAME_CHARS } from "../../sharing/limits.ts";
import type { Held } from "../../sharing/ports.ts";
import { ByteReader, ByteWriter, malformed } from "../byte-fields.ts";
import { MAX_MARKS_PER_QUESTION } from "./limits.ts";

export const UNLISTED_PROTOCOL = "/shoal/unlisted/1.0.0";

export interface Question {
  swarm: string;
  marks: Uint8Array[];
}

const VERSION = 1;
const ANSWERS = ["none", "some", "all"] as const satisfies Held[];

/** What names the file to that peer, if it knows the file. */
export function markOf(peerId: string, fileId: string): Uint8Array {
  return hashOf(peerId, fileId);
}

/** What shows the asker that the peer knows the file. */
export function proofOf(peerId: string, askerId: string, fileId: string): Uint8Array {
  return hashOf(peerId, askerId, fileId);
}

function hashOf(...parts: string[]): Uint8Array {
  return sha256(new TextEncoder().encode([UNLISTED_PROTOCOL, ...parts].join("\0")));
}

export function encodeQuestion({ swarm, marks }: Question): Uint8Array {
  const out = new ByteWriter().byte(VERSION).text(swarm).varint(marks.length);
  for (const mark of marks) out.raw(mark);
  return out.finish();
}

/** @throws SharingError `protocol_error` */
export function decodeQuestion(bytes: Uint8Array): Question {
  const fields = new ByteReader(bytes);
  if (fields.byte() !== VERSION) throw malformed("unknown version");
  const swarm = fields.text(MAX_SWARM_NAME_CHARS);
  const count = fields.varint(MAX_MARKS_PER_QUESTION);
  if (count === 0) throw malformed("asks for nothing");
  const marks = Array.from({ length: count }, () => fields.raw(DIGEST_BYTES));
  fields.end();
  return { swarm, marks };
}

/** What is held of a file, and the proof of it unless that is nothing. */
export type Answer = { held: "none" } | { held: "some" | "all"; proof: Uint8Array };

export function encodeAnswer(answers: readonly Answer[]): Uint8Array {
  const out = new ByteWriter();
  for (const answer of answers) {
    out.byte(ANSWERS.indexOf(answer.held));
    if (answer.held !== "none") out.raw(answer.proof);
  }
  return out.finish();
}

/** What is held of each file, to which these are the proofs. @throws SharingError `protocol_error` (also for a wrong proof) */
export function decodeAnswer(bytes: Uint8Array, proofs: readonly Uint8Array[]): Held[] {
  const fields = new ByteReader(bytes);
  const answers = proofs.map((proof) => {
    const held = ANSWERS[fields.byte()];
    if (held === undefined) throw malformed("unknown answer");
    if (held !== "none" && !equals(fields.raw(DIGEST_BYTES), proof)) throw malformed("no proof");
    return held;
  });
  fields.end();
  return answers;
}
