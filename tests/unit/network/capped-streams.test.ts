/** How much a stream may bring before it ends: src/network/libp2p/capped-streams. */
import type { Stream } from "@libp2p/interface";
import fc from "fast-check";
import { Uint8ArrayList } from "uint8arraylist";
import { describe, expect, it } from "vitest";
import { cappedMessages, cappedStream } from "../../../src/network/libp2p/capped-streams.ts";

/** A stream of which some came before it was looked at; counts what is handed on. */
class FakeStream {
  taken = 0;
  isAborted = false;
  readonly readBuffer: Uint8ArrayList;

  constructor(early = new Uint8Array()) {
    this.readBuffer = new Uint8ArrayList(early);
  }

  onData(data: Uint8Array): void {
    this.taken += data.byteLength;
  }

  abort(): void {
    this.isAborted = true;
  }

  removeEventListener(): void {}

  /** In pieces of so many bytes. */
  bring(bytes: Uint8Array, pieceBytes: number): void {
    for (let at = 0; at < bytes.length; at += pieceBytes) this.onData(bytes.subarray(at, at + pieceBytes));
  }
}

describe("a stream that is capped", () => {
  it("hands on what comes until there is more of it than it may bring, early bytes included", () => {
    fc.assert(
      fc.property(fc.nat(200), fc.nat(200), fc.integer({ min: 1, max: 64 }), (early, later, pieceBytes) => {
        const stream = new FakeStream(new Uint8Array(early));
        cappedStream(stream as unknown as Stream, 150);
        stream.bring(new Uint8Array(later), pieceBytes);
        expect(stream.isAborted).toBe(early + later > 150);
        if (!stream.isAborted) expect(stream.taken).toBe(later);
      }),
    );
  });

  it("while it is read hands on as much as there is to who lets go of it", () => {
    fc.assert(
      fc.property(fc.nat(200), fc.nat(200), fc.nat(400), (early, later, afterwards) => {
        const stream = new FakeStream(new Uint8Array(early));
        const capped = cappedMessages(stream as unknown as Stream, 150);
        stream.bring(new Uint8Array(later), 16);
        expect(stream.isAborted).toBe(early + later > 150);
        if (stream.isAborted) return;
        capped.removeEventListener("message", () => undefined);
        stream.bring(new Uint8Array(afterwards), 16);
        expect([stream.isAborted, stream.taken]).toEqual([false, later + afterwards]);
      }),
    );
  });
});
