/** Posts as they are handed to whoever expects them. What comes of them between two exchanges: posts.test. */
import { expect, it, vi } from "vitest";
import { ExpectedPosts, type PostTaker } from "../../../src/exchange/asking/expected-posts.ts";
import { ticketText } from "../../../src/exchange/side-path.ts";

/** Posts of which one is expected, and what its taker is told. */
function expected(taker: Partial<PostTaker> = {}) {
  const posts = new ExpectedPosts();
  const told = { onMessage: vi.fn(), onData: vi.fn(), onPostLost: vi.fn() };
  const { ticket } = posts.expect({ ...told, ...taker });
  const take = (sizeBytes: number, ...pieces: Uint8Array[]) =>
    posts.take(ticketText(ticket), 7, sizeBytes, inPieces(pieces));
  return { told, take };
}

async function* inPieces(pieces: Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* pieces;
}

it("one that came whole is not called lost, and one that lacks a byte is", async () => {
  const { told, take } = expected();
  expect(await take(5, new Uint8Array(3), new Uint8Array(2))).toBe(true);
  expect(told.onPostLost).not.toHaveBeenCalled();
  await expect(take(5, new Uint8Array(4))).rejects.toMatchObject({ name: "peer_lost" });
  expect(told.onPostLost.mock.calls).toEqual([[7]]);
});

it.each(["onMessage", "onData"] as const)(
  "a fault in %s is told, not taken for a post that nobody asked for",
  async (where) => {
    const fault = new Error("no protocol error");
    const { take } = expected({
      [where]: () => {
        throw fault;
      },
    });
    await expect(take(1, new Uint8Array(1))).rejects.toBe(fault);
  },
);
