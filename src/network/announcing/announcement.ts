/**
 * What an author tells its swarm on the gossip topic `/shoal/<swarm>/announce/1`. Called by the announcer and the
 * gossip side; calls byte-fields. Bytes are frozen in tests/fixtures/formats/v1/announce.json.
 *
 * Gossipsub signs every message (StrictSign), so the author is known and needs no field. An author's catalogue is
 * the files it shares. It starts empty at the author's `epoch` and changes by numbered revisions, each one `add` or
 * `remove` message. `alive` and `hello` tell the current revision and change nothing: who knows a lower one, or
 * does not know the author, asks the author itself (catalogue-protocol). `bye` ends the epoch. `seq` numbers the
 * messages of all kinds within an epoch; a message whose seq is not above the last one heard is a repeat, and does
 * not prove that its author is alive.
 *
 * | field    | kind of field | meaning                                                            |
 * |----------|---------------|--------------------------------------------------------------------|
 * | version  | byte          | 1                                                                  |
 * | kind     | byte          | 1 add, 2 remove, 3 alive, 4 hello, 5 bye                           |
 * | epoch    | varint        | when the author started, milliseconds since 1970                   |
 * | seq      | varint        | number of this message, from 1                                     |
 * | revision | varint        | number of the catalogue after this message                         |
 * | add      |               | varint count 1..100, then entries                                  |
 * | remove   |               | varint count 1..100, then file ids                                 |
 * | alive, hello |           | varint count 0..12, then addresses: blocks of 1..256 bytes, binary multiaddrs |
 * | bye      |               | nothing more                                                       |
 *
 * A file id is 36 raw bytes: 01, codec (55 raw or 70 dag-pb), 12, 20, then the SHA-256. An entry is:
 *
 * | field   | kind of field | meaning                                 |
 * |---------|---------------|-----------------------------------------|
 * | file id | 36 raw bytes  |                                         |
 * | name    | text          | 1 to 240 bytes                          |
 * | size    | varint        | bytes                                   |
 * | chunks  | varint        | 1 to size, or 1 for an empty file       |
 * | flags   | byte          | 1 complete, 0 still being downloaded    |
 */
import { CID } from "multiformats/cid";
import { compactFileId } from "../../sharing/file-id.ts";
import { safeFileName } from "../../sharing/file-name.ts";
import { DAG_PB, DIGEST_BYTES, RAW, SHA2_256 } from "../../sharing/hash.ts";
import { MAX_NAME_BYTES } from "../../sharing/limits.ts";
import type { Announcement } from "../../sharing/ports.ts";
import { ByteReader, ByteWriter, malformed } from "../byte-fields.ts";
import {
  MAX_ADDRESS_BYTES,
  MAX_ANNOUNCEMENT_BYTES,
  MAX_AUTHOR_ADDRESSES,
  MAX_ENTRIES_PER_MESSAGE,
} from "./limits.ts";

/** Where in its history an author is. */
export interface Position {
  epoch: number;
  seq: number;
  revision: number;
}

export type AnnounceMessage = Position &
  (
    | { kind: "add"; files: Announcement[] }
    | { kind: "remove"; fileIds: string[] }
    | { kind: "alive" | "hello"; addresses: Uint8Array[] }
    | { kind: "bye" }
  );

const VERSION = 1;
const KINDS = ["add", "remove", "alive", "hello", "bye"] as const;
const FILE_ID_BYTES = 4 + DIGEST_BYTES;
const MAX_NUMBER = Number.MAX_SAFE_INTEGER;

export function encodeAnnouncement(message: AnnounceMessage): Uint8Array {
  const out = new ByteWriter().byte(VERSION).byte(KINDS.indexOf(message.kind) + 1);
  out.varint(message.epoch).varint(message.seq).varint(message.revision);
  if (message.kind === "add") {
    out.varint(message.files.length);
    for (const file of message.files) writeEntry(out, file);
  } else if (message.kind === "remove") {
    out.varint(message.fileIds.length);
    for (const fileId of message.fileIds) out.raw(CID.parse(fileId).bytes);
  } else if (message.kind !== "bye") {
    writeAddresses(out, message.addresses);
  }
  return out.finish();
}

/** @throws SharingError `protocol_error` */
export function decodeAnnouncement(bytes: Uint8Array): AnnounceMessage {
  if (bytes.byteLength > MAX_ANNOUNCEMENT_BYTES) throw malformed("too long");
  const fields = new ByteReader(bytes);
  const { kind, position } = readHead(fields);
  const message = readBody(fields, kind, position);
  fields.end();
  return message;
}

/** That of a message, whatever else it says. @throws SharingError `protocol_error` */
export function decodePosition(bytes: Uint8Array): Position {
  return readHead(new ByteReader(bytes)).position;
}

function readHead(fields: ByteReader): { kind: (typeof KINDS)[number]; position: Position } {
  if (fields.byte() !== VERSION) throw malformed("unknown version");
  const kind = KINDS[fields.byte() - 1];
  if (kind === undefined) throw malformed("unknown kind");
  const position = {
    epoch: fields.varint(MAX_NUMBER),
    seq: fields.varint(MAX_NUMBER),
    revision: fields.varint(MAX_NUMBER),
  };
  return { kind, position };
}

function readBody(fields: ByteReader, kind: (typeof KINDS)[number], position: Position): AnnounceMessage {
  switch (kind) {
    case "add":
      return { ...position, kind, files: repeat(entryCount(fields), () => readEntry(fields)) };
    case "remove":
      return { ...position, kind, fileIds: repeat(entryCount(fields), () => readFileId(fields)) };
    case "alive":
    case "hello":
      return { ...position, kind, addresses: readAddresses(fields) };
    case "bye":
      return { ...position, kind };
  }
}

function entryCount(fields: ByteReader): number {
  const count = fields.varint(MAX_ENTRIES_PER_MESSAGE);
  if (count === 0) throw malformed("no entries");
  return count;
}

/** Entries as bytes: a catalogue has thousands, and is given to every peer. */
const written = new WeakMap<Announcement, Uint8Array>();

/** Of a file that stays as it is once it was written. */
export function writeEntry(out: ByteWriter, file: Announcement): void {
  let bytes = written.get(file);
  if (bytes === undefined) {
    bytes = new ByteWriter()
      .raw(CID.parse(file.fileId).bytes)
      .text(safeFileName(file.name))
      .varint(file.sizeBytes)
      .varint(file.chunkCount)
      .byte(file.complete ? 1 : 0)
      .finish();
    written.set(file, bytes);
  }
  out.raw(bytes);
}

/** The name comes back made safe, whatever the author sent. */
export function readEntry(fields: ByteReader): Announcement {
  const fileId = readFileId(fields);
  const name = safeFileName(fields.text(MAX_NAME_BYTES));
  const sizeBytes = fields.varint(MAX_NUMBER);
  const chunkCount = fields.varint(Math.max(1, sizeBytes));
  const flags = fields.byte();
  if (chunkCount === 0) throw malformed("no chunks");
  if (flags > 1) throw malformed("unknown flags");
  return { fileId, name, sizeBytes, chunkCount, complete: flags === 1 };
}

export function writeAddresses(out: ByteWriter, addresses: Uint8Array[]): void {
  out.varint(addresses.length);
  for (const address of addresses) out.block(address);
}

export function readAddresses(fields: ByteReader): Uint8Array[] {
  return repeat(fields.varint(MAX_AUTHOR_ADDRESSES), () => {
    const address = fields.block(MAX_ADDRESS_BYTES);
    if (address.byteLength === 0) throw malformed("empty address");
    return address;
  });
}

export function readFileId(fields: ByteReader): string {
  const bytes = fields.raw(FILE_ID_BYTES);
  const [version, codec, hash, hashBytes] = bytes;
  if (
    version !== 1 ||
    (codec !== RAW && codec !== DAG_PB) ||
    hash !== SHA2_256 ||
    hashBytes !== DIGEST_BYTES
  ) {
    throw malformed("not a file id");
  }
  return compactFileId(bytes);
}

function repeat<T>(count: number, read: () => T): T[] {
  return Array.from({ length: count }, read);
}
