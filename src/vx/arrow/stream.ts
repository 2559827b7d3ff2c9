/**
 * An Arrow IPC stream cut into messages, each looked at before apache-arrow is given it. Called by read-arrow, and by the API for
 * streams of strangers; calls heads.
 * Source: the Arrow columnar format, "Encapsulated message format". A message is:
 *
 * | bytes | content |
 * |---|---|
 * | 4 | 0xFFFFFFFF; left out before Arrow 0.15 |
 * | 4 | length of the head, int32; 0 ends the stream, and nothing follows |
 * | length | head, a flatbuffer |
 * | as the head says | body |
 */

import { VxError } from "../errors.ts";
import { joinedBytes } from "../joined-bytes.ts";
import { type ArrowHead, CONTINUATION, checkHead } from "./heads.ts";
import { MAX_ARROW_HEAD_BYTES } from "./limits.ts";

/**
 * The stream's messages; bodies are views where a piece of it holds them whole. `admit` may refuse a message before its body is
 * read. @throws VxError `invalid_request`, and what `admit` throws
 */
export async function* checkedMessages(
  pieces: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  admit: (head: ArrowHead) => void = () => {},
): AsyncGenerator<Uint8Array> {
  const source = new Source(pieces);
  try {
    for (let isFirst = true; ; isFirst = false) {
      const start = await source.take(4, isFirst);
      if (start === undefined) return;
      const isContinued = viewOf(start).getUint32(0, true) === CONTINUATION;
      const length = isContinued ? await source.takeAll(4) : start;
      const headBytes = viewOf(length).getInt32(0, true);
      if (headBytes === 0) {
        if ((await source.take(1, false)) !== undefined) throw moreBehind();
        return;
      }
      if (headBytes < 0 || headBytes > MAX_ARROW_HEAD_BYTES) throw noArrow();
      const head = await source.takeAll(headBytes);
      const { kind, bodyBytes } = checkHead(head);
      admit({ kind, bodyBytes });
      if (isContinued) yield start;
      yield length;
      yield head;
      if (bodyBytes > 0) yield await source.takeAll(bodyBytes);
    }
  } finally {
    await source.close();
  }
}

class Source {
  readonly #pieces: AsyncIterator<Uint8Array> | Iterator<Uint8Array>;
  #piece = new Uint8Array(0);

  constructor(pieces: Iterable<Uint8Array> | AsyncIterable<Uint8Array>) {
    this.#pieces = Symbol.iterator in pieces ? pieces[Symbol.iterator]() : pieces[Symbol.asyncIterator]();
  }

  /** Undefined at the end of the bytes, unless some must be there. */
  async take(count: number, mustBeThere: boolean): Promise<Uint8Array | undefined> {
    while (this.#piece.length === 0) if (!(await this.#next())) break;
    if (this.#piece.length === 0 && !mustBeThere) return undefined;
    return this.takeAll(count);
  }

  async takeAll(count: number): Promise<Uint8Array> {
    const parts: Uint8Array[] = [];
    for (let left = count; left > 0; ) {
      if (this.#piece.length === 0 && !(await this.#next())) throw noArrow();
      const part = this.#piece.subarray(0, left);
      this.#piece = this.#piece.subarray(part.length);
      parts.push(part);
      left -= part.length;
    }
    const [only] = parts;
    return parts.length === 1 && only !== undefined ? only : joinedBytes(parts);
  }

  /** Lets go of what the pieces come from, such as a file. */
  async close(): Promise<void> {
    await this.#pieces.return?.();
  }

  async #next(): Promise<boolean> {
    const { done, value } = await this.#pieces.next();
    if (done === true) return false;
    this.#piece = value as Uint8Array<ArrayBuffer>;
    return true;
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
  return new VxError("invalid_request", "The data is no Arrow stream, or breaks off");
}
