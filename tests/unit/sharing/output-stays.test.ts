/** Transfers of which a disk that fails does not let the unfinished output be removed: they end as they would. */
import { expect, it } from "vitest";
import { CHUNK_BYTES } from "../../../src/sharing/limits.ts";
import { MemoryBlockStore } from "../../../src/sharing/memory/memory-block-store.ts";
import { bytesOf, ended, Hub, type Manners, randomFile } from "./hub.ts";

async function cantDiscard(): Promise<void> {
  throw new Error("the disk is read-only");
}

it("is paused, and goes on when asked to", async () => {
  const hub = new Hub();
  const bytes = randomFile(2 * CHUNK_BYTES);
  let given = 0;
  const manners: Manners = {
    answer: async (_, block, signal) => {
      const left = new Promise((resolve) => signal.addEventListener("abort", resolve));
      if (++given === 3) await left;
      return block;
    },
  };
  const seeder = await hub.join("seeder", { manners });
  const { file } = await seeder.node.share(bytesOf(bytes), { name: "x" });
  const logged: object[] = [];
  const log = { debug: () => {}, info: () => {}, warn: (_: string, details = {}) => logged.push(details) };
  const { node, outputs } = await hub.join("leecher", { onDiscard: cantDiscard, log });
  const { id } = await node.download({ fileId: file.id, outputPath: "out" });
  await expect.poll(() => node.transfer(id).progress).toBe(1 / 2);
  await node.pause(id);
  expect(node.transfer(id)).toMatchObject({ status: "interrupted", isPaused: true });
  expect(logged).toMatchObject([{ transferId: id, error: { message: "the disk is read-only" } }]);
  await node.resume(file.id);
  expect(await ended(node, id)).toBe("transfer_complete");
  expect(Buffer.from(outputs.get("out") ?? []).equals(bytes)).toBe(true);
});

it("fails with the reason for which it failed", async () => {
  const hub = new Hub();
  const seeder = await hub.join("seeder");
  const { file } = await seeder.node.share(bytesOf(randomFile(2 * CHUNK_BYTES)), { name: "x" });
  const blocks = new MemoryBlockStore({ maxBytes: CHUNK_BYTES });
  const { node } = await hub.join("leecher", { onDiscard: cantDiscard, blocks });
  const { id } = await node.download({ fileId: file.id, outputPath: "out" });
  expect(await ended(node, id)).toBe("transfer_failed");
  expect(node.transfer(id).error).toMatch("2.1 MB are more than the storage holds");
});
