/** A file that is shared from its bytes while a download of it is on its way. */
import { expect, it, vi } from "vitest";
import { SharingError } from "../../../src/sharing/errors.ts";
import { RAW } from "../../../src/sharing/hash.ts";
import { CHUNK_BYTES } from "../../../src/sharing/limits.ts";
import { MemoryBlockStore } from "../../../src/sharing/memory/memory-block-store.ts";
import { HandClock, settled } from "../hand-clock.ts";
import { bytesOf, collect, ended, gate, Hub, randomFile } from "./hub.ts";

/** Told when it is asked to make things durable, which takes until `go`. */
class SlowlyDurableStore extends MemoryBlockStore {
  #next: { begun: () => void; opened: Promise<void> } | undefined;

  /** The next flush, once it has begun; `go` ends it. */
  holdNext() {
    const [begun, go] = [gate(), gate()];
    this.#next = { begun: begun.open, opened: go.opened };
    return { begun: begun.opened, go: go.open };
  }

  override async flush(): Promise<void> {
    const held = this.#next;
    this.#next = undefined;
    held?.begun();
    await held?.opened;
  }
}

/** A seeder that gives the manifest, and chunks once it may. */
async function openSwarm() {
  const hub = new Hub();
  const wall = gate();
  const seeder = await hub.join("seeder", {
    manners: {
      answer: async (cid, block, signal) => {
        const left = new Promise((resolve) => signal.addEventListener("abort", resolve));
        if (cid.code === RAW) await Promise.race([wall.opened, left]);
        return block;
      },
    },
  });
  const bytes = randomFile(2 * CHUNK_BYTES);
  const { file } = await seeder.node.share(bytesOf(bytes), { name: "theirs" });
  const blocks = new SlowlyDurableStore();
  const { node } = await hub.join("leecher", { blocks });
  const share = () => node.share(bytesOf(bytes), { name: "mine" });
  const expectShared = async () => {
    expect(node.files()).toMatchObject([{ name: "mine", complete: true }]);
    const all = { start: 0, end: bytes.length };
    const read = await collect(node.read(file.id, all, new AbortController().signal));
    expect(read.equals(bytes)).toBe(true);
  };
  return { node, blocks, share, expectShared, fileId: file.id, wall };
}

it("stays when that is cancelled just as it is stored", async () => {
  const { node, blocks, share, expectShared, fileId } = await openSwarm();
  const { id } = await node.download({ fileId });
  await expect.poll(() => node.files()).toHaveLength(1);
  const { begun, go } = blocks.holdNext();
  const sharing = share();
  await begun;
  await node.cancel(id);
  go();
  await sharing;
  await expectShared();
});

it("is whole also where that begins just as it is stored", async () => {
  const { node, blocks, share, expectShared, fileId } = await openSwarm();
  const { begun, go } = blocks.holdNext();
  const sharing = share();
  await begun;
  const { id } = await node.download({ fileId });
  await expect.poll(() => node.files()).toHaveLength(1);
  go();
  expect((await sharing).file.complete).toBe(true);
  expect(await ended(node, id)).toBe("transfer_complete");
  await expectShared();
});

it("is whole also where nobody else has told of what it is made of", async () => {
  const clock = new HandClock();
  const bytes = randomFile(2 * CHUNK_BYTES);
  const elsewhere = await new Hub().join("elsewhere");
  const { file } = await elsewhere.node.share(bytesOf(bytes), { name: "theirs" });
  const { node } = await new Hub(clock).join("leecher");
  const { id } = await node.download({ fileId: file.id });
  await settled();
  await node.share(bytesOf(bytes), { name: "mine" });
  await clock.passUntil(() => ["completed", "failed"].includes(node.transfer(id).status));
  expect(node.transfer(id)).toMatchObject({ status: "completed", progress: 1 });
});

it("completes a download that nobody brings anything, though it fails once its chunks are stored", async () => {
  const clock = new HandClock();
  const hub = new Hub(clock);
  const seeder = await hub.join("seeder", {
    manners: {
      answer: async (cid, block) => {
        if (cid.code === RAW) throw new SharingError("block_not_found", "the chunks are lost");
        return block;
      },
    },
  });
  const bytes = randomFile(2 * CHUNK_BYTES);
  const { file } = await seeder.node.share(bytesOf(bytes), { name: "theirs" });
  const blocks = new MemoryBlockStore();
  const { node } = await hub.join("leecher", { blocks });
  const { id } = await node.download({ fileId: file.id });
  await clock.passUntil(() => node.files().length === 1);
  seeder.leave();
  const bad = new Error("a bad disk");
  const flush = vi.spyOn(blocks, "flush").mockRejectedValueOnce(bad);
  await expect(node.share(bytesOf(bytes), { name: "mine" })).rejects.toBe(bad);
  expect([flush.mock.calls.length, node.transfer(id).progress]).toEqual([1, 0]);
  await clock.passUntil(() => node.transfer(id).status === "completed");
  expect(node.files()).toMatchObject([{ name: "theirs", complete: true }]);
});
