/**
 * An Arrow IPC stream as its messages, none of which is held that is larger than we take: lengths come from strangers. Called by
 * vectors; calls the library's arrow/stream. What the messages say is read by Vx.
 */
import { DICTIONARY_BATCH } from "../../vx/arrow/heads.ts";
import { checkedMessages } from "../../vx/arrow/stream.ts";
import { ApiError } from "../errors.ts";
import { bodyPieces } from "../request-body.ts";
import { MAX_ARROW_DICTIONARY_BYTES, MAX_ARROW_MESSAGE_BYTES } from "./limits.ts";

/** @throws VxError `invalid_request` for a stream that breaks off, goes on or has no messages, ApiError 413 */
export function arrowMessages(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  let dictionaryBytes = 0;
  return checkedMessages(bodyPieces(body), ({ kind, bodyBytes }) => {
    if (bodyBytes > MAX_ARROW_MESSAGE_BYTES) throw tooLong("A batch", MAX_ARROW_MESSAGE_BYTES);
    if (kind === DICTIONARY_BATCH) dictionaryBytes += bodyBytes;
    if (dictionaryBytes > MAX_ARROW_DICTIONARY_BYTES)
      throw tooLong("Dictionaries", MAX_ARROW_DICTIONARY_BYTES);
  });
}

function tooLong(what: string, maxBytes: number): ApiError {
  return new ApiError(413, `${what} of the Arrow stream may have ${maxBytes} bytes; send smaller batches`);
}
