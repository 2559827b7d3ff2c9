/**
 * A block's bytes as one array, whichever of the three spellings of interface-blockstore they come in.
 * Called by the block stores' `put` and by readers of `get`; calls nothing.
 */

export type BlockBytes = Uint8Array | Iterable<Uint8Array> | AsyncIterable<Uint8Array>;

/** The bytes themselves when they are one array already, so treat them as shared. */
export async function collectBytes(input: BlockBytes): Promise<Uint8Array> {
  if (input instanceof Uint8Array) return input;
  const pieces: Uint8Array[] = [];
  let sizeBytes = 0;
  for await (const piece of input) {
    pieces.push(piece);
    sizeBytes += piece.byteLength;
  }
  const [first] = pieces;
  if (first !== undefined && pieces.length === 1) return first;

  const whole = new Uint8Array(sizeBytes);
  let offset = 0;
  for (const piece of pieces) {
    whole.set(piece, offset);
    offset += piece.byteLength;
  }
  return whole;
}
