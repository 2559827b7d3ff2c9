/**
 * The answers that peers post to this node: each conversation in which one asked to has a ticket, for as long as it lasts. Made
 * by a main that has a way for peers to come with tickets; asking expects, that way hands over. A post that nobody asked for is
 * refused and ends nothing.
 */
import { isSharingError, SharingError } from "../../sharing/errors.ts";
import { TICKET_BYTES } from "../limits.ts";
import { ticketText } from "../side-path.ts";
import type { FrameHandler } from "../wire/frames.ts";

export interface PostTaker extends FrameHandler {
  /** The answer did not come whole: what came of it is lost. */
  onPostLost(requestId: number): void;
}

export class ExpectedPosts {
  readonly #takers = new Map<string, PostTaker>();

  /** A new ticket, until it is closed. */
  expect(taker: PostTaker): { ticket: Uint8Array; close(): void } {
    const ticket = crypto.getRandomValues(new Uint8Array(TICKET_BYTES));
    const text = ticketText(ticket);
    this.#takers.set(text, taker);
    return { ticket, close: () => this.#takers.delete(text) };
  }

  /** Settles when all of the answer was taken; false where it is not expected, or no more. @throws what the body throws */
  async take(
    ticket: string,
    requestId: number,
    sizeBytes: number,
    body: AsyncIterable<Uint8Array>,
  ): Promise<boolean> {
    const taker = this.#takers.get(ticket);
    if (taker === undefined || !isTaken(() => taker.onMessage({ type: "block", requestId, sizeBytes }))) {
      return false;
    }
    let restBytes = sizeBytes;
    try {
      for await (const bytes of body) {
        if (!isTaken(() => taker.onData(requestId, bytes))) return false;
        restBytes -= bytes.length;
      }
      if (restBytes > 0) throw new SharingError("peer_lost", "the posted block ended early");
      return true;
    } finally {
      if (restBytes > 0) taker.onPostLost(requestId);
    }
  }
}

function isTaken(take: () => void): boolean {
  try {
    take();
    return true;
  } catch (error) {
    if (!isSharingError(error, "protocol_error")) throw error;
    return false;
  }
}
