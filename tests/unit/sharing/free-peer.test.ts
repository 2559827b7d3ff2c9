/** A file that waits at all of the peers that it may have, while another could bring it at once. */
import { expect, it } from "vitest";
import {
  CHUNK_BYTES,
  FREE_AGAIN_MS,
  IDLE_PEER_MS,
  LONG_FILES_AT_ONCE,
  SHORT_CHUNKS,
  SHORT_FILES_AT_ONCE,
  TICK_MS,
} from "../../../src/sharing/limits.ts";
import { untilAborted } from "../../until-aborted.ts";
import { HandClock } from "../hand-clock.ts";
import { bytesOf, ended, Hub, type HubNode, type Manners, randomFile } from "./hub.ts";

const PLACES = 2;
const LONG = 2 * SHORT_CHUNKS;

/** Gives manifests alone. */
const keepsBack: Manners = {
  maxInFlight: 1,
  answer: (_, bytes, signal) => (bytes.length < CHUNK_BYTES ? bytes : untilAborted(signal)),
};

const filesOf = (count: number, chunks: number) =>
  Array.from({ length: count }, () => randomFile(chunks * CHUNK_BYTES));
const longFiles = (count: number) => filesOf(count, LONG);

async function shareAll({ node }: HubNode, files: Uint8Array[]): Promise<string[]> {
  const shared = files.map((bytes) => node.share(bytesOf(bytes), { name: "x" }));
  return (await Promise.all(shared)).map(({ file }) => file.id);
}

/** The peers of the last file are asked for as many others as may be, and bring nothing. */
async function waiting() {
  const clock = new HandClock();
  const hub = new Hub(clock);
  const files = longFiles(LONG_FILES_AT_ONCE + 1);
  const last = files.slice(-1);
  const fileIds = await shareAll(await hub.join("first", { manners: keepsBack }), files);
  await shareAll(await hub.join("second", { manners: keepsBack }), files);
  const { node, sessions } = await hub.join("leecher");
  const begin = async (fileId: string, maxPeers: number) => {
    const { id } = await node.download({ fileId, maxPeers });
    const askedCount = () => node.chunkMap(id).states.filter((state) => state === 1).length;
    await clock.pass(1);
    // On a busy machine what it opens takes longer than the turns of a pass, and who comes later would be before it at a peer.
    await clock.passUntil(() => askedCount() === maxPeers || node.transfer(id).isWaiting);
    return id;
  };
  const ids: string[] = [];
  for (const fileId of fileIds) ids.push(await begin(fileId, PLACES));
  const id = ids.at(-1) as string;
  expect(node.transfer(id).isWaiting).toBe(true);
  return { clock, hub, node, sessions, last, id, begin };
}

it("is brought by that one", async () => {
  const { clock, hub, node, id, last } = await waiting();
  await shareAll(await hub.join("third"), last);
  await clock.pass(2 * TICK_MS);
  expect(await ended(node, id)).toBe("transfer_complete");
  expect(node.transfer(id).peers).toMatchObject([{ peerId: "third", chunksDownloaded: LONG }]);
});

it("keeps its places where that one is as busy, until one more comes who is not", async () => {
  const { clock, hub, node, sessions, last, id, begin } = await waiting();
  const third = await hub.join("third", { manners: keepsBack });
  for (const fileId of await shareAll(third, longFiles(LONG_FILES_AT_ONCE))) await begin(fileId, 1);
  const before = sessions.toSorted();
  await shareAll(third, last);
  await clock.pass(2 * TICK_MS);
  expect(sessions.toSorted()).toEqual(before);
  await shareAll(await hub.join("fourth"), last);
  await clock.pass(TICK_MS);
  expect(await ended(node, id)).toBe("transfer_complete");
});

it("gives that one up where it turns out to have nothing, and does not come back to it at once", async () => {
  const { clock, hub, sessions, last } = await waiting();
  const haves: Manners["haves"] = async function* () {
    yield { kind: "none" };
    await new Promise(() => {});
  };
  await shareAll(await hub.join("third", { manners: { haves } }), last);
  const isThere = () => sessions.includes("third");
  await clock.passUntil(isThere);
  await clock.passUntil(() => !isThere());
  expect(await clock.passUntil(isThere)).toBeGreaterThan(FREE_AGAIN_MS - IDLE_PEER_MS);
});

/** As many files of one chunk are asked of their only peer as may be, and one waits. */
async function waitingShort() {
  const clock = new HandClock();
  const hub = new Hub(clock);
  const files = filesOf(SHORT_FILES_AT_ONCE + 1, 1);
  const { node, sessions } = await hub.join("leecher");
  const begin = async (fileId: string) => (await node.download({ fileId, maxPeers: 1 })).id;
  for (const fileId of await shareAll(await hub.join("first", { manners: keepsBack }), files)) {
    await begin(fileId);
    await clock.pass(1);
  }
  const [waiting, ...others] = node.transfers().filter(({ isWaiting }) => isWaiting);
  if (waiting === undefined || others.length > 0) throw new Error("one waits");
  const shareWaiting = async (by: HubNode) => {
    const shared = await shareAll(by, files.slice(-1));
    expect(shared).toEqual([waiting.fileId]);
    await clock.pass(2 * TICK_MS);
  };
  return { clock, hub, node, sessions, id: waiting.id, begin, shareWaiting };
}

it("is brought by that one before anything is known of it", async () => {
  const { hub, node, id, shareWaiting } = await waitingShort();
  await shareWaiting(await hub.join("second"));
  expect(node.transfer(id).status).toBe("completed");
});

it("keeps its place where that one is asked for as many short files", async () => {
  const { clock, hub, sessions, begin, shareWaiting } = await waitingShort();
  const second = await hub.join("second", { manners: keepsBack });
  for (const fileId of await shareAll(second, filesOf(SHORT_FILES_AT_ONCE, 1))) await begin(fileId);
  await clock.pass(1);
  const before = sessions.toSorted();
  await shareWaiting(second);
  expect(sessions.toSorted()).toEqual(before);
});
