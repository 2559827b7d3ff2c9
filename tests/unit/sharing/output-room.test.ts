/** A download to a place that has no room for it. */
import { expect, it, vi } from "vitest";
import { untilTrue } from "../../eventually.ts";
import { bytesOf, ended, Hub, randomFile } from "./hub.ts";

const MIB = 1024 * 1024;

it("fails before any of it is fetched, and goes on once there is room", async () => {
  const hub = new Hub();
  const seeder = await hub.join("seeder");
  const bytes = randomFile(3 * MIB);
  const { file } = await seeder.node.share(bytesOf(bytes), { name: "movie" });
  let freeBytes = 3 * MIB - 1;
  const { node, blocks, outputs, openOutputs } = await hub.join("leecher", { freeBytes: () => freeBytes });
  const { id } = await node.download({ fileId: file.id, outputPath: "out" });
  expect(await ended(node, id)).toBe("transfer_failed");
  expect(node.transfer(id)).toMatchObject({
    progress: 0,
    isStorageFull: true,
    error: expect.stringContaining("needs 3.15 MB, and 3.15 MB are free"),
  });
  // The list of its chunks, and none of these.
  expect([seeder.served.length, blocks.usedBytes < MIB, openOutputs]).toEqual([1, true, []]);

  freeBytes += 1;
  await node.resume(file.id);
  expect(await ended(node, id, "transfer_complete")).toBe("transfer_complete");
  expect(Buffer.from(outputs.get("out") ?? []).equals(bytes)).toBe(true);
});

it("does not fail for room that deleted files have not given back yet", async () => {
  const hub = new Hub();
  const seeder = await hub.join("seeder");
  const { file } = await seeder.node.share(bytesOf(randomFile(3 * MIB)), { name: "movie" });
  let freeBytes = 0;
  const { node, blocks } = await hub.join("leecher", { freeBytes: () => freeBytes });
  const reclaim = vi.fn(async () => {
    freeBytes = 3 * MIB;
  });
  Object.assign(blocks, { reclaim });
  const { id } = await node.download({ fileId: file.id, outputPath: "out" });
  expect(await ended(node, id)).toBe("transfer_complete");
  expect(reclaim).toHaveBeenCalledOnce();
});

it("is told to have had no room no longer once it fails for another reason", async () => {
  const hub = new Hub();
  const seeder = await hub.join("seeder");
  const { file } = await seeder.node.share(bytesOf(randomFile(3 * MIB)), { name: "movie" });
  let freeBytes = 0;
  const { node, outputs } = await hub.join("leecher", { freeBytes: () => freeBytes });
  const { id } = await node.download({ fileId: file.id, outputPath: "out" });
  expect(await ended(node, id)).toBe("transfer_failed");
  expect(node.transfer(id).isStorageFull).toBe(true);

  freeBytes = 3 * MIB;
  seeder.manners.answer = (_, chunk) => {
    outputs.set("out", new Uint8Array(1));
    return chunk;
  };
  await node.resume(file.id);
  await untilTrue(() => node.transfer(id).status === "failed");
  expect(node.transfer(id)).toMatchObject({ error: "The output exists", isStorageFull: false });
});
