/** Operations as bytes: what is written comes back, and bytes that no operation makes are told to be damaged. */
import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import {
  decodeOperations,
  encodeOperation,
  maxOperationBytes,
  type Operation,
  recordRoom,
} from "../../../src/vx/storage/operations.ts";

const DIMENSION = 3;
const decoding = { dimension: DIMENSION, place: "here" };

const id = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });
const operation = fc.oneof<[fc.Arbitrary<Operation>, fc.Arbitrary<Operation>]>(
  fc.record({
    kind: fc.constant("add" as const),
    id,
    vector: fc.float32Array({ minLength: DIMENSION, maxLength: DIMENSION }),
    metadata: fc.option(fc.string({ unit: "grapheme", minLength: 1, maxLength: 40 }), { nil: undefined }),
  }),
  fc.record({ kind: fc.constant("delete" as const), id }),
);

function encoded(operations: Operation[]): Uint8Array<ArrayBuffer> {
  const room = recordRoom(operations.reduce((sum, one) => sum + maxOperationBytes(one), 0));
  const end = operations.reduce((offset, one) => encodeOperation(one, room, offset), 0);
  return room.bytes.subarray(0, end);
}

function decoded(payload: Uint8Array<ArrayBuffer>, count: number): Operation[] {
  return [...decodeOperations(payload, { ...decoding, count })].flat();
}

test("operations come back from their bytes", () => {
  fc.assert(
    fc.property(fc.array(operation, { maxLength: 20 }), (operations) => {
      expect(decoded(encoded(operations), operations.length)).toEqual(operations);
    }),
  );
});

describe("bytes are told to be damaged", () => {
  const add: Operation = { kind: "add", id: 7n, vector: Float32Array.of(1, 2, 3), metadata: '{"a":"é"}' };
  const removal: Operation = { kind: "delete", id: 7n };
  const METADATA = 32;

  it.each<[what: string, payload: Uint8Array<ArrayBuffer>, count: number]>([
    ["with fewer operations than were counted", encoded([add]), 2],
    ["with more operations than were counted", encoded([add, removal]), 1],
    ["that end within an operation", encoded([add, removal]).subarray(0, -8), 2],
    ["that end within metadata", encoded([add]).subarray(0, -8), 1],
    ["of another kind", changed(encoded([add]), 0, 3), 1],
    ["of a deletion with metadata", changed(encoded([removal]), 4, 1), 1],
    ["with metadata that is no UTF-8", changed(encoded([add]), METADATA + 6, 0xff), 1],
  ])("%s", (_, payload, count) => {
    expect(() => decoded(payload, count)).toThrowError(expect.objectContaining({ name: "VxError" }));
  });

  function changed(payload: Uint8Array<ArrayBuffer>, at: number, byte: number): Uint8Array<ArrayBuffer> {
    payload[at] = byte;
    return payload;
  }
});
