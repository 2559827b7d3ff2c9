/** A file that is asked for again at the place to which a transfer has brought it, where what stands there will do. */
import { expect, it } from "vitest";
import { SharingError } from "../../../src/sharing/errors.ts";
import { MemoryRecords } from "../../../src/sharing/memory/memory-records.ts";
import type { RecordChange } from "../../../src/sharing/ports.ts";
import { bytesOf, ended, Hub, randomFile } from "./hub.ts";

/** Of an empty file. */
const OF_NOBODY = "bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku";

class FillableRecords extends MemoryRecords {
  isFull = false;

  override async batch(changes: RecordChange[]): Promise<void> {
    if (this.isFull) throw new SharingError("storage_full", "the disk is full");
    await super.batch(changes);
  }
}

/** Two files, each at its place. */
async function brought() {
  const hub = new Hub();
  const seeder = await hub.join("seeder");
  const records = new FillableRecords();
  const { node, outputs, openOutputs } = await hub.join("leecher", { records });
  const bring = async (outputPath: string) => {
    const { file } = await seeder.node.share(bytesOf(randomFile(100)), { name: "x" });
    const { id } = await node.download({ fileId: file.id, outputPath });
    expect(await ended(node, id)).toBe("transfer_complete");
    return { fileId: file.id, id, outputPath };
  };
  return { node, outputs, openOutputs, records, one: await bring("one"), other: await bring("other") };
}

it("is there by the transfer that has brought it", async () => {
  const { node, openOutputs, one } = await brought();
  const { fileId, outputPath, id } = one;
  const again = await node.download({ fileId, outputPath, keepBrought: true });
  expect(again).toMatchObject({ id, status: "completed" });
  expect(node.transfers()).toHaveLength(2);
  expect(openOutputs).toEqual([]);
});

it("is refused where what stands there came while a transfer was to bring it, which was cancelled", async () => {
  const { node, outputs } = await brought();
  const wish = { fileId: OF_NOBODY, outputPath: "by hand", keepBrought: true };
  const { id } = await node.download(wish);
  await node.cancel(id);
  outputs.set("by hand", new Uint8Array(100));
  await expect(node.download(wish)).rejects.toMatchObject({ name: "output_exists" });
});

it("is refused where nobody says that it will do, another file stands there, or no transfer has brought what does", async () => {
  const { node, outputs, one, other } = await brought();
  outputs.set("by hand", new Uint8Array(100));
  const { fileId } = one;
  for (const wish of [
    { outputPath: one.outputPath },
    { outputPath: other.outputPath, keepBrought: true },
    { outputPath: "by hand", keepBrought: true },
  ])
    await expect(node.download({ fileId, ...wish })).rejects.toMatchObject({ name: "output_exists" });
});

it("is refused for whatever else is in the way once it is gone from there", async () => {
  const { node, outputs, records, one } = await brought();
  const { fileId, outputPath } = one;
  outputs.delete(outputPath);
  records.isFull = true;
  await expect(node.download({ fileId, outputPath, keepBrought: true })).rejects.toMatchObject({
    name: "storage_full",
  });
});

it("is not there once another transfer has replaced it there, and is again where it was brought back", async () => {
  const { node, one, other } = await brought();
  const { outputPath } = one;
  const replaced = await node.download({ fileId: other.fileId, outputPath, overwrite: true });
  expect(await ended(node, replaced.id)).toBe("transfer_complete");
  const wish = { fileId: one.fileId, outputPath, keepBrought: true };
  await expect(node.download(wish)).rejects.toMatchObject({ name: "output_exists" });
  const back = await node.download({ ...wish, overwrite: true });
  expect(await ended(node, back.id)).toBe("transfer_complete");
  const done = { id: back.id, status: "completed" };
  expect(await node.download(wish)).toMatchObject(done);
  await node.deleteFile(one.fileId);
  expect(await node.download(wish)).toMatchObject(done);
});
