/**
 * Transfers and deletions on a disk so full, or bad, that not even their state can be kept: they end, are told, and the
 * node goes on.
 */
import { describe, expect, it, vi } from "vitest";
import { SharingError } from "../../../src/sharing/errors.ts";
import { CHUNK_BYTES, ENDED_TRANSFER_MS } from "../../../src/sharing/limits.ts";
import { MemoryBlockStore } from "../../../src/sharing/memory/memory-block-store.ts";
import { MemoryRecords } from "../../../src/sharing/memory/memory-records.ts";
import type { RecordChange } from "../../../src/sharing/ports.ts";
import { deferred } from "../../deferred.ts";
import { untilAborted } from "../../until-aborted.ts";
import { HandClock, settled } from "../hand-clock.ts";
import { bytesOf, ended, gate, Hub, randomFile } from "./hub.ts";

class FullRecords extends MemoryRecords {
  isFull = false;

  override async batch(changes: RecordChange[]): Promise<void> {
    if (this.isFull) throw new SharingError("storage_full", "the disk is full");
    await super.batch(changes);
  }
}

/** A download of two chunks, of which the second does not come, on a disk that is full from now on. */
async function downloading() {
  const clock = new HandClock();
  const hub = new Hub(clock);
  let given = 0;
  const seeder = await hub.join("seeder", {
    manners: {
      answer: async (_cid, block, signal) => {
        if (++given > 2) await untilAborted(signal);
        return block;
      },
    },
  });
  const { file } = await seeder.node.share(bytesOf(randomFile(2 * CHUNK_BYTES)), { name: "x" });
  const records = new FullRecords();
  const { node, blocks } = await hub.join("leecher", { records });
  const transfer = await node.download({ fileId: file.id });
  await expect.poll(() => node.transfer(transfer.id).progress).toBe(1 / 2);
  records.isFull = true;
  const again = async () => (await hub.join("leecher", { records, blocks })).node;
  return { clock, seeder, node, records, blocks, transferId: transfer.id, again };
}

describe("a transfer whose state can't be kept", () => {
  it("is told as interrupted once its last provider has left", async () => {
    const { clock, seeder, node, transferId } = await downloading();
    seeder.leave();
    await clock.passUntil(() => node.transfer(transferId).status === "interrupted");
    expect(await ended(node, transferId, "transfer_interrupted")).toBe("transfer_interrupted");
  });

  it("fails with the reason, and is told so", async () => {
    const clock = new HandClock();
    const hub = new Hub(clock);
    const records = new FullRecords();
    const { node } = await hub.join("leecher", { records });
    const { id } = await node.download({
      fileId: "bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku",
    });
    records.isFull = true;
    await clock.passUntil(() => node.transfer(id).status === "failed");
    expect(await ended(node, id)).toBe("transfer_failed");
    expect(node.transfer(id).error).toBe("No peer offers this file");
  });

  it.each(["pause", "cancel"] as const)(
    "is not kept by a %s that waited until it was refused",
    async (wish) => {
      const records = new FullRecords();
      const { node } = await new Hub().join("leecher", { records });
      const full = deferred();
      vi.spyOn(records, "put").mockReturnValueOnce(full.promise);
      const asked = node.download({ fileId: "bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku" });
      await settled();
      const stopped = node[wish](node.transfers()[0]?.id as string);
      full.reject(new SharingError("storage_full", "the disk is full"));
      await Promise.all([
        expect(asked).rejects.toMatchObject({ name: "storage_full" }),
        expect(stopped).rejects.toMatchObject({ name: "transfer_not_found" }),
      ]);
      for await (const [id] of records.entries("transfers")) expect.unreachable(id);
    },
  );

  it("is cancelled, is told so, and gives room", async () => {
    const { node, blocks, transferId } = await downloading();
    await node.cancel(transferId);
    expect(await ended(node, transferId)).toBe("transfer_cancelled");
    expect([node.transfer(transferId).status, node.files()]).toEqual(["cancelled", []]);
    expect(blocks.usedBytes).toBe(0);
  });

  it("is cancelled though it is paused, and for good where its chunks give the room for that", async () => {
    const { node, records, blocks, transferId, again } = await downloading();
    const remove = blocks.delete.bind(blocks);
    blocks.delete = async (cid) => {
      await remove(cid);
      records.isFull = false;
    };
    await node.pause(transferId);
    await node.cancel(transferId);
    expect(await ended(node, transferId)).toBe("transfer_cancelled");
    const next = await again();
    expect([next.transfer(transferId).status, next.files(), blocks.usedBytes]).toEqual(["cancelled", [], 0]);
  });

  it("is cancelled in this process where there is no room at all, and once more in the next", async () => {
    const { node, records, transferId, again } = await downloading();
    await node.pause(transferId);
    await node.cancel(transferId);
    expect([node.transfer(transferId).status, node.files()]).toEqual(["cancelled", []]);
    records.isFull = false;
    const next = await again();
    expect([next.transfer(transferId).status, next.files()]).toMatchObject([
      "interrupted",
      [{ complete: false }],
    ]);
    await next.cancel(transferId);
    expect([next.files(), (await again()).files()]).toEqual([[], []]);
  });

  it("completes once all is here", async () => {
    const hub = new Hub();
    const { node: seeder } = await hub.join("seeder");
    const bytes = randomFile(2 * CHUNK_BYTES);
    const { file } = await seeder.share(bytesOf(bytes), { name: "x" });
    const [records, blocks, outputs] = [new FullRecords(), new MemoryBlockStore(), new Map()];
    const flush = blocks.flush.bind(blocks);
    let flushes = 0;
    blocks.flush = async () => {
      await flush();
      // The first is of the manifest.
      records.isFull = ++flushes === 2;
    };
    const { node } = await hub.join("leecher", { records, blocks, outputs });
    const { id } = await node.download({ fileId: file.id, outputPath: "out" });
    expect(await ended(node, id)).toBe("transfer_complete");
    expect([records.isFull, node.transfer(id).status, node.file(file.id).complete]).toEqual([
      true,
      "completed",
      true,
    ]);
    expect(Buffer.from(outputs.get("out")).equals(bytes)).toBe(true);
  });

  it("is paused, and goes on when asked to", async () => {
    const { node, transferId } = await downloading();
    await node.pause(transferId);
    expect(node.transfer(transferId)).toMatchObject({ status: "interrupted", isPaused: true });
    expect(await node.resume(node.transfer(transferId).fileId)).toMatchObject({ status: "resumed" });
    await node.stop();
  });

  it("is refused, and leaves nothing where its output would be", async () => {
    const records = new FullRecords();
    const { node, openOutputs } = await new Hub().join("leecher", { records });
    records.isFull = true;
    const fileId = "bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku";
    const refused = node.download({ fileId, outputPath: "out" });
    await expect(refused).rejects.toMatchObject({ name: "storage_full" });
    expect([node.transfers(), openOutputs]).toEqual([[], []]);
  });

  it("is forgotten a day after its end, and keeps no node from its start", async () => {
    const clock = new HandClock();
    const hub = new Hub(clock);
    const records = new FullRecords();
    const { node, blocks } = await hub.join("leecher", { records });
    const { id } = await node.download({
      fileId: "bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku",
    });
    await clock.passUntil(() => node.transfer(id).status === "failed");
    await node.stop();
    await clock.pass(ENDED_TRANSFER_MS + 1);
    records.isFull = true;
    const again = async () => (await hub.join("leecher", { records, blocks })).node;
    expect((await again()).transfers()).toEqual([]);
    records.isFull = false;
    await again();
    expect(await records.get("transfers", id)).toBeUndefined();
  });

  it("leaves the node to stop", async () => {
    const { node, transferId } = await downloading();
    await node.stop();
    expect(node.transfer(transferId).status).toBe("interrupted");
  });
});

describe("a file that is deleted", () => {
  async function shared() {
    const [hub, records] = [new Hub(), new FullRecords()];
    const peer = await hub.join("a", { records });
    const bytes = randomFile(2 * CHUNK_BYTES);
    const { file } = await peer.node.share(bytesOf(bytes), { name: "x" });
    const again = async () => (await hub.join("a", { records, blocks: peer.blocks })).node.files();
    return { ...peer, records, bytes, file, again };
  }

  it("gives on a full disk the room that its deletion needs", async () => {
    const { node, records, blocks, file, again } = await shared();
    records.isFull = true;
    const remove = blocks.delete.bind(blocks);
    blocks.delete = async (cid) => {
      await remove(cid);
      records.isFull = false;
    };
    await node.deleteFile(file.id);
    expect([blocks.usedBytes, await again()]).toEqual([0, []]);
  });

  it("is gone in this process where no room comes of it, and for good once there is some", async () => {
    const { node, records, file, again } = await shared();
    records.isFull = true;
    await expect(node.deleteFile(file.id)).rejects.toMatchObject({ name: "storage_full" });
    expect([node.files(), node.events.since(0).at(-1)?.event]).toEqual([[], "file_deleted"]);
    records.isFull = false;
    const { file: other } = await node.share(bytesOf(randomFile(10)), { name: "y" });
    expect([node.files(), await again()]).toEqual([[other], [other]]);
  });

  it("is here, and stays, when it is shared anew before its deletion could be noted", async () => {
    const { node, records, bytes, file, again } = await shared();
    records.isFull = true;
    await expect(node.deleteFile(file.id)).rejects.toMatchObject({ name: "storage_full" });
    records.isFull = false;
    await node.share(bytesOf(bytes), { name: "x" });
    await node.share(bytesOf(randomFile(10)), { name: "y" });
    expect((await again()).map(({ id, complete }) => [id, complete])).toContainEqual([file.id, true]);
  });

  it("is gone still when the disk has no room for sharing it anew either", async () => {
    const { node, records, bytes, file, again } = await shared();
    records.isFull = true;
    const full = { name: "storage_full" };
    await expect(node.deleteFile(file.id)).rejects.toMatchObject(full);
    await expect(node.share(bytesOf(bytes), { name: "x" })).rejects.toMatchObject(full);
    records.isFull = false;
    const { file: other } = await node.share(bytesOf(randomFile(10)), { name: "y" });
    expect([node.files(), await again()]).toEqual([[other], [other]]);
  });

  it("is told to be gone in this process alone where it was just shared anew, for which there was no room either", async () => {
    const { node, records, bytes, file, again } = await shared();
    const full = new SharingError("storage_full", "the disk is full");
    const [begun, over] = [gate(), gate()];
    const bad = vi
      .spyOn(records, "batch")
      .mockImplementationOnce(() => begun.opened.then(() => Promise.reject(full)))
      .mockImplementationOnce(() => {
        begun.open();
        return over.opened.then(() => Promise.reject(full));
      })
      .mockRejectedValue(full);
    const deleting = Promise.allSettled([node.deleteFile(file.id)]);
    const sharing = Promise.allSettled([node.share(bytesOf(bytes), { name: "x" })]);
    await begun.opened;
    await settled();
    over.open();
    expect([...(await deleting), ...(await sharing)]).toMatchObject([
      { reason: { name: "storage_full" } },
      { reason: { name: "storage_full" } },
    ]);
    bad.mockRestore();
    const { file: other } = await node.share(bytesOf(randomFile(10)), { name: "y" });
    expect([node.files(), await again()]).toEqual([[other], [other]]);
  });

  it("stays for good where that can't be noted, whatever is noted later", async () => {
    const { node, records, file, again } = await shared();
    const bad = vi.spyOn(records, "batch").mockRejectedValue(new Error("the disk is bad"));
    await expect(node.deleteFile(file.id)).rejects.toThrow("the disk is bad");
    bad.mockRestore();
    const { file: other } = await node.share(bytesOf(randomFile(10)), { name: "y" });
    // Those of one millisecond are in the order of their ids.
    for (const files of [node.files(), await again()]) {
      expect(files).toHaveLength(2);
      expect(files).toEqual(expect.arrayContaining([file, other]));
    }
  });

  it("stays, and is told of, while that can't be noted, and goes the next time", async () => {
    const { node, records, blocks, announced, file, again } = await shared();
    const bad = vi.spyOn(records, "batch").mockRejectedValue(new Error("the disk is bad"));
    await expect(node.deleteFile(file.id)).rejects.toThrow("the disk is bad");
    expect([node.files(), [...announced.keys()]]).toEqual([[file], [file.id]]);
    bad.mockRestore();
    await node.deleteFile(file.id);
    expect([node.files(), [...announced.keys()], blocks.usedBytes]).toEqual([[], [], 0]);
    expect(await again()).toEqual([]);
  });

  it("stays on a full disk where nothing is known of it but its record", async () => {
    const { records, blocks, file, again } = await shared();
    for await (const { cid } of blocks.getAll()) await blocks.delete(cid);
    const { node } = await new Hub().join("a", { records, blocks });
    records.isFull = true;
    await expect(node.deleteFile(file.id)).rejects.toMatchObject({ name: "storage_full" });
    const lost = [{ ...file, complete: false }];
    expect([node.files(), await again()]).toEqual([lost, lost]);
  });

  it("is gone though a block of it can't be deleted, which goes later", async () => {
    const { node, blocks, announced, file, again } = await shared();
    const bad = vi.spyOn(blocks, "delete").mockRejectedValue(new Error("the disk is bad"));
    await node.deleteFile(file.id);
    expect([node.files(), [...announced.keys()]]).toEqual([[], []]);
    expect(node.events.since(0).map(({ event }) => event)).toContain("file_deleted");
    expect(await again()).toEqual([]);
    bad.mockRestore();
    const { file: other } = await node.share(bytesOf(randomFile(10)), { name: "y" });
    await node.deleteFile(other.id);
    expect(blocks.usedBytes).toBe(0);
  });
});
