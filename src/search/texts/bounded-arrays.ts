/**
 * Runs what reads one document so that it is given no more than so much memory for bytes, which no heap's limit counts: PDF.js
 * unpacks a stream whole, however long it gets. Called by pdf-text, in a thread that reads one document at a time.
 */

/** What asks for more is refused by a RangeError, as where memory is out. */
export async function withBoundedArrays<T>(maxBytes: number, read: () => Promise<T>): Promise<T> {
  const { Uint8Array: Bytes, DecompressionStream: Unpacking } = globalThis;
  let leftBytes = maxBytes;
  const take = (bytes: number) => {
    leftBytes -= bytes;
    if (leftBytes < 0) throw new RangeError("the document unpacks to too much");
  };
  globalThis.Uint8Array = new Proxy(Bytes, {
    construct(target, parameters, made) {
      if (typeof parameters[0] === "number") take(parameters[0]);
      return Reflect.construct(target, parameters, made);
    },
  });
  globalThis.DecompressionStream = class extends Unpacking {
    override readonly readable = super.readable.pipeThrough(
      new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
        transform(piece, controller) {
          take(piece.byteLength);
          controller.enqueue(piece);
        },
      }),
    );
  };
  try {
    return await read();
  } finally {
    globalThis.Uint8Array = Bytes;
    globalThis.DecompressionStream = Unpacking;
  }
}
