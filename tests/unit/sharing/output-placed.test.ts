/** Transfers that have brought their file to its place when the process ends, or the disk is full, before that is noted. */
import { expect, it } from "vitest";
import { SharingError } from "../../../src/sharing/errors.ts";
import { CHUNK_BYTES } from "../../../src/sharing/limits.ts";
import { MemoryBlockStore } from "../../../src/sharing/memory/memory-block-store.ts";
import { MemoryRecords } from "../../../src/sharing/memory/memory-records.ts";
import type { Files, RecordChange } from "../../../src/sharing/ports.ts";
import { bytesOf, ended, Hub, randomFile } from "./hub.ts";
import { memoryFiles } from "./memory-files.ts";

/** Takes no changes once the output is in its place. */
class FullRecords extends MemoryRecords {
  readonly outputs = new Map<string, Uint8Array>();

  override async batch(changes: RecordChange[]): Promise<void> {
    if (this.outputs.has("out")) throw new SharingError("storage_full", "the disk is full");
    await super.batch(changes);
  }
}

/** The next process finds on the disk what the former has noted, the store, and what stands at the place of the output. */
async function broughtUnnoted() {
  const hub = new Hub();
  const bytes = randomFile(2 * CHUNK_BYTES + 5);
  const seeder = await hub.join("seeder");
  const { file } = await seeder.node.share(bytesOf(bytes), { name: "x" });
  const [full, blocks] = [new FullRecords(), new MemoryBlockStore()];
  const { outputs } = full;
  const { node, leave } = await hub.join("leecher", { records: full, blocks, outputs });
  const { id } = await node.download({ fileId: file.id, outputPath: "out" });
  expect(await ended(node, id)).toBe("transfer_complete");
  leave();
  const records = new MemoryRecords();
  for (const collection of ["files", "transfers"] as const)
    for await (const [key, value] of full.entries(collection)) await records.put(collection, key, value);
  const again = async (autoResume: boolean, files?: Files) =>
    (await hub.join("leecher", { records, blocks, outputs, autoResume, ...(files && { files }) })).node;
  return { fileId: file.id, id, bytes, outputs, again };
}

it("are complete once they go on, in place of failing since the file is there", async () => {
  const { id, bytes, outputs, again } = await broughtUnnoted();
  const node = await again(true);
  expect(await ended(node, id)).toBe("transfer_complete");
  expect(node.transfer(id)).toMatchObject({ status: "completed", progress: 1 });
  expect(Buffer.from(outputs.get("out") ?? []).equals(bytes)).toBe(true);
});

it.each([
  ["shorter", (bytes: Uint8Array) => bytes.slice(1)],
  ["as long", (bytes: Uint8Array) => bytes.with(0, (bytes[0] ?? 0) ^ 1)],
])("refuse to go on where another file, %s, stands there by now", async (_, change) => {
  const { fileId, bytes, outputs, again } = await broughtUnnoted();
  const other = change(bytes);
  outputs.set("out", other);
  const node = await again(false);
  await expect(node.resume(fileId)).rejects.toMatchObject({ name: "output_exists" });
  expect(outputs.get("out")).toBe(other);
});

it.each([
  ["no file that can be read stands there", "bad_request", "output_exists"],
  ["the disk fails", "storage_full", "storage_full"],
] as const)("are not taken for complete where %s", async (_, failure, name) => {
  const { fileId, outputs, again } = await broughtUnnoted();
  const openPlaced = async () => {
    throw new SharingError(failure, "there is none");
  };
  const node = await again(false, { ...memoryFiles(outputs, []), openPlaced });
  await expect(node.resume(fileId)).rejects.toMatchObject({ name });
});
