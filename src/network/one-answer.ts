/**
 * A question and its answer on a stream of their own, one frame each: a varint length, then as many bytes. Whatever goes wrong
 * aborts the stream. Called by notes, unlisted and rendezvous.
 */
import type { Stream } from "@libp2p/interface";
import { lpStream } from "@libp2p/utils";
import { orAborted } from "./or-aborted.ts";

export interface AnswerBounds {
  /** Of what the other side sends. */
  maxBytes: number;
  signal: AbortSignal;
}

/** What `read` makes of the answer. @throws what `read` throws, and the stream when it breaks; the signal's reason */
export async function askOne<T>(
  stream: Stream,
  question: Uint8Array,
  read: (answer: Uint8Array) => T,
  { maxBytes, signal }: AnswerBounds,
): Promise<T> {
  return orAborted(stream, async () => {
    const frames = lpStream(stream, { maxDataLength: maxBytes });
    await frames.write(question, { signal });
    const answer = read((await frames.read({ signal })).subarray());
    await stream.close({ signal });
    return answer;
  });
}

/** Sends what `answer` gives to the question. @throws as `askOne` */
export async function answerOne(
  stream: Stream,
  answer: (question: Uint8Array) => Uint8Array | Promise<Uint8Array>,
  { maxBytes, signal }: AnswerBounds,
): Promise<void> {
  return orAborted(stream, async () => {
    const frames = lpStream(stream, { maxDataLength: maxBytes });
    const question = (await frames.read({ signal })).subarray();
    await frames.write(await answer(question), { signal });
    await stream.close({ signal });
  });
}
