/**
 * What passes over the port: its meaning, and the check of every frame that comes in. Used by asking and answering.
 *
 * Two ends share a port. The asking end sends requests, the answering end answers them; both ends first send `hello`
 * with the versions they speak, and the highest that both speak is used. A request has an id, which the asking end
 * counts upwards, and every later frame of its exchange carries it, so that many run at once. A body follows its head
 * as `chunk` frames and ends in one `end` or `broken`. Its sender may send as many bytes as the receiver has granted:
 * 1 MiB to begin with, then what `credit` frames add, at most 1 MiB unread at a time. Frames of an exchange that is
 * over are passed over, since they may have crossed its end; anything else out of order ends the port.
 *
 * | type     | sent by   | fields                                 | meaning |
 * |----------|-----------|----------------------------------------|---------|
 * | hello    | both      | oldest, newest, name                   | versions spoken, and who speaks; the first frame of each end |
 * | request  | asking    | id, method, url, headers, body, client | body: null, a Blob, or "stream": chunks follow |
 * | response | answering | id, status, statusText, headers, body  | body: null or "stream" |
 * | error    | answering | id, name, message                      | there will be no response |
 * | chunk    | both      | id, bytes                              | 1 to 262144 bytes of the sender's body |
 * | end      | both      | id                                     | the sender's body is whole |
 * | broken   | both      | id, name, message                      | the sender's body ends early |
 * | credit   | both      | id, bytes                              | bytes more that the other end's body may send |
 * | enough   | answering | id                                     | the rest of the request's body is not wanted |
 * | abort    | asking    | id                                     | nothing of this exchange is wanted any more |
 * | ping     | both      |                                        | is anybody there |
 * | pong     | both      |                                        | yes |
 * | bye      | both      | name, message                          | this end is gone; the port is closed |
 *
 * Headers are a list of [name, value]. Numbers are safe integers. Frames are cloned, buffers of chunks transferred.
 */
import { BridgeError } from "./bridge-error.ts";
import {
  MAX_CHUNK_BYTES,
  MAX_HEADER_FIELDS,
  MAX_HEADERS_CHARS,
  MAX_REQUEST_URL_CHARS,
  MAX_TEXT_CHARS,
  WINDOW_BYTES,
} from "./limits.ts";

/** Versions that this code speaks. */
export const OLDEST_VERSION = 1;
export const NEWEST_VERSION = 1;

export type HeaderList = [name: string, value: string][];

export interface RequestFrame {
  type: "request";
  id: number;
  method: string;
  url: string;
  headers: HeaderList;
  body: null | Blob | "stream";
  /** Whom the answering side counts the request for: the id of the page that made it. */
  client: string;
}

export interface ResponseFrame {
  type: "response";
  id: number;
  status: number;
  statusText: string;
  headers: HeaderList;
  body: null | "stream";
}

/** Frames of a body, and of those who read it. */
export type BodyFrame =
  | { type: "chunk"; id: number; bytes: Uint8Array<ArrayBuffer> }
  | { type: "end"; id: number }
  | { type: "broken"; id: number; name: string; message: string }
  | { type: "credit"; id: number; bytes: number };

export type Frame =
  | { type: "hello"; oldest: number; newest: number; name: string }
  | RequestFrame
  | ResponseFrame
  | { type: "error"; id: number; name: string; message: string }
  | BodyFrame
  | { type: "enough"; id: number }
  | { type: "abort"; id: number }
  | { type: "ping" }
  | { type: "pong" }
  | { type: "bye"; name: string; message: string };

type Fields = Record<string, unknown>;
type Readers = { [T in Frame["type"]]: (fields: Fields) => Extract<Frame, { type: T }> };

const READERS: Readers = {
  hello: (f) => ({
    type: "hello",
    oldest: count(f.oldest, 1),
    newest: count(f.newest, 1),
    name: text(f.name),
  }),
  request: (f) => ({
    type: "request",
    id: count(f.id, 1),
    method: text(f.method),
    url: text(f.url, MAX_REQUEST_URL_CHARS),
    headers: headers(f.headers),
    body: f.body instanceof Blob ? f.body : bodyMark(f.body),
    client: text(f.client),
  }),
  response: (f) => ({
    type: "response",
    id: count(f.id, 1),
    status: count(f.status, 200, 599),
    statusText: text(f.statusText),
    headers: headers(f.headers),
    body: bodyMark(f.body),
  }),
  error: (f) => ({ type: "error", id: count(f.id, 1), name: text(f.name), message: text(f.message) }),
  chunk: (f) => ({ type: "chunk", id: count(f.id, 1), bytes: chunkBytes(f.bytes) }),
  end: (f) => ({ type: "end", id: count(f.id, 1) }),
  broken: (f) => ({ type: "broken", id: count(f.id, 1), name: text(f.name), message: text(f.message) }),
  credit: (f) => ({ type: "credit", id: count(f.id, 1), bytes: count(f.bytes, 1, WINDOW_BYTES) }),
  enough: (f) => ({ type: "enough", id: count(f.id, 1) }),
  abort: (f) => ({ type: "abort", id: count(f.id, 1) }),
  ping: () => ({ type: "ping" }),
  pong: () => ({ type: "pong" }),
  bye: (f) => ({ type: "bye", name: text(f.name), message: text(f.message) }),
};

/** @throws BridgeError `protocol_error` for anything that is no frame */
export function readFrame(data: unknown): Frame {
  if (typeof data !== "object" || data === null) throw broken("a frame is an object");
  const fields = data as Fields;
  const { type } = fields;
  if (typeof type !== "string" || !Object.hasOwn(READERS, type)) throw broken("a frame of an unknown type");
  return READERS[type as Frame["type"]](fields);
}

/** A text as long as a frame may carry. */
export function cutText(value: string): string {
  return value.slice(0, MAX_TEXT_CHARS);
}

/** Whether a head is within what the other end takes. */
export function fits(headers: HeaderList, url = "", method = ""): boolean {
  const chars = headers.reduce((sum, [name, value]) => sum + name.length + value.length, 0);
  const areHeadersShort = headers.length <= MAX_HEADER_FIELDS && chars <= MAX_HEADERS_CHARS;
  return areHeadersShort && url.length <= MAX_REQUEST_URL_CHARS && method.length <= MAX_TEXT_CHARS;
}

export function broken(what: string): BridgeError {
  return new BridgeError("protocol_error", `The bridge's other end broke its rules: ${what}`);
}

function count(value: unknown, least: number, most = Number.MAX_SAFE_INTEGER): number {
  if (Number.isSafeInteger(value) && (value as number) >= least && (value as number) <= most) {
    return value as number;
  }
  throw broken(`a number is not within ${least} and ${most}`);
}

function text(value: unknown, mostChars = MAX_TEXT_CHARS): string {
  if (typeof value === "string" && value.length <= mostChars) return value;
  throw broken("a text is none, or too long");
}

function bodyMark(value: unknown): null | "stream" {
  if (value === null || value === "stream") return value;
  throw broken("a body is neither null nor a stream");
}

function headers(value: unknown): HeaderList {
  if (!Array.isArray(value) || value.length > MAX_HEADER_FIELDS) throw broken("headers are no list");
  const list: HeaderList = value.map((field: unknown) => {
    if (!Array.isArray(field) || field.length !== 2) throw broken("a header is no pair");
    return [text(field[0], MAX_HEADERS_CHARS), text(field[1], MAX_HEADERS_CHARS)];
  });
  if (!fits(list)) throw broken("headers are too long");
  return list;
}

function chunkBytes(value: unknown): Uint8Array<ArrayBuffer> {
  const isChunk = value instanceof Uint8Array && value.buffer instanceof ArrayBuffer;
  if (isChunk && value.length > 0 && value.length <= MAX_CHUNK_BYTES) return value as Uint8Array<ArrayBuffer>;
  throw broken("a chunk is empty, too long or none");
}
