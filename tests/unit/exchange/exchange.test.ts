/** An exchange on streams that the test holds: whom it serves, of whom its node hears, and what it leaves behind. */
import type { Stream } from "@libp2p/interface";
import { describe, expect, it, vi } from "vitest";
import { createExchange, type Rates } from "../../../src/exchange/exchange.ts";
import { DOUBT_MS, MAX_SERVED_PEERS, TICK_MS } from "../../../src/exchange/limits.ts";
import { FrameReader } from "../../../src/exchange/wire/frames.ts";
import { encodeDataHeader, type Message } from "../../../src/exchange/wire/messages.ts";
import { deferred } from "../../deferred.ts";
import { HandClock, settled } from "../hand-clock.ts";
import { HandStream } from "./hand-stream.ts";
import { type Block, makeBlocks, sourceOf, wanted } from "./loopback.ts";

const STOPPED = expect.objectContaining({ name: "stopped" });

function openExchange(rates: Rates = {}) {
  const clock = new HandClock();
  const sleep = vi.spyOn(clock, "sleep");
  const asked = new HandStream();
  const doubted: string[] = [];
  let serve: ((stream: Stream, peerId: string) => void) | undefined;
  const exchange = createExchange({
    ...rates,
    clock,
    streams: {
      openStream: async () => asked as unknown as Stream,
      handle: (_, handler) => {
        serve = handler;
      },
      doubt: (peerId) => void doubted.push(peerId),
      transportOf: () => "tcp",
      originOf: (peerId) => peerId,
    },
  });
  return {
    exchange,
    /** The stream on which this node asks. */
    asked,
    clock,
    /** Peers of which it says that they may be gone. */
    doubted,
    /** What would still wake up: no time has passed. */
    sleepCount: () => sleep.mock.calls.filter(([, signal]) => !signal?.aborted).length,
    /** The peer opens a conversation. */
    met(peerId: string): HandStream {
      const stream = new HandStream();
      serve?.(stream as unknown as Stream, peerId);
      return stream;
    },
  };
}

function wantOf({ cid, bytes }: Block): Message {
  const { code: codec, multihash } = cid;
  return { type: "want", requestId: 0, priority: 1, maxBytes: bytes.length, codec, digest: multihash.digest };
}

function heardOn({ sent }: HandStream): string[] {
  const heard: string[] = [];
  const reader = new FrameReader({
    onMessage: ({ type }) => heard.push(type),
    onData: () => heard.push("data"),
  });
  for (const bytes of sent) reader.push(Uint8Array.from(bytes));
  return heard;
}

describe("an exchange", () => {
  it("tells its node which asker broke the protocol, and of none that left or came anew", async () => {
    const { exchange, met } = openExchange();
    const strikes: [string, string][] = [];
    exchange.serve(sourceOf([]), (peerId, { name }) => strikes.push([peerId, name]));
    const [liar, leaver, comer] = ["liar", "leaver", "comer"].map(met) as [
      HandStream,
      HandStream,
      HandStream,
    ];
    leaver.dispatchEvent(new Event("close"));
    met("comer");
    liar.arrive({ type: "cancel", requestId: 0 });
    exchange.stop();
    expect(comer.ends).toMatchObject([{ name: "peer_lost" }]);
    expect(strikes).toEqual([["liar", "protocol_error"]]);
  });

  it("serves a peer that comes back though all places are taken, since the one taken by its own reading is its own", async () => {
    const { exchange, met } = openExchange();
    const [block] = (await makeBlocks(1, 10)) as [Block];
    const release = deferred();
    const readBlock = () => release.promise.then(() => block.bytes);
    exchange.serve({ ...sourceOf([block]), readBlock });
    const peers = Array.from({ length: MAX_SERVED_PEERS }, (_, nth) => met(`peer ${nth}`));
    for (const peer of peers) peer.arrive(wantOf(block));
    peers[0]?.dispatchEvent(new Event("close"));
    expect(met("stranger").ends).toEqual([STOPPED]);
    const back = met("peer 0");
    back.arrive(wantOf(block));
    release.resolve();
    await settled();
    expect([back.ends, heardOn(back)]).toEqual([[], ["block", "data"]]);
    exchange.stop();
  });

  it("has the connection looked at of a peer that owes an answer and is silent", async () => {
    const { exchange, clock, doubted } = openExchange();
    const [block] = (await makeBlocks(1, 10)) as [Block];
    const session = await exchange.openSession("seed", new AbortController().signal);
    const fetching = session.fetch(wanted(block));
    await clock.pass(DOUBT_MS - TICK_MS);
    expect(doubted).toEqual([]);
    await clock.pass(2 * TICK_MS);
    expect(doubted).toEqual(["seed"]);
    exchange.stop();
    await expect(fetching).rejects.toThrow(STOPPED);
  });

  it("ends all conversations when it is stopped, and begins no more", () => {
    const { exchange, met } = openExchange();
    exchange.serve(sourceOf([]));
    const before = met("peer");
    exchange.stop();
    expect([before.ends, met("peer").ends, met("other").ends]).toEqual([[STOPPED], [STOPPED], [STOPPED]]);
  });

  it("leaves nothing that would wake up later when it is stopped, whatever its rates hold back", async () => {
    const rates = { maxUploadBytesPerSecond: 1000, maxDownloadBytesPerSecond: 1000 };
    const { exchange, asked, met, sleepCount } = openExchange(rates);
    const [block, other] = (await makeBlocks(2, 10_000)) as [Block, Block];
    exchange.serve(sourceOf([block]));
    met("asker").arrive(wantOf(block));
    const session = await exchange.openSession("seed", new AbortController().signal);
    const fetches = [block, other].map((one) => session.fetch(wanted(one)));
    await settled();
    asked.arrive({ type: "block", requestId: 0, sizeBytes: 10_000 });
    asked.arrive(encodeDataHeader(0, 10_000), block.bytes);
    expect(await fetches[0]).toEqual(block.bytes);
    // Those who send, those who ask, those who read on, and whoever looks at them all.
    expect(sleepCount()).toBe(4);
    exchange.stop();
    expect(sleepCount()).toBe(0);
    await expect(fetches[1]).rejects.toThrow(STOPPED);
  });
});
