/**
 * Runs what reads one document so that it is given no more than so much memory for bytes and numbers, which no heap's
 * limit counts: PDF.js unpacks a stream whole, however long it gets. Called by pdf-text, in a thread that reads one
 * document at a time.
 */

/** What asks for more is refused by a RangeError, as where memory is out. */
export async function withBoundedArrays<T>(maxBytes: number, read: () => Promise<T>): Promise<T> {
  const { DecompressionStream: Unpacking } = globalThis;
  const arrays = kindsOfArrays();
  let leftBytes = maxBytes;
  const take = (bytes: number) => {
    leftBytes -= bytes;
    if (leftBytes < 0) throw new RangeError("the document unpacks to too much");
  };
  for (const Kind of arrays) {
    const bounded = new Proxy(Kind, {
      construct(target, parameters, made) {
        const [of] = parameters;
        take((typeof of === "number" ? of : (of?.length ?? 0)) * target.BYTES_PER_ELEMENT);
        return Reflect.construct(target, parameters, made);
      },
    });
    Object.assign(globalThis, { [Kind.name]: bounded });
  }
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
    for (const Kind of arrays) Object.assign(globalThis, { [Kind.name]: Kind });
    globalThis.DecompressionStream = Unpacking;
  }
}

/** All that PDF.js makes; it takes no ArrayBuffer of a length that a document tells. */
function kindsOfArrays() {
  return [
    ...[Int8Array, Uint8Array, Uint8ClampedArray],
    ...[Int16Array, Uint16Array, Int32Array, Uint32Array, Float32Array, Float64Array],
  ];
}
