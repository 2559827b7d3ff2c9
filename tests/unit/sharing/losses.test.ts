/** Files of which the medium has lost a part: found, shown, told, and fetched again from whoever has them. */
import type { CID } from "multiformats/cid";
import { describe, expect, it, vi } from "vitest";
import type { FileRecord } from "../../../src/sharing/catalog/catalog-entry.ts";
import { SharingError } from "../../../src/sharing/errors.ts";
import { DAG_PB, RAW } from "../../../src/sharing/hash.ts";
import { CHUNK_BYTES, MAX_REPAIRS_AT_START, STALL_MS, TICK_MS } from "../../../src/sharing/limits.ts";
import type { Files } from "../../../src/sharing/ports.ts";
import { HandClock } from "../hand-clock.ts";
import { bytesOf, collect, ended, gate, Hub, type HubNode, randomFile } from "./hub.ts";
import { memoryFiles } from "./memory-files.ts";

const never = new AbortController().signal;

async function stored(peer: HubNode, codec: number) {
  const cids = [];
  for await (const cid of peer.blocks.list()) if (cid.code === codec) cids.push(cid);
  return cids;
}

/** The medium loses some chunks without a word. */
async function evict(peer: HubNode, count: number, codec = RAW): Promise<void> {
  for (const cid of (await stored(peer, codec)).slice(0, count)) await peer.blocks.delete(cid);
}

/** Whoever looks at the chunk waits until the function given is called. */
function lookSlowly({ blocks }: HubNode, slow: CID): () => void {
  const { opened, open } = gate();
  const read = blocks.read.bind(blocks);
  vi.spyOn(blocks, "read").mockImplementation(async (cid, ...rest) => {
    if (cid.equals(slow)) await opened;
    return await read(cid, ...rest);
  });
  return open;
}

const whole = (peer: HubNode, fileId: string, sizeBytes: number) =>
  collect(peer.node.read(fileId, { start: 0, end: sizeBytes }, never));

async function openSwarm({ others = ["other"], clock }: { others?: string[]; clock?: HandClock } = {}) {
  const hub = clock ? new Hub(clock) : new Hub();
  const bytes = randomFile(6 * CHUNK_BYTES + 77);
  const own = await hub.join("own");
  const { file } = await own.node.share(bytesOf(bytes), { name: "x" });
  for (const id of others) await (await hub.join(id)).node.share(bytesOf(bytes), { name: "x" });
  return { hub, own, bytes, fileId: file.id };
}

const repairs = (peer: HubNode) => peer.node.transfers().filter(({ isRepair }) => isRepair);
const hasCompleted = (peer: HubNode) => peer.node.transfers().some(({ status }) => status === "completed");
const isComplete = (peer: HubNode, fileId: string) => peer.node.file(fileId).complete;

describe("a chunk that is lost", () => {
  it("is fetched again for the reader who finds it missing, with all others that are lost", async () => {
    const { own, bytes, fileId } = await openSwarm();
    await evict(own, 4);
    expect((await whole(own, fileId, bytes.length)).equals(bytes)).toBe(true);
    const [repair] = repairs(own);
    expect(await ended(own.node, repair?.id ?? "")).toBe("transfer_complete");
    expect(repairs(own)).toHaveLength(1);
    expect(own.node.chunkMap(repair?.id ?? "").peers).toEqual(["other"]);
    expect([isComplete(own, fileId), (await stored(own, RAW)).length]).toEqual([true, 7]);
  });

  it("is read as soon as it is here again, while the rest of its file is still looked through", async () => {
    const { own, bytes, fileId } = await openSwarm();
    const [lost, slow] = (await stored(own, RAW)) as [CID, CID];
    const open = lookSlowly(own, slow);
    await own.blocks.delete(lost);
    expect((await whole(own, fileId, bytes.length)).equals(bytes)).toBe(true);
    expect(repairs(own)).toMatchObject([{ status: "in_progress", progress: 1 }]);
    await own.blocks.delete(slow);
    open();
    expect(await ended(own.node, repairs(own)[0]?.id ?? "")).toBe("transfer_complete");
    expect([repairs(own).length, (await stored(own, RAW)).length]).toEqual([1, 7]);
  });

  it("leaves its repair at work while the rest of its file is looked through, however long that takes", async () => {
    const clock = new HandClock();
    const { own, bytes, fileId } = await openSwarm({ clock });
    const [lost, slow] = (await stored(own, RAW)) as [CID, CID];
    const open = lookSlowly(own, slow);
    await own.blocks.delete(lost);
    const reading = whole(own, fileId, bytes.length);
    await clock.passUntil(() => repairs(own)[0]?.progress === 1);
    await clock.pass(2 * STALL_MS);
    expect(repairs(own)).toMatchObject([{ status: "in_progress", error: undefined }]);
    expect((await reading).equals(bytes)).toBe(true);
    open();
    await clock.passUntil(() => repairs(own)[0]?.status === "completed");
  });

  it("is fetched again where its bytes are damaged", async () => {
    const { own, bytes, fileId } = await openSwarm();
    const [cid] = await stored(own, RAW);
    if (cid === undefined) throw new Error("nothing is stored");
    await own.blocks.delete(cid);
    await own.blocks.put(cid, randomFile(10));
    expect((await whole(own, fileId, bytes.length)).equals(bytes)).toBe(true);
  });

  it("is in progress once a chunk has come, whatever is found lost in the meantime", async () => {
    const { hub, own, bytes, fileId } = await openSwarm({ others: [] });
    const [firstChunk, others] = [gate(), gate()];
    let asked = 0;
    const answer = async (cid: CID, block: Uint8Array) => {
      if (cid.code === RAW) await (++asked === 1 ? firstChunk : others).opened;
      return block;
    };
    await (await hub.join("other", { manners: { answer } })).node.share(bytesOf(bytes), { name: "x" });
    await evict(own, 1);
    const first = whole(own, fileId, bytes.length);
    await expect.poll(() => asked).toBe(1);
    expect(repairs(own)).toMatchObject([{ status: "started", progress: 6 / 7 }]);

    await evict(own, 3);
    const second = whole(own, fileId, bytes.length);
    // How many are found by now depends on how far the look that the first began has come.
    await expect.poll(() => repairs(own)[0]?.progress).toBeLessThan(6 / 7);
    firstChunk.open();
    const inProgress = [{ status: "in_progress", peers: [{ chunksDownloaded: 1 }] }];
    await expect.poll(() => repairs(own)).toMatchObject(inProgress);
    expect(repairs(own)[0]?.progress).toBeLessThanOrEqual(6 / 7);
    others.open();
    for (const read of await Promise.all([first, second])) expect(read.equals(bytes)).toBe(true);
  });

  it("ends a reading when nobody brings it, and is fetched when somebody comes", async () => {
    const clock = new HandClock();
    const { hub, own, bytes, fileId } = await openSwarm({ others: [], clock });
    await evict(own, 1);
    let outcome: unknown;
    whole(own, fileId, bytes.length).catch((error: Error) => {
      outcome = error.name;
    });
    await clock.passUntil(() => outcome !== undefined);
    expect([outcome, isComplete(own, fileId)]).toEqual(["stopped", false]);
    expect(repairs(own)).toMatchObject([{ status: "interrupted", progress: 6 / 7 }]);
    await expect(whole(own, fileId, bytes.length)).rejects.toMatchObject({ name: "stopped" });
    const late = await hub.join("late");
    await late.node.share(bytesOf(bytes), { name: "x" });
    await clock.passUntil(() => isComplete(own, fileId));
    expect(repairs(own)).toHaveLength(1);
    expect((await whole(own, fileId, bytes.length)).equals(bytes)).toBe(true);
  });

  it("is found when a peer asks for it: the swarm is told, and both get it from another", async () => {
    const { hub, own, bytes, fileId } = await openSwarm({ others: [] });
    await evict(own, 2);
    const leecher = await hub.join("leecher");
    const transfer = await leecher.node.download({ fileId });
    await expect.poll(() => leecher.node.offers()[0]?.partialHolders).toEqual(["own"]);
    expect(isComplete(own, fileId)).toBe(false);
    const other = await hub.join("other");
    await other.node.share(bytesOf(bytes), { name: "x" });
    expect(await ended(leecher.node, transfer.id)).toBe("transfer_complete");
    await expect.poll(() => isComplete(own, fileId)).toBe(true);
    expect(leecher.banned.size + own.banned.size).toBe(0);
  });

  it("comes back with the same bytes shared anew, which ends its repair", async () => {
    const { own, bytes, fileId } = await openSwarm({ others: [] });
    await evict(own, 3);
    const reading = whole(own, fileId, bytes.length);
    await expect.poll(() => repairs(own).length).toBe(1);
    await own.node.share(bytesOf(bytes), { name: "y" });
    expect((await reading).equals(bytes)).toBe(true);
    expect(await ended(own.node, repairs(own)[0]?.id ?? "")).toBe("transfer_complete");
  });

  it("leaves the rest of the file alone when its repair is cancelled", async () => {
    const { own, bytes, fileId } = await openSwarm({ others: [] });
    await evict(own, 1);
    const reading = whole(own, fileId, bytes.length).catch((error: Error) => error.name);
    await expect.poll(() => repairs(own).length).toBe(1);
    await own.node.cancel(repairs(own)[0]?.id ?? "");
    expect([await reading, isComplete(own, fileId)]).toEqual(["stopped", false]);
    expect(await stored(own, RAW)).toHaveLength(6);
  });

  it("is fetched by the download that a restart cut off, rather than by the repair cancelled before", async () => {
    const { hub, own, bytes, fileId } = await openSwarm({ others: [] });
    await evict(own, 4);
    const reading = whole(own, fileId, bytes.length).catch((error: Error) => error.name);
    await expect.poll(() => repairs(own).length).toBe(1);
    await own.node.cancel(repairs(own)[0]?.id ?? "");
    expect(await reading).toBe("stopped");
    const { id } = await own.node.download({ fileId });
    await own.node.stop();
    own.leave();
    await (await hub.join("other")).node.share(bytesOf(bytes), { name: "x" });
    const back = await hub.join("own", { blocks: own.blocks, records: own.records });
    expect((await whole(back, fileId, bytes.length)).equals(bytes)).toBe(true);
    expect(await ended(back.node, id)).toBe("transfer_complete");
    expect(back.node.transfers().map(({ status }) => status)).toEqual(["completed", "cancelled"]);
  });

  it("is fetched by the repair that was cancelled before", async () => {
    const { hub, own, bytes, fileId } = await openSwarm({ others: [] });
    await evict(own, 1);
    const reading = whole(own, fileId, bytes.length).catch((error: Error) => error.name);
    await expect.poll(() => repairs(own).length).toBe(1);
    const id = repairs(own)[0]?.id ?? "";
    await own.node.cancel(id);
    expect(await reading).toBe("stopped");
    await (await hub.join("other")).node.share(bytesOf(bytes), { name: "x" });
    expect((await whole(own, fileId, bytes.length)).equals(bytes)).toBe(true);
    await expect.poll(() => hasCompleted(own)).toBe(true);
    expect(own.node.transfers()).toMatchObject([{ id, status: "completed" }]);
  });

  it("is fetched by no download to a place outside, cut off by a restart or cancelled", async () => {
    const { hub, own, bytes, fileId } = await openSwarm({ others: [] });
    await evict(own, 1);
    await own.node.download({ fileId, outputPath: "cut" });
    const { id } = await own.node.download({ fileId, outputPath: "cancelled" });
    await own.node.cancel(id);
    await own.node.stop();
    own.leave();
    await (await hub.join("other")).node.share(bytesOf(bytes), { name: "x" });
    const back = await hub.join("own", { ...own, manners: {} });
    expect((await whole(back, fileId, bytes.length)).equals(bytes)).toBe(true);
    await expect.poll(() => hasCompleted(back)).toBe(true);
    expect(back.node.transfers()).toMatchObject([
      { isRepair: true, status: "completed" },
      { outputPath: "cancelled", status: "cancelled" },
      { outputPath: "cut", status: "interrupted" },
    ]);
  });

  it("is left alone while its repair is paused, whoever reads", async () => {
    const { own, bytes, fileId } = await openSwarm({ others: [] });
    await evict(own, 1);
    const read = () => whole(own, fileId, bytes.length).catch((error: Error) => error.name);
    const reading = read();
    await expect.poll(() => repairs(own).length).toBe(1);
    await own.node.pause(repairs(own)[0]?.id ?? "");
    expect([await reading, await read()]).toEqual(["stopped", "stopped"]);
    expect(repairs(own)).toMatchObject([{ status: "interrupted", isPaused: true }]);
  });

  it("is found where a single block is read, and not given where it is damaged", async () => {
    const { own } = await openSwarm();
    const [cid] = (await stored(own, RAW)) as [CID];
    const sound = await collect(own.blocks.get(cid) as AsyncIterable<Uint8Array>);
    await own.blocks.delete(cid);
    await own.blocks.put(cid, randomFile(10));
    expect(await own.node.readBlock(cid, never)).toBeUndefined();
    await expect.poll(() => repairs(own)[0]?.status).toBe("completed");
    expect(await own.node.readBlock(cid, never)).toHaveLength(sound.length);
  });

  it("does not keep its file from deletion", async () => {
    const { own, bytes, fileId } = await openSwarm({ others: [] });
    await evict(own, 1);
    const reading = whole(own, fileId, bytes.length).catch((error: Error) => error.name);
    await expect.poll(() => repairs(own).length).toBe(1);
    await own.node.deleteFile(fileId);
    expect([await reading, own.node.files(), own.blocks.usedBytes]).toEqual(["stopped", [], 0]);
  });

  it("is fetched on where its file can't be deleted, being downloaded to a place", async () => {
    const { own, bytes, fileId } = await openSwarm({ others: [] });
    await evict(own, 1);
    const reading = whole(own, fileId, bytes.length).catch((error: Error) => error.name);
    await expect.poll(() => repairs(own).length).toBe(1);
    await own.node.pause((await own.node.download({ fileId, outputPath: "out" })).id);
    await expect(own.node.deleteFile(fileId)).rejects.toMatchObject({ name: "wrong_state" });
    expect(repairs(own)).toMatchObject([{ status: "started" }]);
    await own.node.stop();
    expect(await reading).toBe("stopped");
  });

  it("is not fetched again once its file is deleted, though another reader asks for it meanwhile", async () => {
    const { own, bytes, fileId } = await openSwarm({ others: [] });
    await evict(own, 1);
    const read = () => whole(own, fileId, bytes.length).catch((error: Error) => error.name);
    const readings = [read()];
    await expect.poll(() => repairs(own).length).toBe(1);
    const deleted = own.node.deleteFile(fileId);
    readings.push(read());
    await deleted;
    expect(await Promise.all(readings)).toEqual(["stopped", "file_not_found"]);
    expect([own.node.files(), repairs(own).map(({ status }) => status)]).toEqual([[], ["cancelled"]]);
  });

  it("of a file that is still downloading is fetched again by the same transfer", async () => {
    const { hub, own, bytes, fileId } = await openSwarm({ others: [] });
    own.leave();
    const { open, opened } = gate();
    let given = 0;
    const slow = await hub.join("slow", {
      manners: {
        answer: async (cid, block) =>
          (cid.code === RAW && ++given > 3 ? opened : Promise.resolve()).then(() => block),
      },
    });
    await slow.node.share(bytesOf(bytes), { name: "x" });
    const leecher = await hub.join("leecher");
    const transfer = await leecher.node.download({ fileId, strategy: "sequential" });
    await expect.poll(async () => (await stored(leecher, RAW)).length).toBeGreaterThanOrEqual(3);
    await evict(leecher, 2);
    const reading = whole(leecher, fileId, bytes.length);
    await expect.poll(() => leecher.node.transfer(transfer.id).progress).toBeLessThan(3 / 7);
    open();
    expect(await ended(leecher.node, transfer.id)).toBe("transfer_complete");
    expect((await reading).equals(bytes)).toBe(true);
    expect([repairs(leecher), (await stored(leecher, RAW)).length]).toEqual([[], 7]);
  });

  it("is fetched again also where its file came whole, but not to its place", async () => {
    const { hub, bytes, fileId } = await openSwarm();
    const [full, outputs] = [new SharingError("storage_full", "the disk is full"), new Map()];
    const files = memoryFiles(outputs, []);
    const openOutput: Files["openOutput"] = async (...given) => ({
      ...(await files.openOutput(...given)),
      commit: () => Promise.reject(full),
    });
    const leecher = await hub.join("leecher", { files: { ...files, openOutput } });
    const { id } = await leecher.node.download({ fileId, outputPath: "out" });
    expect(await ended(leecher.node, id)).toBe("transfer_failed");
    await evict(leecher, 1);
    expect((await whole(leecher, fileId, bytes.length)).equals(bytes)).toBe(true);
  });

  it("is told of where the file is brought to a place, though nobody has it to bring", async () => {
    const clock = new HandClock();
    const { own, fileId } = await openSwarm({ others: [], clock });
    await evict(own, 1);
    await own.node.download({ fileId, outputPath: "out" });
    await clock.passUntil(() => !isComplete(own, fileId));
    await clock.pass(TICK_MS);
    expect(own.announced.get(fileId)).toMatchObject({ complete: false });
  });

  it("is no loss while its file was never complete", async () => {
    const { hub, bytes, fileId } = await openSwarm();
    const leecher = await hub.join("leecher", { manners: {} });
    const transfer = await leecher.node.download({ fileId });
    await leecher.node.cancel(transfer.id);
    await expect(whole(leecher, fileId, bytes.length)).rejects.toMatchObject({ name: "file_not_found" });
    expect(repairs(leecher)).toEqual([]);
  });
});

describe("an inner node that is lost", () => {
  it("is made anew for the peer that asks for it", async () => {
    const { hub, own, fileId } = await openSwarm({ others: [] });
    await evict(own, 1, DAG_PB);
    const leecher = await hub.join("leecher");
    const transfer = await leecher.node.download({ fileId });
    expect(await ended(leecher.node, transfer.id)).toBe("transfer_complete");
    expect(await stored(own, DAG_PB)).toHaveLength(1);
  });
});

describe("what was lost while the node was away", () => {
  async function restarted({ codec, autoResume }: { codec: number; autoResume: boolean }) {
    const { hub, own, bytes, fileId } = await openSwarm();
    await own.node.stop();
    own.leave();
    await evict(own, 1, codec);
    const { records, blocks } = own;
    return { back: await hub.join("own", { records, blocks, autoResume }), bytes, fileId };
  }

  it.each([RAW, DAG_PB])(
    "is shown, and fetched again by a node that resumes by itself (codec %i)",
    async (codec) => {
      const { back, bytes, fileId } = await restarted({ codec, autoResume: true });
      const [repair] = repairs(back);
      expect(await ended(back.node, repair?.id ?? "")).toBe("transfer_complete");
      expect(back.node.files()).toMatchObject([{ id: fileId, name: "x", chunkCount: 7, complete: true }]);
      expect((await whole(back, fileId, bytes.length)).equals(bytes)).toBe(true);
    },
  );

  it("is known to be lost also of a file that a process before the last had brought whole, and not noted as such", async () => {
    const { hub, own, bytes, fileId } = await openSwarm();
    const { records, blocks } = own;
    await own.node.stop();
    own.leave();
    const { wasComplete, ...record } = (await records.get<FileRecord>("files", fileId)) as FileRecord;
    expect(wasComplete).toBe(true);
    await records.put("files", fileId, record);
    const next = await hub.join("own", { records, blocks });
    await next.node.stop();
    next.leave();
    await evict(own, 1);
    const back = await hub.join("own", { records, blocks });
    expect((await whole(back, fileId, bytes.length)).equals(bytes)).toBe(true);
  });

  it("of very many files is fetched for a few of them", async () => {
    const hub = new Hub();
    const own = await hub.join("own");
    for (let at = 0; at <= MAX_REPAIRS_AT_START; at++) {
      await own.node.share(bytesOf(Uint8Array.of(at)), { name: String(at) });
    }
    await own.node.stop();
    own.leave();
    await evict(own, MAX_REPAIRS_AT_START + 1);
    const { records, blocks } = own;
    const back = await hub.join("own", { records, blocks, autoResume: true });
    expect(repairs(back)).toHaveLength(MAX_REPAIRS_AT_START);
    expect(back.node.files().filter(({ complete }) => complete)).toEqual([]);
    await back.node.stop();
  });

  it("is fetched by others only once it is read", async () => {
    const { back, bytes, fileId } = await restarted({ codec: RAW, autoResume: false });
    expect([isComplete(back, fileId), repairs(back)]).toEqual([false, []]);
    expect((await whole(back, fileId, bytes.length)).equals(bytes)).toBe(true);
  });

  it("keeps nobody from reading the rest, though a full disk keeps it from being fetched again", async () => {
    const { back, bytes, fileId } = await restarted({ codec: RAW, autoResume: false });
    const full = new SharingError("storage_full", "the disk is full");
    vi.spyOn(back.records, "batch").mockRejectedValue(full);
    const reads = Array.from({ length: 7 }, (_, index) => {
      const start = index * CHUNK_BYTES;
      return collect(back.node.read(fileId, { start, end: Math.min(bytes.length, start + 10) }, never));
    });
    const read = await Promise.allSettled(reads);
    expect(read.filter(({ status }) => status === "fulfilled")).toHaveLength(6);
    expect(read.filter(({ status }) => status === "rejected")).toMatchObject([{ reason: full }]);
  });

  it("of a file's inner nodes leaves the file listed, to be fetched again or deleted", async () => {
    const { back, bytes, fileId } = await restarted({ codec: DAG_PB, autoResume: false });
    expect(back.node.file(fileId)).toMatchObject({ chunkCount: 7, sizeBytes: bytes.length, complete: false });
    await expect(whole(back, fileId, bytes.length)).rejects.toMatchObject({ name: "stopped" });
    expect(await ended(back.node, repairs(back)[0]?.id ?? "")).toBe("transfer_complete");
    expect((await whole(back, fileId, bytes.length)).equals(bytes)).toBe(true);
    expect(back.node.chunkMap(repairs(back)[0]?.id ?? "").peers).toEqual([]);

    const again = await restarted({ codec: DAG_PB, autoResume: false });
    await again.back.node.deleteFile(again.fileId);
    expect(again.back.node.files()).toEqual([]);
  });

  it.each(["shared", "fetched"])(
    "of an inner node that is damaged is whole for good once %s again",
    async (how) => {
      const { hub, own, bytes, fileId } = await openSwarm();
      const restart = async () => {
        own.leave();
        return await hub.join("own", { records: own.records, blocks: own.blocks });
      };
      const [node] = await stored(own, DAG_PB);
      if (node === undefined) throw new Error("nothing is stored");
      await own.blocks.delete(node);
      await own.blocks.put(node, randomFile(10));
      const back = await restart();
      expect(isComplete(back, fileId)).toBe(false);
      if (how === "shared") await back.node.share(bytesOf(bytes), { name: "x" });
      else await ended(back.node, (await back.node.download({ fileId })).id);
      expect(isComplete(await restart(), fileId)).toBe(true);
    },
  );
});

describe("two requests at once", () => {
  it("for the same file are one transfer, and two resumes are one run", async () => {
    const { hub, fileId } = await openSwarm();
    const leecher = await hub.join("leecher");
    const started = await Promise.all([1, 2, 3].map(() => leecher.node.download({ fileId })));
    expect(new Set(started.map(({ id }) => id)).size).toBe(1);
    await leecher.node.pause(started[0]?.id ?? "");
    await Promise.all([leecher.node.resume(fileId), leecher.node.resume(fileId)]);
    expect(await ended(leecher.node, started[0]?.id ?? "")).toBe("transfer_complete");
    const completions = leecher.node.events.since(0).filter(({ event }) => event === "transfer_complete");
    expect(completions).toHaveLength(1);
  });
});
