/** Bodies that are worked on in turns: src/api/in-turns. */
import { describe, expect, it } from "vitest";
import { piecesInTurns } from "../../../src/api/in-turns.ts";

/** Pieces that are all there already, and take the thread for a while each. */
async function* pieces(count: number): AsyncGenerator<Uint8Array> {
  for (let index = 0; index < count; index++) {
    for (const endMs = performance.now() + 5; performance.now() < endMs; );
    yield Uint8Array.of(index);
  }
}

describe("pieces of a body", () => {
  it("let others of the thread have their turn, and come whole and in order", async () => {
    let isOthersTurn = false;
    setImmediate(() => {
      isOthersTurn = true;
    });
    const seen: number[] = [];
    for await (const [value = -1] of piecesInTurns(pieces(20))) seen.push(value);
    expect(isOthersTurn).toBe(true);
    expect(seen).toEqual(Array.from({ length: 20 }, (_, index) => index));
  });

  it("are no longer read when nobody wants them", async () => {
    let isEnded = false;
    async function* ending(): AsyncGenerator<Uint8Array> {
      try {
        yield* pieces(3);
      } finally {
        isEnded = true;
      }
    }
    for await (const _piece of piecesInTurns(ending())) break;
    expect(isEnded).toBe(true);
  });
});
