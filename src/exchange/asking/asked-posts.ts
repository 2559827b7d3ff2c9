/**
 * The asking end of posts in one conversation: gives its one ticket, and holds the server to what may be called lost.
 * Kept by asking.
 */
import { SharingError } from "../../sharing/errors.ts";
import { MAX_UNPOSTED } from "../limits.ts";
import type { Message } from "../wire/messages.ts";
import type { ExpectedPosts, PostTaker } from "./expected-posts.ts";

export interface AskedPostsParts {
  /** Undefined where peers can't come with what they post. */
  posts: ExpectedPosts | undefined;
  taker: PostTaker;
  send(message: Message): void;
}

export class AskedPosts {
  readonly #parts: AskedPostsParts;
  #close: (() => void) | undefined;
  /** Since a block came whole. */
  #lostCount = 0;

  constructor(parts: AskedPostsParts) {
    this.#parts = parts;
  }

  /** The server asks for a ticket. @throws SharingError `protocol_error` */
  onAsk(): void {
    const { posts, taker, send } = this.#parts;
    if (this.#close !== undefined) throw new SharingError("protocol_error", "a ticket was given already");
    if (posts === undefined) return;
    const { ticket, close } = posts.expect(taker);
    this.#close = close;
    send({ type: "post_ticket", ticket });
  }

  /** The server calls a post lost. @throws SharingError `protocol_error` */
  onLost(): void {
    this.#lostCount += 1;
    if (this.#close === undefined || this.#lostCount > MAX_UNPOSTED) {
      throw new SharingError("protocol_error", "posts are called lost that were not to be made");
    }
  }

  /** A block came whole. */
  onWhole(): void {
    this.#lostCount = 0;
  }

  /** The ticket is void. */
  close(): void {
    this.#close?.();
  }
}
