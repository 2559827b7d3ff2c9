/** Several downloads of one file to different places, which run one after another. */
import type { CID } from "multiformats/cid";
import { expect, it, vi } from "vitest";
import { SharingError } from "../../../src/sharing/errors.ts";
import { RAW } from "../../../src/sharing/hash.ts";
import { CHUNK_BYTES, TICK_MS } from "../../../src/sharing/limits.ts";
import { eventually } from "../../eventually.ts";
import { untilAborted } from "../../until-aborted.ts";
import { HandClock, settled } from "../hand-clock.ts";
import { bytesOf, collect, ended, gate, Hub, type Manners, randomFile } from "./hub.ts";

/** A seeder that gives chunks once it may, and a leecher. */
async function openSwarm(hub = new Hub()) {
  const wall = gate();
  const answer = async (cid: CID, block: Uint8Array, signal: AbortSignal) => {
    const left = new Promise((resolve) => signal.addEventListener("abort", resolve));
    if (cid.code === RAW) await Promise.race([wall.opened, left]);
    return block;
  };
  const seeder = await hub.join("seeder", { manners: { answer } });
  const bytes = randomFile(4 * CHUNK_BYTES);
  const { file } = await seeder.node.share(bytesOf(bytes), { name: "x" });
  const leecher = await hub.join("leecher");
  const to = (outputPath: string) => leecher.node.download({ fileId: file.id, outputPath });
  return { wall, bytes, manners: { answer }, seeder, leecher, node: leecher.node, fileId: file.id, to };
}

it("one waits for those that ran before another which was cancelled while it waited, and nothing is fetched twice", async () => {
  const { wall, seeder, leecher, node, to } = await openSwarm();
  await to("first");
  await node.cancel((await to("second")).id);
  const third = await to("third");
  await settled();
  expect(leecher.sessions).toEqual(["seeder"]);
  wall.open();
  expect(await ended(node, third.id)).toBe("transfer_complete");
  expect([...leecher.outputs.keys()].sort()).toEqual(["first", "third"]);
  expect(seeder.served).toHaveLength(1 + 4);
});

it("one waits for the one that runs, though one before that has ended", async () => {
  const { wall, leecher, node, to } = await openSwarm();
  const [first, second] = [await to("first"), await to("second")];
  await node.cancel(first.id);
  await settled();
  expect(leecher.sessions).toEqual(["seeder"]);
  const third = await to("third");
  await settled();
  expect(leecher.sessions).toEqual(["seeder"]);
  wall.open();
  expect(await ended(node, third.id)).toBe("transfer_complete");
  expect(node.transfer(second.id).status).toBe("completed");
});

it("one that may ask several peers does so by the one that it waits for, which asks one at a time before and after", async () => {
  const clock = new HandClock();
  const hub = new Hub(clock);
  const { bytes, manners, leecher, node, fileId, to } = await openSwarm(hub);
  await (await hub.join("other", { manners })).node.share(bytesOf(bytes), { name: "x" });
  await node.download({ fileId, outputPath: "first", multiPeer: false });
  await clock.pass(2 * TICK_MS);
  expect(leecher.sessions).toHaveLength(1);
  const { id } = await to("second");
  await clock.passUntil(() => leecher.sessions.length === 2);
  await node.cancel(id);
  await clock.passUntil(() => leecher.sessions.length === 1);
  await node.stop();
});

it("one that waited with another for a provider looks for one when that is cancelled", async () => {
  const clock = new HandClock();
  const { seeder, node, to } = await openSwarm(new Hub(clock));
  const [first, second] = [await to("first"), await to("second")];
  await clock.passUntil(() => node.files().length > 0);
  seeder.leave();
  await clock.passUntil(() => node.transfer(second.id).status === "interrupted");
  // One that comes meanwhile does so, too.
  expect(await to("third")).toMatchObject({ status: "interrupted" });
  await node.cancel(first.id);
  await settled();
  expect(node.transfer(second.id)).toMatchObject({ status: "resumed", error: undefined });
  await node.stop();
});

it("one that begins when another was paused does not wait for a provider that nobody looked for", async () => {
  const { leecher, node, to } = await openSwarm();
  const first = await to("first");
  await eventually(() => expect(leecher.sessions).toEqual(["seeder"]));
  await node.pause(first.id);
  expect(await to("second")).toMatchObject({ status: "started", error: undefined });
  expect(node.transfer(first.id).status).toBe("interrupted");
  await node.stop();
});

it("one that goes on in place of another asks first for what a reader waits for", async () => {
  const asked: string[] = [];
  const answer: Manners["answer"] = (cid, block, signal) => {
    if (cid.code !== RAW) return block;
    asked.push(cid.toString());
    return untilAborted(signal);
  };
  const hub = new Hub();
  const seeder = await hub.join("seeder", { manners: { answer, maxInFlight: 1 } });
  const { file } = await seeder.node.share(bytesOf(randomFile(4 * CHUNK_BYTES)), { name: "x" });
  const { node } = await hub.join("leecher");
  const to = (outputPath: string) => node.download({ fileId: file.id, outputPath, strategy: "sequential" });
  const first = await to("first");
  await to("second");
  await eventually(() => expect(asked).toHaveLength(1));
  const reader = new AbortController();
  const end = { start: 3 * CHUNK_BYTES, end: 4 * CHUNK_BYTES };
  const reading = collect(node.read(file.id, end, reader.signal));
  await eventually(() => expect(asked).toHaveLength(2));
  await node.cancel(first.id);
  await eventually(() => expect(asked.length).toBeGreaterThan(2));
  expect(asked[2]).toBe(asked[1]);
  reader.abort(new Error("read enough"));
  await expect(reading).rejects.toThrow("read enough");
  await node.stop();
});

it("one that is cancelled takes no file with it that is whole, though that could not be noted", async () => {
  const { wall, leecher, node, fileId, to } = await openSwarm();
  const first = await to("first");
  await eventually(() => expect(node.files()).toHaveLength(1));
  const { records } = leecher;
  const put = records.put.bind(records);
  vi.spyOn(records, "put").mockImplementation(async (collection, ...rest) => {
    if (collection === "files") throw new SharingError("storage_full", "the disk is full");
    await put(collection, ...rest);
  });
  wall.open();
  expect(await ended(node, first.id)).toBe("transfer_complete");
  const second = await to("second");
  await node.cancel(second.id);
  expect(node.transfer(second.id).status).toBe("cancelled");
  expect(node.file(fileId).complete).toBe(true);
});
