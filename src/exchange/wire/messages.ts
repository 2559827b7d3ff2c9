/**
 * The messages of `/shoal/exchange/1.0.0` as bytes; the README of the exchange tells the conversation.
 * Called by frames (decoding), asking and serving (encoding). Decoding throws `protocol_error` and nothing else.
 *
 * Frame:  length varint (1..65552: type and body) | type 1 byte | body
 * Ids and sizes are varints (varint.ts); a digest is 32 bytes of sha2-256; no body has bytes left over.
 *
 * | type | name       | from   | body                                                                  |
 * |------|------------|--------|-----------------------------------------------------------------------|
 * | 0x01 | WANT       | asker  | requestId, priority 1 byte (0..2), maxBytes, codec, digest            |
 * | 0x02 | CANCEL     | asker  | requestId                                                             |
 * | 0x03 | WATCH      | asker  | watchId, chunkCount (1..1048576), codec, digest of the file id        |
 * | 0x04 | UNWATCH    | asker  | watchId                                                               |
 * | 0x11 | BLOCK      | server | requestId, sizeBytes: so many bytes follow in DATA                    |
 * | 0x12 | DATA       | server | requestId, 1..65536 bytes: the block's next ones                      |
 * | 0x13 | MISSING    | server | requestId                                                             |
 * | 0x14 | CANCELLED  | server | requestId: nothing more comes for it                                  |
 * | 0x21 | HAVE_ALL   | server | watchId                                                               |
 * | 0x22 | HAVE_NONE  | server | watchId                                                               |
 * | 0x23 | HAVE_FIELD | server | watchId, offset in bytes, 1..8192 bytes that replace the field's there|
 * | 0x24 | HAVE_RUNS  | server | watchId, then runs: gap since the last run's end, count (1..)         |
 * | 0x25 | WATCH_END  | server | watchId: nothing more comes for it                                    |
 * | 0x81 | TICKET_ASK | asker  | nothing: a side stream could be opened with a ticket                  |
 * | 0x82 | SIDE_BEGIN | asker  | nothing: requests behind it are answered on the side stream           |
 * | 0x83 | SIDE_END   | asker  | nothing: requests behind it are answered on this stream again         |
 * | 0x84 | POST_TICKET| asker  | 16 bytes with which answers of this conversation can be posted        |
 * | 0x85 | PRIORITY   | asker  | requestId, priority 1 byte (0..2): how urgent it is from now on       |
 * | 0x91 | TICKET     | server | 16 bytes that open a side stream                                      |
 * | 0x92 | SIDE_OPEN  | server | nothing: the first frame of a side stream                             |
 * | 0x93 | POST_ASK   | server | nothing: answers could be posted with a ticket                        |
 * | 0x94 | UNPOSTED   | server | requestId: its answer was posted, and may not have come whole         |
 * | 0x80 and up | optional | either | skipped by whoever does not know it; any other type is an error |
 */
import { SharingError } from "../../sharing/errors.ts";
import { DIGEST_BYTES } from "../../sharing/hash.ts";
import { MAX_CHUNKS } from "../../sharing/limits.ts";
import type { Priority } from "../../sharing/ports.ts";
import { FIELD_PIECE_BYTES, MAX_BLOCK_BYTES, MAX_HAVE_INDEXES, TICKET_BYTES } from "../limits.ts";
import { FieldReader } from "./field-reader.ts";
import { varintBytes, writeVarint } from "./varint.ts";

export const DATA_TYPE = 0x12;
export const FIRST_OPTIONAL_TYPE = 0x80;

const TYPES = {
  want: 0x01,
  cancel: 0x02,
  watch: 0x03,
  unwatch: 0x04,
  block: 0x11,
  missing: 0x13,
  cancelled: 0x14,
  have_all: 0x21,
  have_none: 0x22,
  have_field: 0x23,
  have_runs: 0x24,
  watch_end: 0x25,
  ticket_ask: 0x81,
  side_begin: 0x82,
  side_end: 0x83,
  post_ticket: 0x84,
  priority: 0x85,
  ticket: 0x91,
  side_open: 0x92,
  post_ask: 0x93,
  unposted: 0x94,
} as const;
const NAMES = new Map<number, keyof typeof TYPES>(
  Object.entries(TYPES).map(([name, type]) => [type, name as keyof typeof TYPES]),
);

/** The priority of what somebody waits for now. */
export const READER_WAITS = 2;

export interface ChunkRun {
  start: number;
  count: number;
}
export interface WantMessage {
  type: "want";
  requestId: number;
  priority: Priority;
  maxBytes: number;
  codec: number;
  digest: Uint8Array;
}
export interface WatchMessage {
  type: "watch";
  watchId: number;
  chunkCount: number;
  codec: number;
  digest: Uint8Array;
}
export type HaveMessage =
  | { type: "have_all"; watchId: number }
  | { type: "have_none"; watchId: number }
  | { type: "have_field"; watchId: number; offsetBytes: number; bits: Uint8Array }
  | { type: "have_runs"; watchId: number; runs: ChunkRun[] };
/** Every message but DATA, whose payload is never collected. */
export type Message =
  | WantMessage
  | WatchMessage
  | HaveMessage
  | { type: "cancel" | "missing" | "cancelled" | "unposted"; requestId: number }
  | { type: "priority"; requestId: number; priority: Priority }
  | { type: "block"; requestId: number; sizeBytes: number }
  | { type: "unwatch" | "watch_end"; watchId: number }
  | { type: "ticket"; ticket: Uint8Array }
  | { type: "post_ticket"; ticket: Uint8Array }
  | { type: "ticket_ask" | "side_begin" | "side_end" | "side_open" | "post_ask" };

/** Which of two requests is answered first: the more urgent, and of equals the older. */
export function byUrgency(a: WantMessage, b: WantMessage): number {
  return b.priority - a.priority || a.requestId - b.requestId;
}

export function isKnownType(type: number): boolean {
  return NAMES.has(type);
}

/** The whole frame, length included. */
export function encodeMessage(message: Message): Uint8Array {
  switch (message.type) {
    case "want": {
      const { requestId, priority, maxBytes, codec, digest } = message;
      return frame(TYPES.want, [requestId, priority, maxBytes, codec], digest);
    }
    case "watch":
      return frame(TYPES.watch, [message.watchId, message.chunkCount, message.codec], message.digest);
    case "priority":
      return frame(TYPES.priority, [message.requestId, message.priority]);
    case "block":
      return frame(TYPES.block, [message.requestId, message.sizeBytes]);
    case "cancel":
    case "missing":
    case "cancelled":
    case "unposted":
      return frame(TYPES[message.type], [message.requestId]);
    case "have_field":
      return frame(TYPES.have_field, [message.watchId, message.offsetBytes], message.bits);
    case "have_runs":
      return frame(TYPES.have_runs, [message.watchId, ...runNumbers(message.runs)]);
    case "ticket":
    case "post_ticket":
      return frame(TYPES[message.type], [], message.ticket);
    case "ticket_ask":
    case "side_begin":
    case "side_end":
    case "side_open":
    case "post_ask":
      return frame(TYPES[message.type], []);
    default:
      return frame(TYPES[message.type], [message.watchId]);
  }
}

/** What goes before the payload of a DATA frame. */
export function encodeDataHeader(requestId: number, payloadBytes: number): Uint8Array {
  const bodyBytes = 1 + varintBytes(requestId) + payloadBytes;
  const header = new Uint8Array(varintBytes(bodyBytes) + 1 + varintBytes(requestId));
  const at = writeVarint(bodyBytes, header, 0);
  header[at] = DATA_TYPE;
  writeVarint(requestId, header, at + 1);
  return header;
}

function frame(type: number, numbers: number[], tail: Uint8Array = new Uint8Array(0)): Uint8Array {
  const bodyBytes = numbers.reduce((sum, number) => sum + varintBytes(number), 1 + tail.length);
  const bytes = new Uint8Array(varintBytes(bodyBytes) + bodyBytes);
  let at = writeVarint(bodyBytes, bytes, 0);
  bytes[at] = type;
  at += 1;
  for (const number of numbers) at = writeVarint(number, bytes, at);
  bytes.set(tail, at);
  return bytes;
}

function runNumbers(runs: ChunkRun[]): number[] {
  let end = 0;
  return runs.flatMap(({ start, count }) => {
    const gap = start - end;
    end = start + count;
    return [gap, count];
  });
}

/** Reads the body of a known type. The result holds views of `body`. @throws SharingError `protocol_error` */
export function decodeMessage(type: number, body: Uint8Array): Message {
  const name = NAMES.get(type);
  if (name === undefined) throw new SharingError("protocol_error", `unknown message type ${type}`);
  const reader = new FieldReader(body);
  const message = decodeBody(name, reader);
  reader.end();
  return message;
}

function decodeBody(name: keyof typeof TYPES, body: FieldReader): Message {
  switch (name) {
    case "want":
      return {
        type: name,
        requestId: body.number(),
        priority: readPriority(body),
        maxBytes: body.number(0, MAX_BLOCK_BYTES),
        codec: body.number(),
        digest: body.bytes(DIGEST_BYTES, DIGEST_BYTES),
      };
    case "watch":
      return {
        type: name,
        watchId: body.number(),
        chunkCount: body.number(1, MAX_CHUNKS),
        codec: body.number(),
        digest: body.bytes(DIGEST_BYTES, DIGEST_BYTES),
      };
    case "priority":
      return { type: name, requestId: body.number(), priority: readPriority(body) };
    case "block":
      return { type: name, requestId: body.number(), sizeBytes: body.number(0, MAX_BLOCK_BYTES) };
    case "cancel":
    case "missing":
    case "cancelled":
    case "unposted":
      return { type: name, requestId: body.number() };
    case "have_field":
      return {
        type: name,
        watchId: body.number(),
        offsetBytes: body.number(0, MAX_CHUNKS / 8),
        bits: body.bytes(1, FIELD_PIECE_BYTES),
      };
    case "have_runs":
      return { type: name, watchId: body.number(), runs: decodeRuns(body) };
    case "ticket":
    case "post_ticket":
      return { type: name, ticket: body.bytes(TICKET_BYTES, TICKET_BYTES) };
    case "ticket_ask":
    case "side_begin":
    case "side_end":
    case "side_open":
    case "post_ask":
      return { type: name };
    default:
      return { type: name, watchId: body.number() };
  }
}

function readPriority(body: FieldReader): Priority {
  return body.number(0, READER_WAITS) as Priority;
}

function decodeRuns(body: FieldReader): ChunkRun[] {
  const runs: ChunkRun[] = [];
  let end = 0;
  let indexCount = 0;
  do {
    const start = end + body.number();
    const count = body.number(1);
    end = start + count;
    indexCount += count;
    if (end > MAX_CHUNKS || indexCount > MAX_HAVE_INDEXES) {
      throw new SharingError("protocol_error", "too many chunk indexes");
    }
    runs.push({ start, count });
  } while (body.restBytes > 0);
  return runs;
}
