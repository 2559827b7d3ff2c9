/** Many who download from a node whose upload is limited: they wait in turn, and none takes it for gone. */
import { expect, it } from "vitest";
import { MAX_SERVED_PEERS, STALL_MS } from "../../../src/exchange/limits.ts";
import type { PeerSession } from "../../../src/sharing/ports.ts";
import { HandClock } from "../hand-clock.ts";
import { startCrowd, startServer } from "./crowd.ts";
import { lineOf } from "./line.ts";
import { type Block, KIB, MIB, makeBlocks, sourceOf, wanted } from "./loopback.ts";
import { ScriptedPeer } from "./scripted-peer.ts";

const RATE = 10 * KIB;

/** Each waits for all of the blocks; what came of each fetch, in the order of their ends. */
async function startQueue(count: number, blocks: Block[], others: Block[] = []) {
  const clock = new HandClock();
  const source = sourceOf([...blocks, ...others]);
  const crowd = startCrowd(clock, source, { rates: { maxUploadBytesPerSecond: RATE } });
  const ends: string[] = [];
  for (let nth = 0; nth < count; nth++) {
    const session = await crowd.ask();
    for (const block of blocks) {
      session.fetch(wanted(block)).then(
        () => ends.push("whole"),
        (error: Error) => ends.push(error.message),
      );
    }
  }
  return { clock, crowd, ends };
}

it("a chunk comes whole of 10 KiB a second that 128 peers share, and none of those that wait gives up", async () => {
  const { clock, crowd, ends } = await startQueue(MAX_SERVED_PEERS, await makeBlocks(2, MIB));
  await clock.pass(4 * STALL_MS);
  expect(ends).toEqual(["whole"]);
  expect(crowd.violations).toEqual([]);
});

it("a manifest comes soon, also for one that waits for a chunk", async () => {
  const [chunks, manifests] = await Promise.all([makeBlocks(2, MIB), makeBlocks(4, 5 * KIB)]);
  const { clock, crowd, ends } = await startQueue(20, chunks, manifests);
  await clock.pass(10_000);
  const [newcomer, waiting] = [await crowd.ask(), await crowd.ask()];
  void waiting.fetch(wanted(chunks[0] as Block));
  await clock.pass(10_000);
  let arrivedCount = 0;
  for (const [nth, block] of manifests.entries()) {
    const session = nth % 2 === 0 ? newcomer : waiting;
    void session.fetch(wanted(block, { priority: 2 })).then(() => arrivedCount++);
  }
  await clock.pass(10_000);
  expect(arrivedCount).toBe(manifests.length);
  expect(ends).toEqual([]);
});

it("one small file after the other comes soon, and several at once do", async () => {
  const [chunks, files] = await Promise.all([makeBlocks(2, MIB), makeBlocks(4, 10 * KIB)]);
  const { clock, crowd, ends } = await startQueue(20, chunks, files);
  await clock.pass(10_000);
  const [one, other] = [await crowd.ask(), await crowd.ask()];
  const fetch = (session: PeerSession, block: Block) => session.fetch(wanted(block, { priority: 2 }));
  const arrived: string[] = [];
  void (async () => {
    for (const file of files) await fetch(one, file).then(() => arrived.push("one"));
  })();
  for (const file of files) void fetch(other, file).then(() => arrived.push("other"));
  await clock.pass(30_000);
  expect(arrived.sort()).toEqual([...files.map(() => "one"), ...files.map(() => "other")]);
  expect(ends).toEqual([]);
});

it("a chunk comes to a peer of another host while a hundred ids of two hosts ask for theirs", async () => {
  const clock = new HandClock();
  const [block] = (await makeBlocks(1, MIB)) as [Block];
  const { answer } = startServer(clock, sourceOf([block]), { maxUploadBytesPerSecond: 10 * RATE }, (peerId) =>
    peerId.slice(0, 4),
  );
  const ask = (peerId: string) => {
    const { near, far } = lineOf(clock);
    const peer = new ScriptedPeer(near.asStream);
    answer(far.asStream, peerId);
    const { code: codec, multihash } = block.cid;
    peer.send({ type: "want", requestId: 0, priority: 1, maxBytes: MIB, codec, digest: multihash.digest });
    return peer;
  };
  for (let id = 0; id < 100; id++) ask(`are${id % 2} ${id}`);
  const one = ask("one");
  await clock.pass(6 * STALL_MS);
  expect(one.dataBytes).toBe(MIB);
});
