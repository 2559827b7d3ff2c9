/** The watches of a conversation, asked for and served: src/exchange/asking/asked-watches, serving/served-watches. */
import { getEventListeners } from "node:events";
import { CID } from "multiformats/cid";
import { create as createDigest } from "multiformats/hashes/digest";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { AskedWatches } from "../../../src/exchange/asking/asked-watches.ts";
import { BULK_SEND_BYTES, FIELD_PIECE_BYTES, MAX_WATCHES_PER_PEER } from "../../../src/exchange/limits.ts";
import { ServedWatch } from "../../../src/exchange/serving/served-watch.ts";
import { ServedWatches } from "../../../src/exchange/serving/served-watches.ts";
import { FrameReader } from "../../../src/exchange/wire/frames.ts";
import type { Message } from "../../../src/exchange/wire/messages.ts";
import type { HaveUpdate } from "../../../src/sharing/ports.ts";
import { deferred } from "../../deferred.ts";

const FILE = CID.createV1(0x55, createDigest(0x12, new Uint8Array(32)));
const PROTOCOL_ERROR = expect.objectContaining({ name: "protocol_error" });

async function* untilAborted(signal: AbortSignal, ...updates: HaveUpdate[]): AsyncGenerator<HaveUpdate> {
  yield* updates;
  if (signal.aborted) return;
  await new Promise((resolve) => signal.addEventListener("abort", resolve));
}

/** What is told of the watches now. */
function told(watches: ServedWatches): Message[] {
  const messages: Message[] = [];
  const reader = new FrameReader({ onMessage: (message) => messages.push(message), onData: () => {} });
  for (const frame of watches.takeFrames(BULK_SEND_BYTES)) reader.push(frame);
  return messages;
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe("the watches of a peer here", () => {
  const begin = (watches: ServedWatches, watchId: number, ...updates: HaveUpdate[]) =>
    watches.begin({ watchId, fileId: `${watchId}`, chunkCount: 200_000 }, (signal) =>
      untilAborted(signal, ...updates),
    );

  it("are so many at most, counted until their end was told", async () => {
    const watches = new ServedWatches(() => {});
    const all = [];
    for (let watchId = 0; watchId < MAX_WATCHES_PER_PEER; watchId++) all.push(begin(watches, watchId));
    expect(() => begin(watches, 1000)).toThrow(PROTOCOL_ERROR);
    watches.end(3);
    expect(() => begin(watches, 1001)).toThrow(PROTOCOL_ERROR);
    expect(told(watches)).toEqual([{ type: "watch_end", watchId: 3 }]);
    all.push(begin(watches, 1002));
    expect(watches.size).toBe(MAX_WATCHES_PER_PEER);
    watches.stop();
    expect(told(watches)).toHaveLength(MAX_WATCHES_PER_PEER);
    expect(watches.size).toBe(0);
    await Promise.all(all);
  });

  it("have ids that grow, and end twice or late without harm", async () => {
    const watches = new ServedWatches(() => {});
    const first = begin(watches, 5);
    for (const watchId of [4, 5]) expect(() => begin(watches, watchId)).toThrow(PROTOCOL_ERROR);
    expect(() => watches.end(6)).toThrow(PROTOCOL_ERROR);
    watches.end(2);
    watches.end(5);
    watches.end(5);
    expect(told(watches)).toEqual([{ type: "watch_end", watchId: 5 }]);
    watches.end(5);
    await first;
    expect(told(watches)).toEqual([]);
  });

  it("tell all of a field, piece by piece, and runs in their order", async () => {
    const bits = Uint8Array.from({ length: 25_000 }, (_, at) => at % 251);
    const watches = new ServedWatches(() => {});
    void begin(watches, 0, { kind: "bitfield", bits });
    void begin(watches, 1, { kind: "have", indexes: [9, 2, 8, 1] });
    await turn();
    const [runs, ...fields] = told(watches).reverse();
    expect(runs).toEqual({
      type: "have_runs",
      watchId: 1,
      runs: [
        { start: 1, count: 2 },
        { start: 8, count: 2 },
      ],
    });
    const joined = new Uint8Array(bits.length);
    for (const field of fields) if (field.type === "have_field") joined.set(field.bits, field.offsetBytes);
    expect(fields).toHaveLength(Math.ceil(bits.length / FIELD_PIECE_BYTES));
    expect(Buffer.compare(joined, bits)).toBe(0);
    watches.stop();
  });

  it("wake whoever sends, with each piece of news and at the end", async () => {
    let wakings = 0;
    const watches = new ServedWatches(() => wakings++);
    const watch = begin(watches, 0, { kind: "all" });
    await turn();
    expect(wakings).toBe(1);
    watches.end(0);
    expect(wakings).toBe(2);
    await watch;
    await watches.begin({ watchId: 1, fileId: "b", chunkCount: 1 }, async function* () {});
    expect(wakings).toBeGreaterThan(3);
  });

  it("are one a file: a new one ends the one before", async () => {
    const watches = new ServedWatches(() => {});
    const begin = (watchId: number, fileId: string) =>
      watches.begin({ watchId, fileId, chunkCount: 9 }, (signal) => untilAborted(signal, { kind: "all" }));
    const all = [begin(0, "a"), begin(1, "b"), begin(2, "a"), begin(3, "a")];
    await Promise.all([all[0], all[2]]);
    const [ended, having] = ["watch_end", "have_all"];
    const heard = told(watches).map((message) => "watchId" in message && [message.type, message.watchId]);
    expect(new Set(heard.map(String))).toEqual(
      new Set([`${ended},0`, `${having},1`, `${ended},2`, `${having},3`]),
    );
    expect(watches.size).toBe(2);
    watches.stop();
    await Promise.all(all);
  });

  it("are looked at only if they have news, in the order of these", async () => {
    const watches = new ServedWatches(() => {});
    const news = [0, 1, 2].map(() => deferred());
    for (const [watchId, { promise }] of news.entries()) {
      void watches.begin({ watchId, fileId: `${watchId}`, chunkCount: 9 }, async function* (signal) {
        await promise;
        yield* untilAborted(signal, { kind: "all" });
      });
    }
    const looks = vi.spyOn(ServedWatch.prototype, "takeFrames");
    onTestFinished(() => looks.mockRestore());
    for (const watchId of [2, 0]) {
      news[watchId]?.resolve();
      await turn();
    }
    expect(told(watches)).toEqual([2, 0].map((watchId) => ({ type: "have_all", watchId })));
    expect(looks).toHaveBeenCalledTimes(2);
    watches.stop();
  });

  it("keep no others waiting where what is new to one is known already", async () => {
    const watches = new ServedWatches(() => {});
    const again = deferred();
    const told0: HaveUpdate = { kind: "have", indexes: [1] };
    void watches.begin({ watchId: 0, fileId: "0", chunkCount: 9 }, async function* (signal) {
      yield told0;
      await again.promise;
      yield* untilAborted(signal, told0);
    });
    await turn();
    expect(told(watches)).toHaveLength(1);
    again.resolve();
    await turn();
    void begin(watches, 1, { kind: "all" });
    await turn();
    expect(told(watches)).toEqual([{ type: "have_all", watchId: 1 }]);
    watches.stop();
  });

  it("tell what came before their end, and then that", async () => {
    const watches = new ServedWatches(() => {});
    await watches.begin({ watchId: 0, fileId: "a", chunkCount: 1 }, async function* () {
      yield { kind: "all" };
    });
    expect(told(watches).map(({ type }) => type)).toEqual(["have_all", "watch_end"]);
  });

  it("let go of a source that tells more after their end", async () => {
    const watches = new ServedWatches(() => {});
    const more = deferred();
    let isLetGo = false;
    const following = watches.begin({ watchId: 0, fileId: "a", chunkCount: 1 }, async function* () {
      try {
        await more.promise;
        yield { kind: "all" };
        await new Promise(() => {});
      } finally {
        isLetGo = true;
      }
    });
    watches.end(0);
    more.resolve();
    await turn();
    expect(isLetGo).toBe(true);
    await following;
  });
});

describe("the watches at a peer", () => {
  function watching(chunkCount = 20) {
    const sent: Message[] = [];
    const watches = new AskedWatches((message) => sent.push(message));
    return { sent, watches, watch: watches.begin(FILE, chunkCount) };
  }

  /** As many as there may be, and those that the peer was told of. */
  function watchingMost() {
    const { sent, watches, watch } = watching();
    for (let count = 1; count < MAX_WATCHES_PER_PEER; count++) watches.begin(FILE, 1);
    const toldOf = () => sent.flatMap((message) => (message.type === "watch" ? message.chunkCount : []));
    return { sent, watches, watch, toldOf: () => toldOf().slice(MAX_WATCHES_PER_PEER) };
  }

  /** One more that waits, begun to be read. */
  async function waiting(watches: AskedWatches, ...signals: AbortSignal[]) {
    const news = watches.begin(FILE, 2).updates(...signals);
    expect((await news.next()).value).toEqual({ kind: "waiting" });
    return news;
  }

  it("are so many at most: others wait, in their order, until the peer says that one is over", async () => {
    const { sent, watches, toldOf } = watchingMost();
    const second = await waiting(watches);
    watches.begin(FILE, 3);
    expect(toldOf()).toEqual([]);
    watches.end(7);
    expect([toldOf(), sent.at(-1)]).toMatchObject([[2], { watchId: MAX_WATCHES_PER_PEER }]);
    watches.take({ type: "have_all", watchId: MAX_WATCHES_PER_PEER });
    expect((await second.next()).value).toEqual({ kind: "all" });
    watches.end(8);
    expect(toldOf()).toEqual([2, 3]);
  });

  it("are never begun where the reader leaves before their turn", async () => {
    const { sent, watches, toldOf } = watchingMost();
    const leaving = new AbortController();
    const next = (await waiting(watches, leaving.signal)).next();
    leaving.abort();
    expect((await next).done).toBe(true);
    watches.end(0);
    expect([toldOf(), sent.at(-1)]).toMatchObject([[], { type: "watch" }]);
  });

  it("end with the conversation, also those that wait", async () => {
    const { watches, watch, toldOf } = watchingMost();
    const nexts = [watch.updates(), await waiting(watches)].map((news) => news.next());
    watches.endAll();
    expect((await Promise.all(nexts)).map(({ done }) => done)).toEqual([true, true]);
    expect(() => watches.end(0)).toThrow(PROTOCOL_ERROR);
    expect(toldOf()).toEqual([]);
  });

  it.each<[string, Message & { watchId: number }]>([
    ["a run past the file", { type: "have_runs", watchId: 0, runs: [{ start: 19, count: 2 }] }],
    ["a field past the file", { type: "have_field", watchId: 0, offsetBytes: 2, bits: new Uint8Array(2) }],
    ["a field behind the file", { type: "have_field", watchId: 0, offsetBytes: 3, bits: new Uint8Array(1) }],
    ["a bit past the file", { type: "have_field", watchId: 0, offsetBytes: 2, bits: Uint8Array.of(0x08) }],
    ["news of what nobody watches", { type: "have_all", watchId: 1 }],
  ])("take %s for a protocol error", (_, message) => {
    const { watches } = watching();
    expect(() => watches.take(message as Parameters<AskedWatches["take"]>[0])).toThrow(PROTOCOL_ERROR);
  });

  it("take word that nothing is held for news", async () => {
    const { watches, watch } = watching();
    watches.take({ type: "have_none", watchId: 0 });
    expect((await watch.updates().next()).value).toEqual({ kind: "none" });
  });

  it("take news up to the last chunk of the file", async () => {
    const { watches, watch } = watching();
    const updates = watch.updates();
    watches.take({ type: "have_runs", watchId: 0, runs: [{ start: 18, count: 2 }] });
    expect((await updates.next()).value).toEqual({ kind: "have", indexes: [18, 19] });
    watches.take({ type: "have_field", watchId: 0, offsetBytes: 2, bits: Uint8Array.of(0x10) });
    expect((await updates.next()).value).toEqual({ kind: "bitfield", bits: Uint8Array.of(0, 0, 0x10) });
  });

  it("take a field piece by piece, whose other bytes are full where the last has bits to spare", async () => {
    const { watches, watch } = watching();
    watches.take({ type: "have_field", watchId: 0, offsetBytes: 0, bits: Uint8Array.of(0xff, 0x0f) });
    watches.take({ type: "have_field", watchId: 0, offsetBytes: 2, bits: Uint8Array.of(0x10) });
    const bits = Uint8Array.of(0xff, 0x0f, 0x10);
    expect((await watch.updates().next()).value).toEqual({ kind: "bitfield", bits });
  });

  it("give what came before the peer ended them, and are not ended twice", async () => {
    const { sent, watches, watch } = watching();
    const { signal } = new AbortController();
    const updates = watch.updates(signal);
    const first = updates.next();
    expect(getEventListeners(signal, "abort")).toHaveLength(1);
    watches.take({ type: "have_all", watchId: 0 });
    watches.end(0);
    expect((await first).value).toEqual({ kind: "all" });
    expect((await updates.next()).done).toBe(true);
    expect(sent.map(({ type }) => type)).toEqual(["watch"]);
    expect(getEventListeners(signal, "abort")).toEqual([]);
    expect(() => watches.end(0)).toThrow(PROTOCOL_ERROR);
  });

  it("end with the signal while nothing comes, which the peer is told, and of no other", async () => {
    const { sent, watches, watch } = watching();
    watches.begin(FILE, 1);
    const reading = new AbortController();
    const next = watch.updates(reading.signal).next();
    reading.abort();
    expect((await next).done).toBe(true);
    expect(sent.slice(2)).toEqual([{ type: "unwatch", watchId: 0 }]);
  });
});
