/** What FsBlockStore promises about the disk, beyond the contract of block stores. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  cp,
  type FileHandle,
  mkdir,
  open,
  readdir,
  readFile,
  rename,
  rm,
  truncate,
  writeFile,
} from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { CID } from "multiformats/cid";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { BlockIndex } from "../../../src/headless/blocks/block-index.ts";
import { DiskRoom } from "../../../src/headless/blocks/disk-room.ts";
import type { FsBlockStore, FsBlockStoreOptions } from "../../../src/headless/blocks/fs-block-store.ts";
import { openFsBlockStore, segmentsIn } from "../../../src/headless/blocks/open-block-store.ts";
import { SegmentFiles } from "../../../src/headless/blocks/segment-files.ts";
import { DirectFile } from "../../../src/headless/files/direct-file.ts";
import { LevelWriter } from "../../../src/headless/level/level-writer.ts";
import { COMPACTION_DELAY_MS } from "../../../src/headless/limits.ts";
import type { LostBlock } from "../../../src/sharing/catalog/loss-log.ts";
import { collectBytes } from "../../../src/sharing/collect-bytes.ts";
import { SharingError } from "../../../src/sharing/errors.ts";
import { blockCid, RAW, verifyBlock } from "../../../src/sharing/hash.ts";
import type { PutOptions } from "../../../src/sharing/ports.ts";
import { childProgram } from "../../child-program.ts";
import { addBlock } from "../../contracts/add-block.ts";
import { untilTrue } from "../../eventually.ts";
import { temporaryFolder } from "../../temporary-folder.ts";

const ROOMY = 2 ** 30;
const bytesOf = (fill: number, sizeBytes = 1000) => new Uint8Array(sizeBytes).fill(fill);

/** In two parts. */
function hashed(store: FsBlockStore, bytes: Uint8Array): Uint8Array {
  const hash = store.startHash();
  hash.update(bytes.subarray(0, 400));
  hash.update(bytes.subarray(400));
  return hash.digest();
}

describe("FsBlockStore", () => {
  it("holds after a restart what it held before", async () => {
    const root = await temporaryFolder();
    const before = await openStore(root);
    const cids = await Promise.all([1, 2, 3].map((fill) => addBlock(before, bytesOf(fill, fill * 100), RAW)));
    await before.close();

    const after = await openStore(root);
    expect(after.usedBytes).toBe(600);
    for (const cid of cids) await expect(readVerified(after, cid)).resolves.toBeUndefined();
  });

  it("opens the frozen store of format v1, and writes the same", async () => {
    const frozen = join(import.meta.dirname, "../../fixtures/formats/v1/blocks");
    const root = await temporaryFolder();
    await cp(frozen, root, { recursive: true });
    const store = await openStore(root);
    const cid = CID.parse("bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e");
    expect(new TextDecoder().decode(await collectBytes(store.get(cid)))).toBe("hello world");
    await store.close();

    const again = await temporaryFolder();
    const written = await openStore(again);
    await addBlock(written, new TextEncoder().encode("hello world"), RAW);
    await written.close();
    expect(await readFile(join(again, "segments/1"), "utf8")).toBe("hello world");
    expect(await indexOf(again)).toMatchObject({
      places: new Map([[cid.toString(), { segment: 1, offset: 0, sizeBytes: 11 }]]),
      durable: { segment: 1, offset: 4096, flush: expect.any(Number) },
    });
    // Nor does a run that writes nothing have the next one hash all again, or believe what waits for a flush of its own.
    const { flush } = (await indexOf(again)).durable;
    await (await openStore(again)).close();
    expect((await indexOf(again)).durable).toEqual({ segment: 2, offset: 0, flush: flush + 1 });
  });

  it("goes by the hash that it made of the bytes as they came, block by block and in a whole file", async () => {
    const store = await openStore(await temporaryFolder());
    const right = bytesOf(1);
    const cid = await blockCid(right, RAW);
    const file = await store.openWhole(cid);
    for (const putVerified of [
      (bytes: Uint8Array, options: PutOptions) => store.putVerified(cid, bytes, options),
      (bytes: Uint8Array, options: PutOptions) => file.putVerified(cid, 0, bytes, options),
    ]) {
      const wrong = bytesOf(2);
      await expect(putVerified(wrong, { sha256: hashed(store, wrong) })).rejects.toMatchObject({
        name: "hash_mismatch",
      });
      expect(store.has(cid)).toBe(false);
      await putVerified(right, { sha256: hashed(store, right) });
      await readVerified(store, cid);
      await store.delete(cid);
    }
  });

  it("reports a block cut short on the disk as missing, forgets it, and takes it anew", async () => {
    const root = await temporaryFolder();
    const store = await openStore(root);
    const cid = await addBlock(store, bytesOf(1), RAW);
    await truncate(join(root, "segments/1"), 999);

    await expect(readVerified(store, cid)).rejects.toMatchObject({ name: "NotFoundError" });
    expect(store.has(cid)).toBe(false);
    expect(store.usedBytes).toBe(0);
    await store.putVerified(cid, bytesOf(1));
    await readVerified(store, cid);
  });

  it("holds after a restart what is left when a segment vanished, and never takes its number again", async () => {
    const root = await temporaryFolder();
    const first = await openStore(root);
    const gone = await addBlock(first, bytesOf(1), RAW);
    await first.close();
    const second = await openStore(root);
    const kept = await addBlock(second, bytesOf(2), RAW);
    await second.close();
    await rm(join(root, "segments/1"));

    const third = await openStore(root);
    expect(third.has(gone)).toBe(false);
    await readVerified(third, kept);
    await addBlock(third, bytesOf(3), RAW);
    expect((await readdir(join(root, "segments"))).sort()).toEqual(["2", "3"]);
  });

  it("trusts no block that power loss may have torn: what was not flushed is hashed at the next start", async () => {
    const root = await temporaryFolder();
    const store = await openStore(root);
    const flushed = await addBlock(store, bytesOf(1), RAW);
    const [torn, whole] = await Promise.all([2, 3].map((fill) => blockCid(bytesOf(fill), RAW)));
    if (!torn || !whole) throw new Error("no blocks");
    await store.write(torn, bytesOf(2));
    await store.write(whole, bytesOf(3));
    const after = await temporaryFolder();
    await cp(root, after, { recursive: true });
    await store.close();
    const segment = await open(join(after, "segments/1"), "r+");
    await segment.write(new Uint8Array(500), 0, 500, 4096);
    await segment.close();

    const reopened = await openStore(after);
    expect([flushed, torn, whole].map((cid) => reopened.has(cid))).toEqual([true, false, true]);
    expect(reopened.usedBytes).toBe(2000);
    // After a kill alone it was read from memory, and may not be on the disk.
    const syncing = vi.spyOn(DirectFile.prototype, "datasync");
    await reopened.flush();
    expect(syncing).toHaveBeenCalledOnce();
    await reopened.close();
    expect((await openStore(after)).has(torn)).toBe(false);
  });

  it.each(["index", "index/CURRENT"])(
    "is not opened without its %s, and removes no block of it",
    async (part) => {
      const root = await temporaryFolder();
      const store = await openStore(root);
      const cid = await addBlock(store, bytesOf(1), RAW);
      await store.close();
      const [place, elsewhere] = [join(root, part), join(await temporaryFolder(), "kept")];
      await rename(place, elsewhere);

      const opening = openStore(root);
      await expect(opening).rejects.toMatchObject({
        name: "start_failed",
        message: /index: cannot find the index/,
      });
      await rename(elsewhere, place);
      await readVerified(await openStore(root), cid);
    },
  );

  it("is not opened without all of its segments, as beneath a disk that is not mounted, and forgets no block of theirs", async () => {
    const root = await temporaryFolder();
    const store = await openStore(root);
    const cid = await addBlock(store, bytesOf(1), RAW);
    await store.close();
    const [place, elsewhere] = [join(root, "segments"), join(await temporaryFolder(), "kept")];
    await rename(place, elsewhere);

    await expect(openStore(root)).rejects.toMatchObject({
      name: "start_failed",
      message: /segments: cannot find the blocks/,
    });
    await rm(place, { recursive: true });
    await rename(elsewhere, place);
    await readVerified(await openStore(root), cid);
  });

  it("is opened without any segment where power loss took what was not flushed", async () => {
    const root = await temporaryFolder();
    const store = await openStore(root);
    const cid = await blockCid(bytesOf(1), RAW);
    await store.write(cid, bytesOf(1));
    const after = await temporaryFolder();
    await cp(root, after, { recursive: true });
    await store.close();
    await rm(join(after, "segments/1"));
    expect((await openStore(after)).has(cid)).toBe(false);
  });

  it("begins anew where neither its index nor a block is left", async () => {
    const root = await temporaryFolder();
    const store = await openStore(root);
    const cid = await addBlock(store, bytesOf(1), RAW);
    await store.close();
    for (const part of ["index", "segments"]) await rm(join(root, part), { recursive: true });
    expect((await openStore(root)).has(cid)).toBe(false);
  });

  it("ignores files that are not its own, and removes segments that nothing stands in", async () => {
    const root = await temporaryFolder();
    const store = await openStore(root);
    const cid = await addBlock(store, bytesOf(1), RAW);
    await store.close();
    const others = ["README", "01", "-1", "1e3"];
    for (const name of [...others, "7"]) await writeFile(join(root, "segments", name), "x");
    // A folder as that of a segment, and none of the segments to come has its name.
    await mkdir(join(root, "segments/8"));

    const reopened = await openStore(root);
    const keys: string[] = [];
    for await (const key of reopened.list()) keys.push(key.toString());
    expect(keys).toEqual([cid.toString()]);
    await addBlock(reopened, bytesOf(2), RAW);
    expect((await readdir(join(root, "segments"))).sort()).toEqual([...others, "1", "8", "9"].sort());
  });

  it("gives the space of deleted blocks back, and moves those that stay", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const root = await temporaryFolder();
    const before = await openStore(root);
    const [kept, ...dropped] = await Promise.all(
      [1, 2, 3, 4].map((fill) => addBlock(before, bytesOf(fill), RAW)),
    );
    await before.close();
    const store = await openStore(root);
    const passing = await addBlock(store, bytesOf(5), RAW);
    for (const cid of [...dropped, passing]) await store.delete(cid);
    await vi.advanceTimersByTimeAsync(COMPACTION_DELAY_MS);
    await untilTrue(async () => (await readdir(join(root, "segments"))).join() === "3");
    expect((await readFile(join(root, "segments/3"))).byteLength).toBe(1000);
    await readVerified(store, kept as CID);
    await store.close();
    await readVerified(await openStore(root), kept as CID);
  });

  it("gives the space back of blocks that were deleted just before a restart, and moves no small ones that all stay", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const root = await temporaryFolder();
    const first = await openStore(root);
    const small = await Promise.all([1, 2, 3].map((fill) => addBlock(first, bytesOf(fill, 10), RAW)));
    await first.close();
    const second = await openStore(root);
    const [kept, ...dropped] = await Promise.all(
      [4, 5, 6].map((fill) => addBlock(second, bytesOf(fill), RAW)),
    );
    for (const cid of dropped) await second.delete(cid);
    await second.close();
    expect(await readdir(join(root, "segments"))).toEqual(["1", "2"]);

    const store = await openStore(root);
    await vi.advanceTimersByTimeAsync(COMPACTION_DELAY_MS);
    await untilTrue(async () => (await readdir(join(root, "segments"))).join() === "1,3");
    for (const cid of [kept as CID, ...small]) await readVerified(store, cid);
  });

  it("gives the space of some segments back where blocks of others can't be moved, and of those later", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const root = await temporaryFolder();
    const segments = async () => (await readdir(join(root, "segments"))).join();
    const first = await openStore(root);
    const [kept, ...dropped] = await Promise.all(
      [1, 2, 3].map((fill) => addBlock(first, bytesOf(fill), RAW)),
    );
    await first.close();
    const second = await openStore(root);
    const alone = await addBlock(second, bytesOf(4), RAW);
    await second.close();

    const onError = vi.fn();
    const store = await openStore(root, ROOMY, { onError });
    const appending = vi.spyOn(SegmentFiles.prototype, "append");
    onTestFinished(() => appending.mockRestore());
    appending.mockRejectedValueOnce(Object.assign(new Error("ENOSPC: the disk is full"), { code: "ENOSPC" }));
    for (const cid of [...dropped, alone]) await store.delete(cid);
    await vi.advanceTimersByTimeAsync(COMPACTION_DELAY_MS);
    await untilTrue(async () => (await segments()) === "1");
    expect(onError).toHaveBeenCalledOnce();
    await readVerified(store, kept as CID);

    await untilTrue(() => vi.getTimerCount() > 0);
    await vi.advanceTimersByTimeAsync(2 * COMPACTION_DELAY_MS);
    await untilTrue(async () => (await segments()) === "3");
    expect(onError).toHaveBeenCalledOnce();
    await readVerified(store, kept as CID);
  });

  it("tries again to move blocks as soon as others are deleted", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const root = await temporaryFolder();
    const first = await openStore(root);
    const [kept, ...dropped] = await Promise.all(
      [1, 2, 3].map((fill) => addBlock(first, bytesOf(fill), RAW)),
    );
    await first.close();

    const onError = vi.fn();
    const store = await openStore(root, ROOMY, { onError });
    const [later] = await Promise.all([4, 5, 6].map((fill) => addBlock(store, bytesOf(fill), RAW)));
    const appending = vi.spyOn(SegmentFiles.prototype, "append");
    onTestFinished(() => appending.mockRestore());
    appending.mockRejectedValue(new Error("the disk is full"));
    for (const cid of dropped) await store.delete(cid);
    for (let pauseMs = COMPACTION_DELAY_MS, tries = 1; tries < 4; tries++, pauseMs *= 2) {
      await untilTrue(() => vi.getTimerCount() > 0);
      await vi.advanceTimersByTimeAsync(pauseMs);
      await untilTrue(() => onError.mock.calls.length === tries);
    }
    appending.mockRestore();
    await untilTrue(() => vi.getTimerCount() > 0);
    await store.delete(later as CID);
    await vi.advanceTimersByTimeAsync(COMPACTION_DELAY_MS);
    await untilTrue(async () => (await readdir(join(root, "segments"))).join() === "2");
    await readVerified(store, kept as CID);
  });

  it("keeps a block that it moves through power loss, which may take its copy and leave word of it", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const root = await temporaryFolder();
    const before = await openStore(root);
    const [kept, dropped] = await Promise.all([1, 2].map((fill) => addBlock(before, bytesOf(fill), RAW)));
    await before.close();
    const store = await openStore(root);
    const after = await temporaryFolder();
    const { sync } = SegmentFiles.prototype;
    const spy = vi.spyOn(SegmentFiles.prototype, "sync").mockImplementationOnce(async function (
      this: SegmentFiles,
      onLost,
    ) {
      await cp(root, after, { recursive: true });
      await sync.call(this, onLost);
    });
    onTestFinished(() => spy.mockRestore());
    await store.delete(dropped as CID);
    await vi.advanceTimersByTimeAsync(COMPACTION_DELAY_MS);
    await untilTrue(async () => (await readdir(join(root, "segments"))).join() === "2");
    await readVerified(store, kept as CID);
    expect((await readdir(join(after, "segments"))).join()).toBe("1,2");
    await truncate(join(after, "segments/2"), 0);
    await readVerified(await openStore(after), kept as CID);
  });

  it("keeps every acknowledged block, whole, through kill -9", async () => {
    const root = await temporaryFolder();
    for (let round = 0; round < 2; round++) {
      const told = await writeUntilKilled(root, 20);
      const store = await openStore(root);
      expect(told.length).toBeGreaterThanOrEqual(20);
      for (const cid of told) await readVerified(store, CID.parse(cid));
      for await (const cid of store.list()) await readVerified(store, cid);
      await store.close();
    }
  });

  it("answers a full disk with storage_full, leaves nothing, and goes on when there is room", async () => {
    const root = await temporaryFolder();
    const store = await openStore(root);
    const kept = await addBlock(store, bytesOf(1), RAW);

    // /dev/full gives the kernel's own ENOSPC, as a full disk does, wherever tests run.
    const full = await open("/dev/full", "w");
    const prototype = Object.getPrototypeOf(full) as FileHandle;
    const write = prototype.write;
    const spy = vi
      .spyOn(prototype, "write")
      .mockImplementation(((...args: Parameters<typeof write>) => write.apply(full, args)) as typeof write);
    await expect(addBlock(store, bytesOf(2), RAW)).rejects.toMatchObject({ name: "storage_full" });
    spy.mockRestore();
    await full.close();

    expect(store.usedBytes).toBe(1000);
    await readVerified(store, kept);
    await readVerified(store, await addBlock(store, bytesOf(2), RAW));
  });

  it("gives the room of what is deleted back at once on a disk so full that this can't be noted", async () => {
    const root = await temporaryFolder();
    const store = await openStore(root);
    const cids = await Promise.all([1, 2].map((fill) => addBlock(store, bytesOf(fill), RAW)));
    await store.flush();
    const { write } = LevelWriter.prototype;
    const full = vi.spyOn(LevelWriter.prototype, "write").mockImplementation(async function (
      this: LevelWriter,
      ...given
    ) {
      if ((await readdir(join(root, "segments"))).length > 0) throw new SharingError("storage_full", "full");
      await write.apply(this, given);
    });
    for await (const _ of store.deleteMany(cids));
    // Through power loss, too: without any segment of the blocks that are told of the next start is refused.
    expect(full).toHaveBeenLastCalledWith(expect.anything(), { sync: true });
    full.mockRestore();
    expect([store.usedBytes, await readdir(join(root, "segments"))]).toEqual([0, []]);
    await store.close();
    expect((await indexOf(root)).places).toEqual(new Map());
  });

  it("gives the room of what is deleted back at once where the disk has none left for the records", async () => {
    const root = await temporaryFolder();
    const store = await openStore(root);
    const cids = [await addBlock(store, bytesOf(1), RAW)];
    vi.spyOn(DiskRoom.prototype, "freeBytes").mockResolvedValue(0);
    for await (const _ of store.deleteMany(cids));
    expect(await readdir(join(root, "segments"))).toEqual([]);
  });

  it("makes durable what was deleted before the segment goes, so that no start misses it after power loss", async () => {
    const root = await temporaryFolder();
    const store = await openStore(root);
    const cids = [await addBlock(store, bytesOf(1), RAW)];
    await store.flush();
    const writing = vi.spyOn(LevelWriter.prototype, "write");
    const removing = vi.spyOn(SegmentFiles.prototype, "remove");
    vi.spyOn(DiskRoom.prototype, "freeBytes").mockResolvedValue(0);
    for await (const _ of store.deleteMany(cids));
    expect(writing.mock.calls.map(([, { sync }]) => sync)).toEqual([false, true]);
    const [noted, removed] = [writing, removing].map((spy) => spy.mock.invocationCallOrder.at(-1) as number);
    expect(noted).toBeLessThan(removed as number);
  });

  it("keeps a block that was deleted on a full disk and put anew before that could be noted", async () => {
    const root = await temporaryFolder();
    const store = await openStore(root);
    const [cid, other] = [await addBlock(store, bytesOf(1), RAW), await addBlock(store, bytesOf(2), RAW)];
    const full = vi.spyOn(LevelWriter.prototype, "write");
    full.mockRejectedValueOnce(new SharingError("storage_full", "the disk is full"));
    await store.delete(cid);
    expect(store.has(cid)).toBe(false);
    await addBlock(store, bytesOf(1), RAW);
    await store.delete(other);
    await store.close();
    const after = await openStore(root);
    expect([after.has(cid), after.has(other)]).toEqual([true, false]);
    await readVerified(after, cid);
  });

  it("says how much room the disk has when that is less than the quota", async () => {
    const store = await openStore(await temporaryFolder(), Number.MAX_SAFE_INTEGER);
    const available = await store.availableBytes();
    expect(available).toBeGreaterThan(0);
    expect(available).toBeLessThan(2 ** 50);
  });

  it("makes the names of its files durable at the next flush where one could not", async () => {
    const root = await temporaryFolder();
    const store = await openStore(root);
    const segments = join(root, "segments");
    await store.write(await blockCid(bytesOf(1), RAW), bytesOf(1));
    await rename(segments, `${segments}.away`);
    await expect(store.flush()).rejects.toThrow("ENOENT");
    // What is written has been synced by now, but not its name.
    await expect(store.flush()).rejects.toThrow("ENOENT");
    await rename(`${segments}.away`, segments);
    await store.flush();
    await rename(segments, `${segments}.away`);
    await store.flush();
    await rename(`${segments}.away`, segments);
  });

  it("writes anew what the system could not make durable, and may have dropped", async () => {
    const told: LostBlock[] = [];
    const onLost = (block: LostBlock) => void told.push(block);
    const store = await openStore(await temporaryFolder(), ROOMY, { onLost });
    const kept = await addBlock(store, bytesOf(1), RAW);
    const lost = await blockCid(bytesOf(2), RAW);
    await store.write(lost, bytesOf(2));
    const failing = vi.spyOn(DirectFile.prototype, "datasync");
    onTestFinished(() => failing.mockRestore());
    const fault = Object.assign(new Error("EIO: i/o error, fdatasync"), {
      code: "EIO",
      syscall: "fdatasync",
    });
    failing.mockRejectedValueOnce(fault);
    await expect(store.flush()).rejects.toThrow("EIO");
    expect([store.has(kept), store.has(lost)]).toEqual([true, false]);
    expect(store.usedBytes).toBe(1000);
    expect(told).toMatchObject([{ cid: lost.toString(), why: "not durable" }]);
    await addBlock(store, bytesOf(2), RAW);
    await store.flush();
    expect(failing).toHaveBeenCalledTimes(2);
    expect(await collectBytes(store.get(lost))).toEqual(bytesOf(2));
  });

  it("finishes the writes under way before it has closed", async () => {
    const root = await temporaryFolder();
    const store = await openStore(root);
    const puts = [1, 2, 3].map((fill) => addBlock(store, bytesOf(fill), RAW));
    await untilTrue(async () => (await readdir(join(root, "segments"))).length > 0);
    await store.close();

    const stored = (await Promise.allSettled(puts)).filter(({ status }) => status === "fulfilled");
    const reopened = await openStore(root);
    expect(stored.length).toBeGreaterThan(0);
    expect(reopened.usedBytes).toBe(stored.length * 1000);
  });

  it("keeps a block that is deleted and put at the same time whole or away", async () => {
    const store = await openStore(await temporaryFolder());
    const cid = await addBlock(store, bytesOf(1), RAW);
    for (let i = 0; i < 30; i++) {
      await Promise.allSettled([
        store.delete(cid),
        addBlock(store, bytesOf(1), RAW),
        readVerified(store, cid),
      ]);
      if (store.has(cid)) await readVerified(store, cid);
      expect(store.usedBytes).toBe(store.has(cid) ? 1000 : 0);
    }
  });
});

async function openStore(
  root: string,
  maxBytes = ROOMY,
  told: Partial<Pick<FsBlockStoreOptions, "onError" | "onLost">> = {},
): Promise<FsBlockStore> {
  const onError = (error: unknown) => expect.unreachable(String(error));
  const store = await openFsBlockStore({ root, maxBytes, onError, ...told });
  // Before its folder goes: what it does in its own time would fail then.
  onTestFinished(() => store.close());
  return store;
}

async function indexOf(root: string) {
  const index = await BlockIndex.open(join(root, "index"), segmentsIn(root));
  try {
    return await index.read();
  } finally {
    await index.close();
  }
}

async function readVerified(store: FsBlockStore, cid: CID): Promise<void> {
  await verifyBlock(cid, await collectBytes(store.get(cid)));
}

/** CIDs that the child had told when it was killed, at least so many. */
async function writeUntilKilled(root: string, count: number): Promise<string[]> {
  const child = spawn(process.execPath, [childProgram("block-writer"), root], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const closed = once(child, "close");
  const told: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    if (line.length === 59) told.push(line);
    if (told.length === count) child.kill("SIGKILL");
  }
  await closed;
  return told;
}
