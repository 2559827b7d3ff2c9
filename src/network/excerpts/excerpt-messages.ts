/**
 * What files are about, as their holders tell: on the gossip topic `/shoal/<swarm>/excerpts/1`, and page by page in
 * excerpt-protocol. Called by both; calls byte-fields. Bytes are frozen in tests/fixtures/formats/v1/excerpts.json.
 *
 * A file id names its bytes, so an excerpt that was true stays true: messages have no order. They stand apart from
 * announcements, which older nodes read, and which are heard before a document has been read.
 *
 * | field   | kind of field | meaning                                                                              |
 * |---------|---------------|--------------------------------------------------------------------------------------|
 * | version | byte          | 1                                                                                    |
 * | count   | varint        | 1..80, then as many entries                                                          |
 * | entry   |               | file id, 36 raw bytes as in an announcement; text, 0..320 bytes, empty: nothing is told |
 */
import { CID } from "multiformats/cid";
import { cutToBytes } from "../../sharing/file-name.ts";
import { tidy } from "../../sharing/tidy.ts";
import { readFileId } from "../announcing/announcement.ts";
import { ByteReader, ByteWriter, malformed } from "../byte-fields.ts";
import { MAX_EXCERPT_BYTES, MAX_EXCERPT_MESSAGE_BYTES, MAX_EXCERPTS_PER_MESSAGE } from "./limits.ts";

const VERSION = 1;

export interface Excerpt {
  readonly fileId: string;
  readonly text: string;
}

/** One line that is safe to show, and fits; what does not ends with a word where one ends near. */
export function safeExcerpt(text: string): string {
  const line = tidy(text.slice(0, MAX_EXCERPT_BYTES * 4), MAX_EXCERPT_BYTES);
  return tidy(line, cutToBytes(line, MAX_EXCERPT_BYTES).length);
}

/** Entries as bytes: a node may have thousands, and each peer asks for them. */
const written = new WeakMap<Excerpt, Uint8Array>();

/** At most MAX_EXCERPTS_PER_MESSAGE of them. */
export function encodeExcerpts(excerpts: readonly Excerpt[]): Uint8Array {
  const out = new ByteWriter().byte(VERSION).varint(excerpts.length);
  for (const excerpt of excerpts) out.raw(entryOf(excerpt));
  return out.finish();
}

function entryOf(excerpt: Excerpt): Uint8Array {
  const known = written.get(excerpt);
  if (known !== undefined) return known;
  const entry = new ByteWriter()
    .raw(CID.parse(excerpt.fileId).bytes)
    .text(safeExcerpt(excerpt.text))
    .finish();
  written.set(excerpt, entry);
  return entry;
}

/** Texts come back made safe, whatever was sent. @throws SharingError `protocol_error` */
export function decodeExcerpts(bytes: Uint8Array): Excerpt[] {
  if (bytes.byteLength > MAX_EXCERPT_MESSAGE_BYTES) throw malformed("too long");
  const fields = new ByteReader(bytes);
  if (fields.byte() !== VERSION) throw malformed("unknown version");
  const count = fields.varint(MAX_EXCERPTS_PER_MESSAGE);
  if (count === 0) throw malformed("no entries");
  const excerpts = Array.from({ length: count }, () => ({
    fileId: readFileId(fields),
    text: safeExcerpt(fields.text(MAX_EXCERPT_BYTES)),
  }));
  fields.end();
  return excerpts;
}
