/**
 * A medium that could not make durable what it was given has lost it, whoever asked for that: nobody else takes what he
 * had written for stored, as the next flush knows nothing of it.
 */
import type { CID } from "multiformats/cid";
import { expect, it, vi } from "vitest";
import { CHUNK_BYTES } from "../../../src/sharing/limits.ts";
import { MemoryBlockStore } from "../../../src/sharing/memory/memory-block-store.ts";
import { bytesOf, collect, ended, gate, Hub, randomFile } from "./hub.ts";

class FailingBlocks extends MemoryBlockStore {
  readonly #unflushed: CID[] = [];
  #isFailing = false;

  override async write(cid: CID, bytes: Uint8Array): Promise<void> {
    await super.write(cid, bytes);
    this.#unflushed.push(cid);
  }

  override async putVerified(cid: CID, bytes: Uint8Array): Promise<void> {
    await super.putVerified(cid, bytes);
    this.#unflushed.push(cid);
  }

  override async flush(): Promise<void> {
    const unflushed = this.#unflushed.splice(0);
    if (!this.#isFailing) return;
    this.#isFailing = false;
    for (const cid of unflushed) await super.delete(cid);
    throw new Error("EIO");
  }

  /** The next flush. */
  fail(): void {
    this.#isFailing = true;
  }
}

/** Its second chunk comes once the gate is open. */
async function* slowly(bytes: Uint8Array, more: ReturnType<typeof gate>): AsyncIterable<Uint8Array> {
  yield bytes.subarray(0, CHUNK_BYTES);
  await more.opened;
  yield bytes.subarray(CHUNK_BYTES);
}

it("refuses a file of which blocks were lost as another was shared, and takes it when it comes again", async () => {
  const blocks = new FailingBlocks();
  const { node } = await new Hub().join("own", { blocks });
  const bytes = randomFile(CHUNK_BYTES + 5);
  const more = gate();
  const sharing = node.share(slowly(bytes, more), { name: "slow" });
  await expect.poll(() => blocks.usedBytes).toBe(CHUNK_BYTES);
  blocks.fail();
  await expect(node.share(bytesOf(randomFile(10)), { name: "other" })).rejects.toThrow("EIO");
  more.open();
  await expect(sharing).rejects.toThrow("has not kept");
  expect([node.files(), blocks.usedBytes]).toEqual([[], 0]);

  const { file } = await node.share(bytesOf(bytes), { name: "slow" });
  expect(file.complete).toBe(true);
  const read = node.read(file.id, { start: 0, end: bytes.length }, new AbortController().signal);
  expect((await collect(read)).equals(bytes)).toBe(true);
});

/** A download of two chunks, of which the second comes once the gate is open; the first is here. */
async function halfDownloaded() {
  const hub = new Hub();
  const more = gate();
  let given = 0;
  const answer = async (_: CID, block: Uint8Array) => {
    if (++given === 3) await more.opened;
    return block;
  };
  const seeder = await hub.join("seeder", { manners: { answer } });
  const { file } = await seeder.node.share(bytesOf(randomFile(2 * CHUNK_BYTES)), { name: "x" });
  const blocks = new FailingBlocks();
  const { node } = await hub.join("leecher", { blocks });
  const { id } = await node.download({ fileId: file.id });
  await expect.poll(() => node.transfer(id).progress).toBe(1 / 2);
  const expectWhole = async () => {
    const held = [];
    for await (const cid of blocks.list()) held.push(cid);
    expect(held).toHaveLength(3);
    expect(node.file(file.id).complete).toBe(true);
  };
  return { more, blocks, node, fileId: file.id, id, expectWhole };
}

it("fetches again the chunks of a download that were lost as a file was shared", async () => {
  const { more, blocks, node, id, expectWhole } = await halfDownloaded();
  blocks.fail();
  await expect(node.share(bytesOf(randomFile(10)), { name: "other" })).rejects.toThrow("EIO");
  more.open();
  expect(await ended(node, id)).toBe("transfer_complete");
  await expectWhole();
});

it("says of no file that it is whole whose chunks were lost as its download ended, and fetches them when that is resumed", async () => {
  const { more, blocks, node, fileId, id, expectWhole } = await halfDownloaded();
  blocks.fail();
  more.open();
  expect(await ended(node, id)).toBe("transfer_failed");
  expect(node.file(fileId).complete).toBe(false);
  await node.resume(fileId);
  expect(await ended(node, id, "transfer_complete")).toBe("transfer_complete");
  await expectWhole();
});

it("says of no file that it is whole that was lost once it had come, as its download was paused", async () => {
  const { more, blocks, node, fileId, id, expectWhole } = await halfDownloaded();
  const last = vi.spyOn(blocks, "putVerified");
  const pausing = new Promise<void>((paused) => {
    const put = FailingBlocks.prototype.putVerified.bind(blocks);
    last.mockImplementationOnce(async (cid, bytes) => {
      node.pause(id).then(() => paused(), paused);
      await put(cid, bytes);
    });
  });
  blocks.fail();
  more.open();
  await pausing;
  expect(node.file(fileId).complete).toBe(false);
  await node.resume(fileId);
  expect(await ended(node, id)).toBe("transfer_complete");
  await expectWhole();
});
