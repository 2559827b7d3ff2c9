/**
 * Cuts an Arrow IPC stream into its messages, so that none is held that is larger than we take: lengths come from
 * strangers. Called by vectors; what the messages say is read by Vx. Source: the Arrow columnar format, "Encapsulated
 * message format", and FlatBuffers' tables.
 *
 * | bytes | content |
 * |---|---|
 * | 4 | 0xFFFFFFFF; left out before Arrow 0.15 |
 * | 4 | length of the head, int32 little-endian; 0 ends the stream, and nothing follows |
 * | length | head: a flatbuffer whose table Message has the kind of message and the length of the body |
 * | as the head says | body |
 */
import { VxError } from "../../vx/errors.ts";
import { ApiError } from "../errors.ts";
import { MAX_ARROW_DICTIONARY_BYTES, MAX_ARROW_HEAD_BYTES, MAX_ARROW_MESSAGE_BYTES } from "./limits.ts";

const CONTINUATION = 0xffffffff;
const DICTIONARY_BATCH = 2;

/** Fields of the table Message, by their place in its vtable. */
const KIND_FIELD = 1;
const BODY_LENGTH_FIELD = 3;

/** @throws VxError `invalid_request` for a stream that breaks off, goes on or has no messages, ApiError 413 */
export async function* arrowMessages(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const source = new Taker(body);
  let dictionaryBytes = 0;
  try {
    for (let isFirst = true; ; isFirst = false) {
      const prefix = await source.take(4, !isFirst);
      if (prefix === undefined) return;
      const continued = viewOf(prefix).getUint32(0, true) === CONTINUATION;
      const length = continued ? await source.take(4) : prefix;
      const headBytes = viewOf(length).getInt32(0, true);
      if (headBytes === 0) {
        if ((await source.take(1, true)) !== undefined) throw moreBehind();
        return;
      }
      if (headBytes < 0 || headBytes > MAX_ARROW_HEAD_BYTES) throw noArrow();
      const head = await source.take(headBytes);
      const { kind, bodyBytes } = readHead(head);
      if (bodyBytes > MAX_ARROW_MESSAGE_BYTES) throw tooLong("A batch", MAX_ARROW_MESSAGE_BYTES);
      if (kind === DICTIONARY_BATCH) dictionaryBytes += bodyBytes;
      if (dictionaryBytes > MAX_ARROW_DICTIONARY_BYTES)
        throw tooLong("Dictionaries", MAX_ARROW_DICTIONARY_BYTES);
      if (continued) yield prefix;
      yield length;
      yield head;
      if (bodyBytes > 0) yield await source.take(bodyBytes);
    }
  } finally {
    await source.close();
  }
}

function readHead(head: Uint8Array): { kind: number; bodyBytes: number } {
  const view = viewOf(head);
  try {
    const table = view.getUint32(0, true);
    const vtable = table - view.getInt32(table, true);
    const field = (index: number) => {
      const isThere = 4 + 2 * index < view.getUint16(vtable, true);
      const offset = isThere ? view.getUint16(vtable + 4 + 2 * index, true) : 0;
      return offset === 0 ? undefined : table + offset;
    };
    const [kind, length] = [field(KIND_FIELD), field(BODY_LENGTH_FIELD)];
    const bodyBytes = length === undefined ? 0 : Number(view.getBigInt64(length, true));
    if (bodyBytes < 0) throw noArrow();
    return { kind: kind === undefined ? 0 : view.getUint8(kind), bodyBytes };
  } catch (error) {
    if (error instanceof RangeError) throw noArrow();
    throw error;
  }
}

/** Exact numbers of bytes of a stream. */
class Taker {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  #held: Uint8Array = new Uint8Array(0);

  constructor(body: ReadableStream<Uint8Array>) {
    this.#reader = body.getReader();
  }

  take(count: number): Promise<Uint8Array>;
  /** Undefined where the stream ends and `mayEnd`. */
  take(count: number, mayEnd: boolean): Promise<Uint8Array | undefined>;
  async take(count: number, mayEnd = false): Promise<Uint8Array | undefined> {
    const taken = new Uint8Array(count);
    let filled = 0;
    while (filled < count) {
      if (this.#held.length === 0) {
        const { value } = await this.#reader.read();
        if (value === undefined && filled === 0 && mayEnd) return undefined;
        if (value === undefined) throw noArrow();
        this.#held = value;
      }
      const piece = this.#held.subarray(0, count - filled);
      taken.set(piece, filled);
      filled += piece.length;
      this.#held = this.#held.subarray(piece.length);
    }
    return taken;
  }

  async close(): Promise<void> {
    await this.#reader.cancel();
  }
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** Such as a second stream, whose vectors would be missing unseen. */
function moreBehind(): VxError {
  return new VxError("invalid_request", "There are bytes behind the end of the Arrow stream");
}

function noArrow(): VxError {
  return new VxError("invalid_request", "The body is no whole Arrow IPC stream");
}

function tooLong(what: string, maxBytes: number): ApiError {
  return new ApiError(413, `${what} of the Arrow stream may have ${maxBytes} bytes; send smaller batches`);
}
