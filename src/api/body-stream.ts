/**
 * An async iterable of bytes as the body of a response: read on demand, and stopped when the reader goes away.
 * Called by content, gateway and events.
 */

/** `open` gets a signal that aborts when the reader is gone or `ended` aborts, which breaks the body off. */
export function bodyStream(
  open: (signal: AbortSignal) => AsyncIterable<Uint8Array>,
  ended: AbortSignal,
): ReadableStream<Uint8Array> {
  const over = new AbortController();
  let iterator: AsyncIterator<Uint8Array> | undefined;
  /** Node.js 20 never frees a signal of several that still has a listener (measured: 3 KB a stream). */
  let forgetEnd: () => void = () => undefined;
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const breakOff = () => {
          over.abort(ended.reason);
          controller.error(ended.reason);
          // Nobody is left to hear of a failure while cleaning up.
          iterator?.return?.().catch(() => undefined);
        };
        forgetEnd = () => ended.removeEventListener("abort", breakOff);
        if (ended.aborted) breakOff();
        else ended.addEventListener("abort", breakOff, { once: true });
      },
      async pull(controller) {
        iterator ??= open(over.signal)[Symbol.asyncIterator]();
        const next = await iterator.next();
        if (ended.aborted) return;
        if (next.done) {
          forgetEnd();
          controller.close();
        } else controller.enqueue(next.value);
      },
      async cancel(reason) {
        forgetEnd();
        over.abort(reason);
        await iterator?.return?.();
      },
    },
    { highWaterMark: 0 },
  );
}
