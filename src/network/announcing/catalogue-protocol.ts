/**
 * Asking an author for its whole catalogue: `/shoal/catalogue/1.0.0`, on a stream of its own. Called by
 * catalogue-sync (asking) and the swarm (serving); calls announcement's fields.
 *
 * It is asked for as asked-pages tells, in frames of at most 64 KiB; the answer begins with a header that says where the
 * author is. The asking side closes once it has `count` entries. A node of another swarm answers with status 1 and closes.
 *
 * | frame   | fields                                                                                         |
 * |---------|------------------------------------------------------------------------------------------------|
 * | header  | byte status 0; varints epoch, seq, revision, count 0..10,000; addresses as in an announcement   |
 * | refusal | byte status 1                                                                                  |
 * | page    | varint count 1..200, then entries as in an announcement                                        |
 */
import type { Stream } from "@libp2p/interface";
import { lpStream } from "@libp2p/utils";
import type { Announcement } from "../../sharing/ports.ts";
import { encodeAsk, type Frames, framesOfAsker, NEXT, readAsk, readNext } from "../asked-pages.ts";
import { ByteReader, ByteWriter, malformed } from "../byte-fields.ts";
import { orAborted } from "../or-aborted.ts";
import type { UntilTurn } from "../stream-turns.ts";
import { type Position, readAddresses, readEntry, writeAddresses, writeEntry } from "./announcement.ts";
import {
  CATALOGUE_TIMEOUT_MS,
  MAX_CATALOGUE_FRAME_BYTES,
  MAX_ENTRIES_PER_PAGE,
  MAX_FILES_PER_AUTHOR,
} from "./limits.ts";

export const CATALOGUE_PROTOCOL = "/shoal/catalogue/1.0.0";

export interface Catalogue extends Position {
  files: Announcement[];
  addresses: Uint8Array[];
}

const OK = 0;
const OTHER_SWARM = 1;
const MAX_NUMBER = Number.MAX_SAFE_INTEGER;

/**
 * The catalogue, or undefined when the peer is of another swarm. `onPage` is called for each page that is full: a peer
 * could bring an entry at a time.
 * @throws SharingError `protocol_error`; what the stream throws when it breaks
 */
export async function askCatalogue(
  stream: Stream,
  swarm: string,
  signal: AbortSignal,
  onPage = () => {},
): Promise<Catalogue | undefined> {
  return orAborted(stream, async () => {
    const frames = lpStream(stream, { maxDataLength: MAX_CATALOGUE_FRAME_BYTES });
    await frames.write(encodeAsk(swarm), { signal });
    const header = readHeader((await frames.read({ signal })).subarray());
    const files: Announcement[] = [];
    while (header !== undefined && files.length < header.count) {
      await frames.write(NEXT, { signal });
      const page = readPage((await frames.read({ signal })).subarray(), header.count - files.length);
      files.push(...page);
      if (page.length === MAX_ENTRIES_PER_PAGE) onPage();
    }
    await stream.close({ signal });
    return header && { ...header.position, files, addresses: header.addresses };
  });
}

/** Answers one stream. @throws SharingError `protocol_error`; what the stream throws when it breaks */
export async function serveCatalogue(
  stream: Stream,
  swarm: string,
  take: () => Catalogue,
  untilTurn: UntilTurn,
): Promise<void> {
  const signal = AbortSignal.timeout(CATALOGUE_TIMEOUT_MS);
  return orAborted(stream, async () => {
    const frames = framesOfAsker(stream);
    if (await readAsk(frames, swarm, signal)) {
      await untilTurn(signal);
      await giveCatalogue(frames, take(), untilTurn, signal);
    } else {
      await frames.write(Uint8Array.of(OTHER_SWARM), { signal });
    }
    await stream.close({ signal });
  });
}

async function giveCatalogue(
  frames: Frames,
  catalogue: Catalogue,
  untilTurn: UntilTurn,
  signal: AbortSignal,
): Promise<void> {
  await frames.write(encodeHeader(catalogue), { signal });
  for (let at = 0; at < catalogue.files.length; at += MAX_ENTRIES_PER_PAGE) {
    await readNext(frames, signal);
    await untilTurn(signal);
    await frames.write(encodePage(catalogue.files.slice(at, at + MAX_ENTRIES_PER_PAGE)), { signal });
  }
}

export function encodeHeader(catalogue: Catalogue): Uint8Array {
  const out = new ByteWriter()
    .byte(OK)
    .varint(catalogue.epoch)
    .varint(catalogue.seq)
    .varint(catalogue.revision);
  writeAddresses(out.varint(catalogue.files.length), catalogue.addresses);
  return out.finish();
}

/** Undefined for a refusal. */
export function readHeader(bytes: Uint8Array) {
  const fields = new ByteReader(bytes);
  const status = fields.byte();
  if (status === OTHER_SWARM) return undefined;
  if (status !== OK) throw malformed("unknown status");
  const position: Position = {
    epoch: fields.varint(MAX_NUMBER),
    seq: fields.varint(MAX_NUMBER),
    revision: fields.varint(MAX_NUMBER),
  };
  const count = fields.varint(MAX_FILES_PER_AUTHOR);
  const addresses = readAddresses(fields);
  fields.end();
  return { position, count, addresses };
}

export function encodePage(files: Announcement[]): Uint8Array {
  const out = new ByteWriter().varint(files.length);
  for (const file of files) writeEntry(out, file);
  return out.finish();
}

export function readPage(bytes: Uint8Array, mostLeft: number): Announcement[] {
  const fields = new ByteReader(bytes);
  const count = fields.varint(Math.min(MAX_ENTRIES_PER_PAGE, mostLeft));
  if (count === 0) throw malformed("an empty page");
  const files = Array.from({ length: count }, () => readEntry(fields));
  fields.end();
  return files;
}
