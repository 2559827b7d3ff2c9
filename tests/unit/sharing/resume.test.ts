/** Which transfers go on, when one of a file is asked to and after a restart. */
import { expect, it } from "vitest";
import { RAW } from "../../../src/sharing/hash.ts";
import { CHUNK_BYTES, ENDED_TRANSFER_MS, MAX_TRANSFERS } from "../../../src/sharing/limits.ts";
import { MemoryRecords } from "../../../src/sharing/memory/memory-records.ts";
import type { Files } from "../../../src/sharing/ports.ts";
import { UNKNOWN_SOURCE } from "../../../src/sharing/transfers/chunk-map.ts";
import type { TransferRecord } from "../../../src/sharing/transfers/transfer-record.ts";
import { deferred } from "../../deferred.ts";
import { untilTrue } from "../../eventually.ts";
import { untilAborted } from "../../until-aborted.ts";
import { HandClock } from "../hand-clock.ts";
import { bytesOf, ended, Hub, type Manners, randomFile } from "./hub.ts";
import { memoryFiles } from "./memory-files.ts";

/** A seeder that never gives a chunk. */
async function withSilentSeeder(clock?: HandClock) {
  const hub = new Hub(clock);
  const answer: Manners["answer"] = (cid, node, signal) => (cid.code === RAW ? untilAborted(signal) : node);
  const seeder = await hub.join("seeder", { manners: { answer } });
  const share = async (sizeBytes: number) => {
    const { file } = await seeder.node.share(bytesOf(randomFile(sizeBytes)), { name: "x" });
    return file.id;
  };
  return { hub, share, seeder };
}

it("is the newest of a file's that are interrupted", async () => {
  const { hub, share } = await withSilentSeeder();
  const { node } = await hub.join("leecher");
  const fileId = await share(1000);
  const ids: string[] = [];
  for (const outputPath of ["first", "second", "third"])
    ids.push((await node.download({ fileId, outputPath })).id);
  const [first, second, third] = ids as [string, string, string];
  for (const id of [second, first]) await node.pause(id);
  expect(await node.resume(fileId)).toMatchObject({ id: second, status: "resumed" });
  expect(node.transfer(first)).toMatchObject({ status: "interrupted", isPaused: true });
  expect(node.transfer(third).status).toBe("started");
  await node.stop();
});

it("is the newest that was cancelled only where none of the file runs or failed", async () => {
  const { hub, share } = await withSilentSeeder();
  const { node } = await hub.join("leecher");
  const fileId = await share(1000);
  const { id: first } = await node.download({ fileId, outputPath: "first" });
  const { id: second } = await node.download({ fileId, outputPath: "second" });
  await node.cancel(second);
  expect((await node.resume(fileId)).id).toBe(first);
  expect(node.transfer(second).status).toBe("cancelled");
  await node.cancel(first);
  expect(await node.resume(fileId)).toMatchObject({ id: second, status: "resumed" });
  await node.stop();
});

it("are told of as started once, and not again when they are resumed", async () => {
  const { hub, share } = await withSilentSeeder();
  const { node } = await hub.join("leecher");
  const fileId = await share(1000);
  const { id } = await node.download({ fileId });
  await node.pause(id);
  await node.resume(fileId);
  const starts = node.events.since(0).filter(({ event }) => event === "transfer_started");
  expect(starts).toMatchObject([{ data: { transfer_id: id, file_id: fileId } }]);
  await node.stop();
});

it("are after a restart those that it interrupted, and none that were over", async () => {
  const { hub, share } = await withSilentSeeder();
  const leecher = await hub.join("leecher");
  const begin = async (sizeBytes: number) =>
    (await leecher.node.download({ fileId: await share(sizeBytes) })).id;
  const empty = await leecher.node.share(bytesOf(new Uint8Array(0)), { name: "empty" });
  const { id: whole } = await leecher.node.download({ fileId: empty.file.id });
  expect(await ended(leecher.node, whole)).toBe("transfer_complete");
  const [cut, cancelled] = [await begin(1000), await begin(2000)];
  await leecher.node.cancel(cancelled);
  await leecher.node.stop();
  leecher.leave();
  const { node } = await hub.join("leecher", { ...leecher, manners: {}, autoResume: true });
  const statuses = [whole, cut, cancelled].map((id) => node.transfer(id).status);
  expect(statuses).toEqual(["completed", "resumed", "cancelled"]);
  await node.stop();
});

it.each(["cancel", "pause"] as const)(
  "are noted to go on after a %s, for the next process as well",
  async (end) => {
    const { hub, share } = await withSilentSeeder();
    const { node, records } = await hub.join("leecher");
    const fileId = await share(1000);
    const { id } = await node.download({ fileId });
    await node[end](id);
    await node.resume(fileId);
    expect(await records.get("transfers", id)).toMatchObject({ status: "resumed", isPaused: false });
    await node.stop();
  },
);

it("may replace what stands in their place once they were asked to, which their record says from then on", async () => {
  const { hub, share } = await withSilentSeeder();
  const fileId = await share(1000);
  const first = await hub.join("leecher");
  const { id } = await first.node.download({ fileId, outputPath: "out" });
  await first.node.stop();
  first.leave();
  const { node, records } = await hub.join("leecher", { ...first });
  await node.download({ fileId, outputPath: "out", overwrite: true });
  expect(await records.get("transfers", id)).toMatchObject({ overwrite: true });
  await node.stop();
});

it("may not replace what stands in their place where they were asked for again without that", async () => {
  const { hub, share } = await withSilentSeeder();
  const fileId = await share(1000);
  const { node, outputs } = await hub.join("leecher");
  const { id } = await node.download({ fileId, outputPath: "out" });
  expect((await node.download({ fileId, outputPath: "out" })).id).toBe(id);
  await node.pause(id);
  outputs.set("out", new Uint8Array(1));
  await expect(node.resume(fileId)).rejects.toMatchObject({ name: "output_exists" });
});

it("wait on for a provider where they are refused, as something stands in their place", async () => {
  const clock = new HandClock();
  const { hub, share, seeder } = await withSilentSeeder(clock);
  const { node, outputs, openOutputs } = await hub.join("leecher");
  const fileId = await share(2 * CHUNK_BYTES);
  const { id } = await node.download({ fileId, outputPath: "out" });
  await clock.passUntil(() => node.files().length > 0);
  seeder.leave();
  await clock.passUntil(() => node.transfer(id).status === "interrupted");
  outputs.set("out", new Uint8Array(1));
  await expect(node.resume(fileId)).rejects.toMatchObject({ name: "output_exists" });
  expect([node.transfer(id).status, openOutputs]).toEqual(["interrupted", ["out"]]);
  outputs.delete("out");
  await hub.join("back", { records: seeder.records, blocks: seeder.blocks });
  await clock.passUntil(() => node.transfer(id).status === "completed");
  expect([outputs.get("out")?.length, openOutputs]).toEqual([2 * CHUNK_BYTES, []]);
});

it("go on where a provider is back, for no reason any more, which their record says though it gives nothing", async () => {
  const clock = new HandClock();
  const { hub, share, seeder } = await withSilentSeeder(clock);
  const { node, records } = await hub.join("leecher");
  const fileId = await share(2 * CHUNK_BYTES);
  const { id } = await node.download({ fileId });
  await clock.passUntil(() => node.files().length > 0);
  seeder.leave();
  await clock.passUntil(() => node.transfer(id).status === "interrupted");
  expect(await records.get("transfers", id)).toMatchObject({ status: "interrupted" });
  await hub.join("back", { records: seeder.records, blocks: seeder.blocks, manners: seeder.manners });
  await clock.passUntil(() => node.transfer(id).status === "resumed");
  expect(node.transfer(id).error).toBeUndefined();
  expect(await records.get("transfers", id)).toMatchObject({ status: "resumed" });
});

it("are refused once they are forgotten, as others come while their place is looked at and too many are kept", async () => {
  const hub = new Hub();
  const fileIds: string[] = [];
  const seeder = await hub.join("seeder");
  for (const sizeBytes of [1000, 2000]) {
    const { file } = await seeder.node.share(bytesOf(randomFile(sizeBytes)), { name: "x" });
    fileIds.push(file.id);
  }
  const [failed, later] = fileIds as [string, string];
  const records = new MemoryRecords();
  for (let at = 0; at < MAX_TRANSFERS; at++) {
    const isFirst = at === 0;
    await records.put("transfers", `${at}`, {
      ...{
        id: `${at}`,
        fileId: isFirst ? failed : "another",
        name: "x",
        outputPath: `${at}`,
        overwrite: false,
      },
      ...{ maxPeers: 1, strategy: "sequential", status: isFirst ? "failed" : "completed", isPaused: false },
      ...{ progress: 0, chunksByPeer: [], ordinal: at, startedAtMs: 0, endedAtMs: Date.now() },
    } satisfies TransferRecord);
  }
  const [openOutputs, looked] = [[] as string[], deferred()];
  const files = memoryFiles(new Map(), openOutputs);
  const openOutput: Files["openOutput"] = (...place) => looked.promise.then(() => files.openOutput(...place));
  const { node } = await hub.join("leecher", { records, files: { ...files, openOutput } });
  const resumed = node.resume(failed);
  const { id } = await node.download({ fileId: later });
  looked.resolve();
  await expect(resumed).rejects.toMatchObject({ name: "transfer_not_found" });
  expect(openOutputs).toEqual([]);
  expect(await ended(node, id)).toBe("transfer_complete");
});

it("are known a day after they were cancelled", async () => {
  const clock = new HandClock();
  const { hub, share } = await withSilentSeeder(clock);
  const { node } = await hub.join("leecher");
  const fileId = await share(1000);
  const { id } = await node.download({ fileId });
  await node.cancel(id);
  await node.resume(fileId);
  await node.pause(id);
  await clock.suspend(ENDED_TRANSFER_MS + 1);
  expect(node.transfers()).toMatchObject([{ id, status: "interrupted" }]);
});

it("credit nobody with a chunk that was brought before they were cancelled, and is here for another file", async () => {
  const hub = new Hub();
  const bytes = randomFile(2 * CHUNK_BYTES);
  let given = 0;
  const answer: Manners["answer"] = (cid, block, signal) =>
    cid.code === RAW && ++given > 1 ? untilAborted(signal) : block;
  const seeder = await hub.join("seeder", { manners: { answer } });
  const { file } = await seeder.node.share(bytesOf(bytes), { name: "x" });
  const { node } = await hub.join("leecher");
  const { id } = await node.download({ fileId: file.id });
  await untilTrue(() => node.chunkMap(id).states.includes(2));
  const first = node.chunkMap(id).states.indexOf(2);
  await node.share(bytesOf(bytes.slice(first * CHUNK_BYTES, (first + 1) * CHUNK_BYTES)), { name: "part" });
  await node.cancel(id);
  seeder.leave();
  await hub.join("other", { records: seeder.records, blocks: seeder.blocks });
  await node.resume(file.id);
  await untilTrue(() => node.transfer(id).status === "completed");
  const { sources, peers } = node.chunkMap(id);
  expect([sources[first], sources[1 - first], peers]).toEqual([UNKNOWN_SOURCE, 0, ["other"]]);
});
