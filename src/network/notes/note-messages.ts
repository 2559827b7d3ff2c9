/**
 * A note to one peer: what this node is called, or a file that it invites the peer to download. `/shoal/notes/1.0.0`, one
 * stream a note; frames are a varint length, then as many bytes. Called by notes; calls announcement. Bytes are frozen in
 * tests/fixtures/formats/v1/notes.json.
 *
 * | field      | kind of field | meaning                                              |
 * |------------|---------------|------------------------------------------------------|
 * | version    | byte          | 1                                                    |
 * | kind       | byte          | 1 name, 2 invitation                                 |
 * | swarm      | text          | name of the swarm, 1..64 bytes                       |
 * | name       | text          | 0..192 bytes, what people call the sender           |
 * | invitation |               | an entry, as in an announcement                      |
 *
 * The answer is one frame of one byte: 1 taken, 0 not taken. Who is of another swarm, or was told too much of late,
 * takes nothing; nor need a node be invited.
 */
import { MAX_SWARM_NAME_CHARS } from "../../sharing/limits.ts";
import { isNodeName } from "../../sharing/node-name.ts";
import type { Announcement } from "../../sharing/ports.ts";
import { readEntry, writeEntry } from "../announcing/announcement.ts";
import { ByteReader, ByteWriter, malformed } from "../byte-fields.ts";
import { MAX_NODE_NAME_BYTES } from "./limits.ts";

export const NOTE_PROTOCOL = "/shoal/notes/1.0.0";

export type Note = { swarm: string } & (
  | { kind: "name"; name: string }
  | { kind: "invitation"; file: Announcement }
);

const VERSION = 1;
const KINDS = ["name", "invitation"] as const;

export function encodeNote(note: Note): Uint8Array {
  const out = new ByteWriter()
    .byte(VERSION)
    .byte(KINDS.indexOf(note.kind) + 1)
    .text(note.swarm);
  if (note.kind === "name") out.text(note.name);
  else writeEntry(out, note.file);
  return out.finish();
}

/** @throws SharingError `protocol_error` */
export function decodeNote(bytes: Uint8Array): Note {
  const fields = new ByteReader(bytes);
  if (fields.byte() !== VERSION) throw malformed("unknown version");
  const kind = KINDS[fields.byte() - 1];
  if (kind === undefined) throw malformed("unknown kind");
  const swarm = fields.text(MAX_SWARM_NAME_CHARS);
  const note: Note =
    kind === "name" ? { swarm, kind, name: readName(fields) } : { swarm, kind, file: readEntry(fields) };
  fields.end();
  return note;
}

function readName(fields: ByteReader): string {
  const name = fields.text(MAX_NODE_NAME_BYTES);
  if (!isNodeName(name)) throw malformed("no name of a node");
  return name;
}
