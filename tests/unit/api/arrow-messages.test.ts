/** Arrow streams cut into messages: nothing is changed, and no length that a stranger claims is believed. */
import { Table, tableToIPC, vectorFromArray } from "apache-arrow";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { arrowMessages } from "../../../src/api/vx/arrow-messages.ts";
import { MAX_ARROW_DICTIONARY_BYTES, MAX_ARROW_MESSAGE_BYTES } from "../../../src/api/vx/limits.ts";

const table = new Table({
  id: vectorFromArray([1n, 2n, 3n]),
  color: vectorFromArray(["red", "red", "blue"]),
});
const stream = new Uint8Array(tableToIPC(table, "stream"));

/** Gives the bytes in pieces of these lengths, and tells whether it was cancelled. */
function bodyOf(bytes: Uint8Array, lengths: number[] = []) {
  let cancelled = false;
  let at = 0;
  const source = {
    pull(controller: ReadableStreamDefaultController<Uint8Array>) {
      const length = lengths.shift() ?? bytes.length;
      if (at === bytes.length) return controller.close();
      controller.enqueue(bytes.slice(at, at + length));
      at = Math.min(bytes.length, at + length);
    },
    cancel() {
      cancelled = true;
    },
  };
  // Nothing is asked for ahead.
  const body = new ReadableStream<Uint8Array>(source, { highWaterMark: 0 });
  return { body, wasCancelled: () => cancelled };
}

async function read(body: ReadableStream<Uint8Array>): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  for await (const piece of arrowMessages(body)) pieces.push(piece);
  return Buffer.concat(pieces);
}

/** Where the first record batch tells the length of its body, and that length. */
function bodyLengthField(): { at: number; headAt: number } {
  const view = new DataView(stream.buffer, stream.byteOffset, stream.byteLength);
  for (let at = 0; ; ) {
    const headAt = at + 8;
    const headBytes = view.getInt32(at + 4, true);
    const root = headAt + view.getUint32(headAt, true);
    const vtable = root - view.getInt32(root, true);
    // What stands behind a shorter table is no field of it.
    const offset = view.getUint16(vtable, true) > 10 ? view.getUint16(vtable + 10, true) : 0;
    if (offset !== 0 && view.getBigInt64(root + offset, true) > 0n) return { at: root + offset, headAt };
    at = headAt + headBytes;
  }
}

function withBodyLength(length: bigint): Uint8Array {
  const changed = stream.slice();
  new DataView(changed.buffer).setBigInt64(bodyLengthField().at, length, true);
  return changed;
}

describe("an Arrow stream", () => {
  it("comes out as it went in, however it is cut", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 100 }), { maxLength: 200 }), async (lengths) => {
        const { body } = bodyOf(stream, [...lengths]);
        const out = await read(body);
        // Its end mark says the same as its end.
        expect(Buffer.from(stream).subarray(0, out.length).equals(out)).toBe(true);
        expect(stream.length - out.length).toBeLessThanOrEqual(8);
      }),
    );
  });

  it("that breaks off is refused, wherever, but for between two messages", async () => {
    let whole = 0;
    for (let length = 0; length < stream.length - 8; length++) {
      const outcome = await read(bodyOf(stream.slice(0, length)).body).then(
        () => "read",
        (error: unknown) => error,
      );
      if (outcome === "read") whole += 1;
      else expect(outcome, String(length)).toMatchObject({ name: "VxError", code: "invalid_request" });
    }
    expect(whole).toBeLessThan(6);
  });

  it("with anything behind its end mark is refused, however it is cut", async () => {
    for (const more of [stream, new Uint8Array(1), new Uint8Array([255, 255, 255, 255, 0, 0, 0, 0])]) {
      for (const lengths of [[], [stream.length], [stream.length - 3]]) {
        const { body } = bodyOf(Buffer.concat([stream, more]), lengths);
        await expect(read(body)).rejects.toMatchObject({ code: "invalid_request" });
      }
    }
  });

  it("is refused for a message that is too long before its bytes are read", async () => {
    for (const [length, refusal] of [
      [BigInt(MAX_ARROW_MESSAGE_BYTES) + 1n, { status: 413 }],
      [2n ** 62n, { code: "invalid_request" }],
      [-1n, { code: "invalid_request" }],
    ] as const) {
      const { body, wasCancelled } = bodyOf(withBodyLength(length), [bodyLengthField().at + 64]);
      await expect(read(body)).rejects.toMatchObject(refusal);
      expect(wasCancelled()).toBe(true);
    }
  });

  it("is refused for dictionaries that are too long together before the last is read", async () => {
    const { headAt } = bodyLengthField();
    const sizeBytes = MAX_ARROW_DICTIONARY_BYTES / 2 + 8;
    const changed = withBodyLength(BigInt(sizeBytes));
    const headBytes = new DataView(changed.buffer).getInt32(headAt - 4, true);
    const untilDictionary = changed.subarray(0, headAt + headBytes);
    const dictionary = changed.subarray(headAt - 8, headAt + headBytes);
    const bytes = Buffer.concat([untilDictionary, new Uint8Array(sizeBytes), dictionary]);
    await expect(read(bodyOf(bytes).body)).rejects.toMatchObject({ status: 413 });
  });

  it("of any other bytes is refused, never more", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ maxLength: 300 }),
        fc.nat(stream.length),
        fc.nat(7),
        async (noise, at, bit) => {
          const flipped = stream.slice();
          if (at < stream.length) flipped[at] = (flipped[at] ?? 0) ^ (1 << bit);
          for (const bytes of [noise, flipped]) {
            const outcome = await read(bodyOf(bytes).body).catch((error: unknown) => error);
            if (outcome instanceof Error) expect(["VxError", "ApiError"]).toContain(outcome.name);
          }
        },
      ),
      { numRuns: 300 },
    );
  });
});
