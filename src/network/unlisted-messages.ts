/**
 * The question which of some files a peer holds and lists nowhere: `/shoal/unlisted/1.0.0`, one stream a question; frames are a
 * varint length, then as many bytes. Called by unlisted; calls byte-fields. Bytes are frozen in
 * tests/fixtures/formats/v1/unlisted.json.
 *
 * | frame    | fields                                                                                            |
 * |----------|---------------------------------------------------------------------------------------------------|
 * | question | byte version 1; text swarm name, 1..64 bytes; varint count 1..64; count marks                     |
 * | answer   | a byte for each mark, in their order: 0 not held, or listed; 1 some of it; 2 all; none: other swarm |
 *
 * mark, 32 bytes: SHA-256 of the protocol's name, the peer id of who is asked, and the file id, both as text, with a zero byte
 * between one and the next. Who does not hold the file learns nothing from it, and can't pass the question on to others.
 */
import { sha256 } from "@noble/hashes/sha2.js";
import type { Held } from "../sharing/ports.ts";
import { ByteReader, ByteWriter, malformed } from "./byte-fields.ts";
import { MAX_MARKS_PER_QUESTION, MAX_SWARM_NAME_CHARS } from "./limits.ts";

export const UNLISTED_PROTOCOL = "/shoal/unlisted/1.0.0";

export interface Question {
  swarm: string;
  marks: Uint8Array[];
}

const VERSION = 1;
const MARK_BYTES = 32;
const ANSWERS = ["none", "some", "all"] as const satisfies Held[];

/** What names the file to that peer, if it knows the file. */
export function markOf(peerId: string, fileId: string): Uint8Array {
  return sha256(new TextEncoder().encode([UNLISTED_PROTOCOL, peerId, fileId].join("\0")));
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
  const marks = Array.from({ length: count }, () => fields.raw(MARK_BYTES));
  fields.end();
  return { swarm, marks };
}

export function encodeAnswer(answers: readonly Held[]): Uint8Array {
  return Uint8Array.from(answers, (held) => ANSWERS.indexOf(held));
}

/** For each of `count` marks how much of it is held. @throws SharingError `protocol_error` */
export function decodeAnswer(bytes: Uint8Array, count: number): Held[] {
  if (bytes.byteLength === 0) return new Array<Held>(count).fill("none");
  if (bytes.byteLength !== count) throw malformed("not an answer to each");
  return Array.from(bytes, (byte) => {
    const held = ANSWERS[byte];
    if (held === undefined) throw malformed("unknown answer");
    return held;
  });
}
