/** A way to post in tests: what was posted on it, and what a test does to it. Used by the tests of posts. */
import type { ExpectedPosts } from "../../../src/exchange/asking/expected-posts.ts";
import type { PostedAnswer, PostPath } from "../../../src/exchange/post-path.ts";
import type { PeerSession } from "../../../src/sharing/ports.ts";
import { type Block, wanted } from "./loopback.ts";

/** Settles when it was taken; false where it was refused. */
type Post = (answer: PostedAnswer, body: PostedBody, signal: AbortSignal) => Promise<boolean>;

interface PostedBody {
  sizeBytes: number;
  pieces: Uint8Array[];
}

const PIECE_BYTES = 100_000;

export class TestPostPath implements PostPath {
  readonly posted: PostedAnswer[] = [];
  /** Posts of which the sender knows that they arrived. */
  arrived = 0;
  readonly #blocks: Map<string, Uint8Array>;
  #post: Post;

  constructor(blocks: Block[], post: Post) {
    this.#blocks = new Map(blocks.map(({ cid, bytes }) => [cid.toString(), bytes]));
    this.#post = post;
  }

  /** Posts go through this from now on. */
  bend(bend: (straight: Post) => Post): void {
    this.#post = bend(this.#post);
  }

  leadsTo(): boolean {
    return true;
  }

  async post(answer: PostedAnswer, signal: AbortSignal): Promise<number | undefined> {
    this.posted.push(answer);
    const bytes = this.#blocks.get(answer.cid.toString());
    if (bytes === undefined || bytes.length > answer.maxBytes) return undefined;
    const pieces: Uint8Array[] = [];
    for (let at = 0; at < bytes.length; at += PIECE_BYTES) pieces.push(bytes.subarray(at, at + PIECE_BYTES));
    if (!(await this.#post(answer, { sizeBytes: bytes.length, pieces }, signal))) throw new Error("refused");
    this.arrived += 1;
    return bytes.length;
  }
}

/** Hands the pieces straight to those who expect them. */
export function takenBy(posts: ExpectedPosts): Post {
  return ({ ticket, requestId }, { sizeBytes, pieces }) => {
    const body = async function* () {
      yield* pieces;
    };
    return posts.take(ticket, requestId, sizeBytes, body());
  };
}

/** Fetches the block until it was posted. */
export async function untilPosted(
  { session, path }: { session: PeerSession; path: TestPostPath },
  block: Block,
): Promise<void> {
  for (let tries = 0; path.posted.length === 0; tries += 1) {
    if (tries === 500) throw new Error("nothing is posted");
    await session.fetch(wanted(block));
  }
}
