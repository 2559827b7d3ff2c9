/**
 * An async iterable of bytes as the body of a response: read on demand, and stopped when the reader goes away.
 * Called by the resources whose answers are streams.
 */

/**
 * `open` gets a signal that aborts when the reader is gone or `ended` aborts, which breaks the body off. `onOver` is called once
 * then or at the end, also of a body that nobody began to read.
 */
export function bodyStream(
  open: (signal: AbortSignal) => AsyncIterable<Uint8Array>,
  ended: AbortSignal,
  onOver: () => void = () => undefined,
): ReadableStream<Uint8Array> {
  const over = new AbortController();
  over.signal.addEventListener("abort", onOver, { once: true });
  let iterator: AsyncGenerator<Uint8Array> | undefined;
  async function* bytes(): AsyncGenerator<Uint8Array> {
    try {
      yield* open(over.signal);
    } finally {
      over.abort();
    }
  }
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const breakOff = () => {
          over.abort(ended.reason);
          controller.error(ended.reason);
          // Nobody is left to hear of a failure while cleaning up.
          iterator?.return(undefined).catch(() => undefined);
        };
        if (ended.aborted) breakOff();
        // Goes with the body: Node.js 20 never frees a signal made of others that still has a listener (3 KB, measured).
        else ended.addEventListener("abort", breakOff, { once: true, signal: over.signal });
      },
      async pull(controller) {
        iterator ??= bytes();
        const next = await iterator.next();
        if (ended.aborted) return;
        if (next.done) controller.close();
        else controller.enqueue(next.value);
      },
      async cancel(reason) {
        over.abort(reason);
        await iterator?.return(undefined);
      },
    },
    { highWaterMark: 0 },
  );
}
