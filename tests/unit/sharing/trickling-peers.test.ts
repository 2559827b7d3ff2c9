/** A download whose places are taken by peers that get nowhere, while another could bring it. */
import type { CID } from "multiformats/cid";
import { expect, it } from "vitest";
import { SharingError } from "../../../src/sharing/errors.ts";
import { RAW } from "../../../src/sharing/hash.ts";
import {
  CHUNK_BYTES,
  DEFAULT_MAX_PEERS,
  MAX_CHUNKS_UNDER_WAY,
  MAX_SILENCE_MS,
  MIN_REQUESTS,
  ROUND_ROBIN_SLACK,
  TRIAL_MS,
} from "../../../src/sharing/limits.ts";
import { MemoryBlockStore } from "../../../src/sharing/memory/memory-block-store.ts";
import { MemoryRecords } from "../../../src/sharing/memory/memory-records.ts";
import { untilAborted } from "../../until-aborted.ts";
import { HandClock } from "../hand-clock.ts";
import { bytesOf, Hub, type HubNode, type Manners, randomFile } from "./hub.ts";

const PLACES = 2;

const kinds: Record<string, (clock: HandClock) => Manners> = {
  "bring no chunk": () => ({
    answer: (cid, block, signal) => (cid.code === RAW ? untilAborted(signal) : block),
  }),
  "bring not even the manifest": () => ({ answer: (_cid, _block, signal) => untilAborted(signal) }),
  "refuse what they have, and say again that they have it": (clock) => ({
    answer: async (cid: CID, block) => {
      if (cid.code !== RAW) return block;
      await clock.sleep(100);
      throw new SharingError("block_not_found", "not now");
    },
    haves: async function* (haves) {
      let isWatched = true;
      const watching = untilUnwatched(haves).finally(() => {
        isWatched = false;
      });
      while (isWatched) {
        yield { kind: "all" };
        await Promise.race([watching, clock.sleep(500)]);
      }
    },
  }),
};

/** Settles when nobody watches any more. */
async function untilUnwatched(haves: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of haves);
}

it.each(Object.keys(kinds))("has one of its places go to that one where they %s", async (kind) => {
  const clock = new HandClock();
  const hub = new Hub(clock);
  const bytes = randomFile(4 * CHUNK_BYTES);
  const join = async (id: string, manners: Manners = {}) => {
    const peer = await hub.join(id, { manners });
    const { file } = await peer.node.share(bytesOf(bytes), { name: "x" });
    return { ...peer, fileId: file.id };
  };
  await join("a", kinds[kind]?.(clock));
  const { fileId } = await join("b", kinds[kind]?.(clock));
  const { node, sessions } = await hub.join("leecher");
  const { id } = await node.download({ fileId, maxPeers: PLACES });
  await clock.passUntil(() => sessions.length === PLACES);
  const { served } = await join("c");
  const tookMs = await clock.passUntil(() => served.length > 0);
  expect(tookMs).toBeLessThan(1.5 * MAX_SILENCE_MS);
  await clock.passUntil(() => node.transfer(id).status === "completed");
});

it.each([
  ["bring no chunk", DEFAULT_MAX_PEERS],
  ["bring not even the manifest", 0],
])(
  "has one of its places go to that one sooner where they %s, and not a byte comes",
  async (kind, chunkRequests) => {
    const clock = new HandClock();
    const hub = new Hub(clock);
    const bytes = randomFile((DEFAULT_MAX_PEERS + 1) * CHUNK_BYTES);
    const { node, sessions } = await hub.join("leecher");
    // All of them are asked for something, and none has nothing to give.
    const manners = { ...kinds[kind]?.(clock), maxInFlight: 1 };
    const mutes: HubNode[] = [];
    for (let at = 0; at < DEFAULT_MAX_PEERS; at++) {
      const mute = await hub.join(`mute ${at}`, { manners });
      await mute.node.share(bytesOf(bytes), { name: "x" });
      mutes.push(mute);
    }
    const honest = await hub.join("honest");
    const { file } = await honest.node.share(bytesOf(bytes), { name: "x" });
    const { id } = await node.download({ fileId: file.id });
    const asked = () => mutes.flatMap(({ served }) => served);
    const areAsked = () => asked().filter((id) => id !== file.id).length === chunkRequests;
    await clock.passUntil(() => asked().includes(file.id) && areAsked());
    expect(sessions).not.toContain(honest.id);
    const tookMs = await clock.passUntil(() => honest.served.length > 0);
    expect(tookMs).toBeLessThan(2 * TRIAL_MS);
    await clock.passUntil(() => node.transfer(id).status === "completed");
  },
);

it("hold up no other download for long, though they were asked for all that may be under way", async () => {
  const clock = new HandClock();
  const hub = new Hub(clock);
  const [blocks, records] = [new MemoryBlockStore(), new MemoryRecords()];
  const peerCount = MAX_CHUNKS_UNDER_WAY / MIN_REQUESTS;
  const long = randomFile((MAX_CHUNKS_UNDER_WAY + 1) * CHUNK_BYTES);
  let underWay = 0;
  const trickle = (cid: CID, block: Uint8Array, signal: AbortSignal) => {
    if (cid.code !== RAW) return block;
    underWay += 1;
    return untilAborted(signal).finally(() => {
      underWay -= 1;
    });
  };
  const trickling = (nth: number) => hub.join(`${nth}`, { blocks, records, manners: { answer: trickle } });
  const { file } = await (await trickling(0)).node.share(bytesOf(long), { name: "long" });
  for (let nth = 1; nth < peerCount; nth++) await trickling(nth);
  let answering = 0;
  const answer = async (cid: CID, block: Uint8Array, signal: AbortSignal) => {
    if (cid.code !== RAW) return block;
    answering += 1;
    await clock.sleep(4000, signal);
    answering -= 1;
    return block;
  };
  const honest = await hub.join("honest", { manners: { answer } });
  const other = await honest.node.share(bytesOf(randomFile(24 * CHUNK_BYTES)), { name: "other" });
  const { node } = await hub.join("leecher");
  const transfers = [await node.download({ fileId: file.id, maxPeers: peerCount })];
  await clock.passUntil(() => underWay >= MAX_CHUNKS_UNDER_WAY);
  transfers.push(await node.download({ fileId: other.file.id }));
  await clock.passUntil(() => answering > 0);
  const tookMs = await clock.passUntil(() => answering >= MIN_REQUESTS);
  expect(tookMs).toBeLessThan(1.5 * MAX_SILENCE_MS);
  await clock.passUntil(() => underWay === peerCount);
  for (const { id } of transfers) await node.cancel(id);
});

it("is waited for in round robin no longer than it takes to fall silent", async () => {
  const clock = new HandClock();
  const hub = new Hub(clock);
  const bytes = randomFile(4 * ROUND_ROBIN_SLACK * CHUNK_BYTES);
  const answer = (cid: CID, block: Uint8Array, signal: AbortSignal) =>
    cid.code === RAW ? untilAborted(signal) : block;
  const trickling = await hub.join("trickling", { manners: { answer } });
  const { file } = await trickling.node.share(bytesOf(bytes), { name: "x" });
  await (await hub.join("honest")).node.share(bytesOf(bytes), { name: "x" });
  const { node } = await hub.join("leecher");
  const { id } = await node.download({ fileId: file.id, strategy: "round_robin" });
  const tookMs = await clock.passUntil(() => node.transfer(id).status === "completed");
  expect(tookMs).toBeLessThan(1.5 * MAX_SILENCE_MS);
});
