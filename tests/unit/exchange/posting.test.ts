/** Both ends of posts by themselves: which answers are posted when, and what is taken of them. */
import { describe, expect, it, vi } from "vitest";
import { AskedPosts } from "../../../src/exchange/asking/asked-posts.ts";
import { ExpectedPosts } from "../../../src/exchange/asking/expected-posts.ts";
import {
  FIRST_POST_MS,
  MAX_DATA_BYTES,
  MAX_UNPOSTED,
  POST_MS,
  POSTS_AT_ONCE,
} from "../../../src/exchange/limits.ts";
import { GivenBlocks } from "../../../src/exchange/serving/given-blocks.ts";
import { Posting } from "../../../src/exchange/serving/posting.ts";
import { ticketText } from "../../../src/exchange/side-path.ts";
import type { Message, WantMessage } from "../../../src/exchange/wire/messages.ts";
import { SharingError } from "../../../src/sharing/errors.ts";
import { DAG_PB, RAW } from "../../../src/sharing/hash.ts";

const PROTOCOL_ERROR = expect.objectContaining({ name: "protocol_error" });
const turn = () => new Promise((resolve) => setImmediate(resolve));

function want(requestId: number, rest: Partial<WantMessage> = {}): WantMessage {
  const name = { codec: RAW, digest: new Uint8Array(32) };
  return { type: "want", requestId, priority: 1, maxBytes: 1_000_000, ...name, ...rest };
}

/** A posting with its ticket, whose posts end when told to. */
function openPosting(given = new GivenBlocks()) {
  const posts: { requestId: number; signal: AbortSignal; arrive(bytes?: number): void; break(): void }[] = [];
  const seen = { sent: [] as Message[], unposted: [] as string[], lost: 0, uploadedBytes: 0 };
  const uploaded = (bytes: number) => {
    seen.uploadedBytes += bytes;
  };
  const posting = new Posting({
    path: {
      leadsTo: () => true,
      post: ({ requestId }, signal) =>
        new Promise((resolve, reject) => {
          posts.push({ requestId, signal, arrive: resolve, break: () => reject(new Error("cut")) });
        }),
    },
    given,
    traffic: { uploaded, downloaded: () => {} },
    isRateLimited: () => false,
    notify: (message) => seen.sent.push(message),
    onUnposted: ({ requestId, priority }) => seen.unposted.push(`${requestId}: ${priority}`),
    onLost: () => seen.lost++,
  });
  const open = () => {
    expect(posting.takes(want(0))).toBe(false);
    posting.onTicket(new Uint8Array(16));
  };
  const ids = () => posts.map(({ requestId }) => requestId);
  return { posting, posts, seen, open, ids };
}

describe("a posting", () => {
  it("takes large chunks once it has its one ticket", () => {
    const { posting, seen } = openPosting();
    expect(() => posting.onTicket(new Uint8Array(16))).toThrow(PROTOCOL_ERROR);
    for (let times = 0; times < 2; times++) expect(posting.takes(want(0))).toBe(false);
    expect(seen.sent).toEqual([{ type: "post_ask" }]);
    posting.onTicket(new Uint8Array(16));
    expect(posting.takes(want(0, { maxBytes: MAX_DATA_BYTES + 1 }))).toBe(true);
    expect(posting.takes(want(0, { maxBytes: MAX_DATA_BYTES }))).toBe(false);
    expect(posting.takes(want(0, { codec: DAG_PB }))).toBe(false);
    expect(() => posting.onTicket(new Uint8Array(16))).toThrow(PROTOCOL_ERROR);
  });

  it("has a few under way, and takes of the others the most urgent first, then the oldest", async () => {
    const { posting, posts, open, ids } = openPosting();
    open();
    for (let id = 0; id < 5; id++) posting.add(want(id));
    posting.add(want(5, { priority: 2 }));
    posting.add(want(6, { priority: 0 }));
    posting.add(want(7, { priority: 2 }));
    expect([ids(), posting.count]).toEqual([[0, 1], 8]);
    for (let at = 0; at < 8; at++) {
      posts[at]?.arrive(1);
      await turn();
      expect(posts.length).toBe(Math.min(8, at + 1 + POSTS_AT_ONCE));
    }
    expect([ids(), posting.count]).toEqual([[0, 1, 5, 7, 2, 3, 4, 6], 0]);
  });

  it("takes first what has become urgent while it waits", async () => {
    const { posting, posts, open, ids } = openPosting();
    open();
    for (let id = 0; id < 6; id++) posting.add(want(id));
    for (const id of [5, 4, 0, 9]) posting.prioritize(id, 2);
    posting.prioritize(2, 0);
    for (let at = 0; at < 6; at++) {
      posts[at]?.arrive(1);
      await turn();
    }
    expect(ids()).toEqual([0, 1, 4, 5, 3, 2]);
  });

  it("takes first what others were not given lately, and others what it did not take", async () => {
    const given = new GivenBlocks();
    const [one, other] = [openPosting(given), openPosting(given)];
    for (const { posting, open } of [one, other]) {
      open();
      for (let id = 0; id < 6; id++) posting.add(want(id, { digest: new Uint8Array(32).fill(id) }));
    }
    for (const { posts } of [one, other, one, other]) {
      posts.at(-1)?.arrive(1);
      await turn();
    }
    expect([one.ids(), other.ids()]).toEqual([
      [0, 1, 2, 4],
      [0, 1, 3, 5],
    ]);
  });

  it("forgets what is cancelled before its turn, and that alone", async () => {
    const { posting, posts, open, ids } = openPosting();
    open();
    for (let id = 0; id < 4; id++) posting.add(want(id));
    expect([0, 2, 2, 9].map((id) => posting.cancel(id))).toEqual([false, true, false, false]);
    for (const post of posts) post.arrive(1);
    await turn();
    expect([ids(), posting.count]).toEqual([[0, 1, 3], 1]);
  });

  it("is patient once one has arrived, until one is lost", async () => {
    const timeout = vi.spyOn(AbortSignal, "timeout");
    const { posting, posts, seen, open } = openPosting();
    open();
    posting.add(want(0));
    posts[0]?.arrive(70);
    await turn();
    posting.add(want(1));
    posts[1]?.break();
    await turn();
    posting.add(want(2));
    expect(timeout.mock.calls.map(([ms]) => ms)).toEqual([FIRST_POST_MS, POST_MS, FIRST_POST_MS]);
    expect([seen.sent.slice(1), seen.uploadedBytes]).toEqual([[{ type: "unposted", requestId: 1 }], 70]);
    expect(posting.takes(want(3))).toBe(true);
    for (const id of [3, 4]) posting.add(want(id));
    posts[2]?.break();
    await turn();
    // None has arrived since one was lost: what waits goes to the stream.
    expect([posting.takes(want(5)), seen.unposted, seen.lost]).toEqual([false, ["4: 1"], 2]);
    expect(posting.count).toBe(1);
  });

  it("leaves to the stream what can't be posted, as urgent as it has become", async () => {
    const { posting, posts, seen, open } = openPosting();
    open();
    for (const id of [3, 4]) posting.add(want(id));
    posting.prioritize(4, 2);
    for (const post of posts) post.arrive();
    await turn();
    expect([seen.unposted, seen.lost, seen.uploadedBytes, posting.count]).toEqual([
      ["3: 1", "4: 2"],
      0,
      0,
      0,
    ]);
  });

  it("ends with its conversation, and says no more", async () => {
    const { posting, posts, seen, open, ids } = openPosting();
    open();
    for (let id = 0; id < 4; id++) posting.add(want(id));
    const sent = [...seen.sent];
    posting.close();
    expect(posts.map(({ signal }) => signal.aborted)).toEqual([true, true]);
    posts[0]?.break();
    posts[1]?.arrive(5);
    await turn();
    expect(seen).toEqual({ sent, unposted: [], lost: 0, uploadedBytes: 0 });
    expect([ids(), posting.takes(want(9))]).toEqual([[0, 1], false]);
  });
});

describe("posts that are expected", () => {
  async function* body(...pieces: number[]): AsyncGenerator<Uint8Array> {
    for (const bytes of pieces) yield new Uint8Array(bytes);
  }

  function expected({ onData = () => {} }: { onData?: () => void } = {}) {
    const posts = new ExpectedPosts();
    const heard: unknown[] = [];
    const { ticket, close } = posts.expect({
      onMessage: (message) => heard.push(message),
      onData: (requestId, bytes) => {
        onData();
        heard.push([requestId, bytes.length]);
      },
      onPostLost: (requestId) => heard.push(`lost ${requestId}`),
    });
    return { posts, heard, close, text: ticketText(ticket) };
  }

  it("are taken piece by piece for as long as the ticket holds", async () => {
    const { posts, heard, close, text } = expected();
    expect(await posts.take(text, 4, 5, body(2, 3))).toBe(true);
    expect(heard).toEqual([{ type: "block", requestId: 4, sizeBytes: 5 }, [4, 2], [4, 3]]);
    close();
    expect(await posts.take(text, 5, 5, body(5))).toBe(false);
    expect(heard).toHaveLength(3);
  });

  it("are lost where the body ends early", async () => {
    const { posts, heard, text } = expected();
    await expect(posts.take(text, 4, 5, body(2))).rejects.toMatchObject({ name: "peer_lost" });
    expect(heard.at(-1)).toBe("lost 4");
  });

  it("are refused and lost where what comes is against the rules, and fail with what else goes wrong", async () => {
    const errors = [new SharingError("protocol_error", "x"), new TypeError("broken")];
    const { posts, heard, text } = expected({
      onData: () => {
        throw errors.shift();
      },
    });
    expect(await posts.take(text, 4, 5, body(5))).toBe(false);
    await expect(posts.take(text, 5, 5, body(5))).rejects.toThrow("broken");
    expect(heard.filter((one) => typeof one === "string")).toEqual(["lost 4", "lost 5"]);
  });
});

describe("the asking end of posts", () => {
  function asked(posts: ExpectedPosts | undefined) {
    const sent: Message[] = [];
    const taker = { onMessage: () => {}, onData: () => {}, onPostLost: () => {} };
    return { sent, asked: new AskedPosts({ posts, taker, send: (message) => sent.push(message) }) };
  }

  it("gives one ticket, void once it is closed", async () => {
    const posts = new ExpectedPosts();
    const { sent, asked: own } = asked(posts);
    own.onAsk();
    expect(() => own.onAsk()).toThrow(PROTOCOL_ERROR);
    const [given] = sent;
    const ticket = given?.type === "post_ticket" ? ticketText(given.ticket) : "";
    expect(await posts.take(ticket, 0, 0, (async function* () {})())).toBe(true);
    own.close();
    expect(await posts.take(ticket, 0, 0, (async function* () {})())).toBe(false);
  });

  it("skips the question where nobody can come, however often, and believes no loss", () => {
    const { sent, asked: own } = asked(undefined);
    own.onAsk();
    own.onAsk();
    expect(sent).toEqual([]);
    expect(() => own.onLost()).toThrow(PROTOCOL_ERROR);
  });

  it("believes so many losses before a block comes whole", () => {
    const { asked: own } = asked(new ExpectedPosts());
    own.onAsk();
    for (let round = 0; round < 2; round++) {
      for (let count = 0; count < MAX_UNPOSTED; count++) own.onLost();
      own.onWhole();
    }
    for (let count = 0; count < MAX_UNPOSTED; count++) own.onLost();
    expect(() => own.onLost()).toThrow(PROTOCOL_ERROR);
  });
});
