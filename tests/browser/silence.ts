/** A sound that says nothing, of any length. Called by the tests of players. */

/** Silence of 16 bits in mono: RIFF WAVE, whose length stands in its head. */
export function silence(sizeBytes: number): Buffer<ArrayBuffer> {
  const [hertz, head] = [44_100, Buffer.alloc(44)];
  head.write("RIFF....WAVEfmt ", "latin1");
  head.writeUInt32LE(sizeBytes - 8, 4);
  for (const [at, value] of [
    [16, 16],
    [24, hertz],
    [28, 2 * hertz],
    [40, sizeBytes - 44],
  ] as const)
    head.writeUInt32LE(value, at);
  for (const [at, value] of [
    [20, 1],
    [22, 1],
    [32, 2],
    [34, 16],
  ] as const)
    head.writeUInt16LE(value, at);
  head.write("data", 36, "latin1");
  return Buffer.concat([head, Buffer.alloc(sizeBytes - 44)]);
}
