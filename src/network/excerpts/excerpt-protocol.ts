/**
 * Asking an author for all that it tells of its files: `/shoal/excerpts/1.0.0`, on a stream of its own, for who came after
 * it was told. Called by excerpts; calls excerpt-messages.
 *
 * They are asked for as asked-pages tells, in frames of at most 32 KiB. A page is a message with excerpts, as in
 * excerpt-messages; an empty one is the end, and all that a node of another swarm answers.
 */
import type { Stream } from "@libp2p/interface";
import { lpStream } from "@libp2p/utils";
import { encodeAsk, framesOfAsker, NEXT, readAsk, readNext } from "../asked-pages.ts";
import { malformed } from "../byte-fields.ts";
import { abortFor, orAborted } from "../or-aborted.ts";
import type { UntilTurn } from "../stream-turns.ts";
import { decodeExcerpts, type Excerpt, encodeExcerpts } from "./excerpt-messages.ts";
import {
  EXCERPTS_TIMEOUT_MS,
  MAX_EXCERPT_MESSAGE_BYTES,
  MAX_EXCERPTS_PER_AUTHOR,
  MAX_EXCERPTS_PER_MESSAGE,
} from "./limits.ts";

export const EXCERPT_PROTOCOL = "/shoal/excerpts/1.0.0";

const END = new Uint8Array(0);

/** Page by page. @throws SharingError `protocol_error`; what the stream throws when it breaks */
export async function* askExcerpts(
  stream: Stream,
  swarm: string,
  signal: AbortSignal,
): AsyncGenerator<Excerpt[]> {
  const frames = lpStream(stream, { maxDataLength: MAX_EXCERPT_MESSAGE_BYTES });
  try {
    await frames.write(encodeAsk(swarm), { signal });
    for (let count = 0; ; ) {
      await frames.write(NEXT, { signal });
      const page = await frames.read({ signal });
      if (page.byteLength === 0) break;
      const excerpts = decodeExcerpts(page.subarray());
      count += excerpts.length;
      if (count > MAX_EXCERPTS_PER_AUTHOR) throw malformed("more excerpts than files");
      yield excerpts;
    }
    await stream.close({ signal });
  } catch (error) {
    abortFor(stream, error);
    throw error;
  }
}

/** Answers one stream. @throws SharingError `protocol_error`; what the stream throws when it breaks */
export async function serveExcerpts(
  stream: Stream,
  swarm: string,
  take: () => Excerpt[],
  untilTurn: UntilTurn,
): Promise<void> {
  const signal = AbortSignal.timeout(EXCERPTS_TIMEOUT_MS);
  return orAborted(stream, async () => {
    const frames = framesOfAsker(stream);
    const isOurs = await readAsk(frames, swarm, signal);
    if (isOurs) await untilTurn(signal);
    const excerpts = isOurs ? take() : [];
    for (let at = 0, isOver = false; !isOver; at += MAX_EXCERPTS_PER_MESSAGE) {
      await readNext(frames, signal);
      if (isOurs) await untilTurn(signal);
      const page = excerpts.slice(at, at + MAX_EXCERPTS_PER_MESSAGE);
      isOver = page.length === 0;
      await frames.write(isOver ? END : encodeExcerpts(page), { signal });
    }
    await stream.close({ signal });
  });
}
