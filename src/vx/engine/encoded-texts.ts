/**
 * Metadata of a batch on its way to the engine's thread: bytes, which change hands, for a message of a hundred thousand
 * strings keeps each of both threads for tens of milliseconds. Written where batches are read, read where they are checked.
 */
import { VxError } from "../errors.ts";
import { MAX_FRAME_BYTES } from "../storage/limits.ts";
import { checkMetadataLength } from "../storage/operations.ts";

export interface EncodedTexts {
  /** UTF-8, one text after another. */
  bytes: Uint8Array<ArrayBuffer>;
  /** Bytes of each; -1 where there is no text. */
  lengths: Int32Array<ArrayBuffer>;
}

const NONE = -1;
const BYTES_PER_UTF16_UNIT = 3;

const encoder = new TextEncoder();

export class EncodedTextsWriter {
  readonly #maxBytes: number;
  readonly #lengths: Int32Array<ArrayBuffer>;
  #bytes = new Uint8Array(0);
  #count = 0;
  #end = 0;
  #isEmpty = true;

  /**
   * `maxBytes`: of all texts together. A few bytes may stand for many, as a dictionary's text does for each row that
   * names it.
   */
  constructor(count: number, maxBytes = MAX_FRAME_BYTES) {
    this.#maxBytes = maxBytes;
    this.#lengths = new Int32Array(count);
  }

  /** @throws VxError `invalid_request` for a text that is too long, or with which all are */
  add(text: string | undefined): void {
    this.#lengths[this.#count++] = text === undefined ? NONE : this.#write(text);
  }

  /** Undefined where there is no text at all. */
  finish(): EncodedTexts | undefined {
    return this.#isEmpty ? undefined : { bytes: this.#bytes, lengths: this.#lengths };
  }

  #write(text: string): number {
    checkMetadataLength(text);
    this.#isEmpty = false;
    const mostEnd = this.#end + text.length * BYTES_PER_UTF16_UNIT;
    if (mostEnd > this.#bytes.length) {
      const roomier = new Uint8Array(Math.max(mostEnd, this.#bytes.length * 2));
      roomier.set(this.#bytes);
      this.#bytes = roomier;
    }
    const { written } = encoder.encodeInto(text, this.#bytes.subarray(this.#end));
    this.#end += written;
    if (this.#end > this.#maxBytes)
      throw new VxError(
        "invalid_request",
        `One batch may take ${this.#maxBytes} bytes, and its metadata alone take more`,
      );
    return written;
  }
}

/** Each text's bytes, in order. */
export function* textsIn({ bytes, lengths }: EncodedTexts): Generator<Uint8Array<ArrayBuffer> | undefined> {
  let offset = 0;
  for (const length of lengths) {
    if (length === NONE) yield undefined;
    else {
      yield bytes.subarray(offset, offset + length);
      offset += length;
    }
  }
}

/** @throws VxError `invalid_request` */
export function encodedTexts(texts: readonly (string | undefined)[]): EncodedTexts | undefined {
  const writer = new EncodedTextsWriter(texts.length);
  for (const text of texts) writer.add(text);
  return writer.finish();
}
