/**
 * An async iterable of bytes as the body of a response: read on demand, and stopped when the reader goes away.
 * Called by content, gateway and events.
 */

/** `open` gets a signal that aborts when the reader is gone or `ended` aborts, which breaks the body off. */
export function bodyStream(
  open: (signal: AbortSignal) => AsyncIterable<Uint8Array>,
  ended: AbortSignal,
): ReadableStream<Uint8Array> {
  const gone = new AbortController();
  const signal = AbortSignal.any([gone.signal, ended]);
  let iterator: AsyncIterator<Uint8Array> | undefined;
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const breakOff = () => {
          controller.error(ended.reason);
          // Nobody is left to hear of a failure while cleaning up.
          iterator?.return?.().catch(() => undefined);
        };
        if (ended.aborted) breakOff();
        else ended.addEventListener("abort", breakOff);
      },
      async pull(controller) {
        iterator ??= open(signal)[Symbol.asyncIterator]();
        const next = await iterator.next();
        if (ended.aborted) return;
        if (next.done) controller.close();
        else controller.enqueue(next.value);
      },
      async cancel(reason) {
        gone.abort(reason);
        await iterator?.return?.();
      },
    },
    { highWaterMark: 0 },
  );
}
