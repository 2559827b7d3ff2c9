/** What the download of a file of a single chunk costs, of which a folder has thousands. */
import { createHash } from "node:crypto";
import { expect, it, onTestFinished, vi } from "vitest";
import { MemoryBlockStore } from "../../../src/sharing/memory/memory-block-store.ts";
import { MemoryRecords } from "../../../src/sharing/memory/memory-records.ts";
import { bytesOf, ended, Hub, randomFile } from "./hub.ts";

/** A node that begins to download such a file from another, and what it asks that, and notes. */
async function downloadSmall(blocks = new MemoryBlockStore()) {
  const hub = new Hub();
  const haves = vi.fn((told) => told);
  const seeder = await hub.join("seeder", { manners: { haves } });
  const { file } = await seeder.node.share(bytesOf(randomFile(10_000)), { name: "photo" });
  const records = new MemoryRecords();
  const noted = vi.spyOn(records, "put");
  const { node, outputs } = await hub.join("leecher", { blocks, records });
  onTestFinished(() => node.stop());
  const { id } = await node.download({ fileId: file.id, outputPath: "out" });
  const whole = async () => {
    expect(await ended(node, id)).toBe("transfer_complete");
    expect(outputs.get("out")).toHaveLength(10_000);
  };
  const notes = () => noted.mock.calls.filter(([what]) => what === "transfers");
  return { haves, served: seeder.served, notes, whole };
}

it("is a request, and a note of its start and of its end", async () => {
  const { haves, served, notes, whole } = await downloadSmall();
  await whole();
  expect([served.length, haves.mock.calls.length, notes().length]).toEqual([1, 0, 2]);
});

it("is to ask who has it, and for it, once more where it is lost before it is durable", async () => {
  class LosesOnce extends MemoryBlockStore {
    #flushes = 0;
    override async flush(): Promise<void> {
      this.#flushes += 1;
      if (this.#flushes === 2) for await (const cid of this.list()) await this.delete(cid);
    }
  }
  const { haves, served, whole } = await downloadSmall(new LosesOnce());
  await expect.poll(() => haves.mock.calls.length).toBe(1);
  await whole();
  expect(served).toHaveLength(2);
});

it("is to hash it by what the store hashes with, where it has that", async () => {
  const hashed: number[] = [];
  const startHash = () => {
    const hash = createHash("sha256");
    const update = (bytes: Uint8Array) => {
      hashed.push(bytes.length);
      hash.update(bytes);
    };
    return { update, digest: () => hash.digest() };
  };
  const { whole } = await downloadSmall(Object.assign(new MemoryBlockStore(), { startHash }));
  await whole();
  expect(hashed).toEqual([10_000]);
});
