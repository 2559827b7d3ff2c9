/** What FsBlockStore gives to peers of blocks that came to harm on the disk, or that the disk can't read. */
import { open, rename, stat, symlink, truncate } from "node:fs/promises";
import { join } from "node:path";
import type { CID } from "multiformats/cid";
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import type { FsBlockStore } from "../../../src/headless/blocks/fs-block-store.ts";
import { openFsBlockStore } from "../../../src/headless/blocks/open-block-store.ts";
import { DirectFile } from "../../../src/headless/files/direct-file.ts";
import { UNREADABLE_PAUSE_MS } from "../../../src/headless/limits.ts";
import { Catalog } from "../../../src/sharing/catalog/catalog.ts";
import type { LostBlock } from "../../../src/sharing/catalog/loss-log.ts";
import { importFile } from "../../../src/sharing/files/dag.ts";
import { RAW } from "../../../src/sharing/hash.ts";
import { BELIEVED_MS, CHUNK_BYTES } from "../../../src/sharing/limits.ts";
import { MemoryRecords } from "../../../src/sharing/memory/memory-records.ts";
import { systemClock } from "../../../src/sharing/system-clock.ts";
import { addBlock } from "../../contracts/add-block.ts";
import { untilTrue } from "../../eventually.ts";
import { temporaryFolder } from "../../temporary-folder.ts";
import { bytesOf, gate } from "../sharing/hub.ts";

/** Each begins where the one before ends. */
const BLOCK_BYTES = 4096;
const silent = { debug: () => {}, info: () => {}, warn: () => {} };
const never = new AbortController().signal;
const first = () => new Uint8Array(BLOCK_BYTES).fill(1);
const second = () => new Uint8Array(BLOCK_BYTES).fill(2);

describe("a block", () => {
  let root: string;
  let store: FsBlockStore;
  /** What the store told of. */
  let lost: LostBlock[];
  /** In this order on the disk. */
  let [rotten, kept] = [] as unknown as [CID, CID];

  beforeEach(async () => {
    vi.useFakeTimers({ toFake: ["performance", "setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    lost = [];
    root = await temporaryFolder();
    store = await openStore(root);
    rotten = await addBlock(store, first(), RAW);
    kept = await addBlock(store, second(), RAW);
  });

  it("of an earlier run that rotted is missing when a peer asks for it, and is taken anew", async () => {
    await store.close();
    await rot(join(root, "segments/1"));
    store = await openStore(root);
    await expectRotten();
    await store.putVerified(rotten, first());
    expect(await given(rotten)).toEqual(first());
  });

  it("that rotted while the node runs is missing when it was not looked at for a while", async () => {
    await rot(join(root, "segments/1"));
    vi.advanceTimersByTime(BELIEVED_MS);
    await expectRotten();
  });

  it("that rotted a moment ago is missing once somebody has doubted it", async () => {
    await rot(join(root, "segments/1"));
    for (const cid of [rotten, kept]) store.doubt(cid);
    await expectRotten();
    store.doubt(rotten);
  });

  it("that came to harm only as it was read is read again, whatever another read has found meanwhile", async () => {
    const { read } = DirectFile.prototype;
    const [begun, goOn] = [gate(), gate()];
    vi.spyOn(DirectFile.prototype, "read").mockImplementationOnce(async function (
      this: DirectFile,
      into,
      offset,
    ) {
      const filledBytes = await read.call(this, into, offset);
      into.set([1 ^ 4], 77);
      begun.open();
      await goOn.opened;
      return filledBytes;
    });
    store.doubt(rotten);
    const harmed = given(rotten);
    await begun.opened;
    expect(await given(rotten)).toEqual(first());
    goOn.open();
    expect([await harmed, lost]).toEqual([first(), []]);
  });

  it("that names a file's chunks is read again, too, before the file counts as broken", async () => {
    const records = new MemoryRecords();
    const catalog = await Catalog.open(store, records, silent);
    const { signal } = new AbortController();
    const bytes = bytesOf(new Uint8Array(CHUNK_BYTES + 1));
    const manifest = await importFile(bytes, (cid, block) => catalog.store(cid, block), { signal });
    const { id } = await catalog.add(manifest, { name: "x", createdAt: new Date(), isUnlisted: false });
    const { read } = DirectFile.prototype;
    vi.spyOn(DirectFile.prototype, "read").mockImplementationOnce(async function (
      this: DirectFile,
      into,
      offset,
    ) {
      const filledBytes = await read.call(this, into, offset);
      into[0] = (into[0] ?? 0) ^ 4;
      return filledBytes;
    });
    const again = await Catalog.open(store, records, silent);
    expect([again.isBroken(id), lost]).toEqual([false, []]);
  });

  it("is looked at again and again", async () => {
    vi.advanceTimersByTime(BELIEVED_MS);
    expect(await given(rotten)).toEqual(first());
    await rot(join(root, "segments/1"));
    vi.advanceTimersByTime(BELIEVED_MS);
    await expectRotten();
  });

  it("that rotted is written anew with the same bytes, though nobody has noticed", async () => {
    await rot(join(root, "segments/1"));
    await store.write(rotten, first());
    expect(lost).toEqual([{ cid: rotten.toString(), why: "damaged" }]);
    store.doubt(rotten);
    expect(await given(rotten)).toEqual(first());
    await store.write(kept, second());
    expect(store.usedBytes).toBe(2 * BLOCK_BYTES);
    expect((await stat(join(root, "segments/1"))).size).toBe(3 * BLOCK_BYTES);
  });

  it("of a file that was cut short, or is gone, is told of as that, once", async () => {
    await truncate(join(root, "segments/1"), BLOCK_BYTES);
    await expect(given(kept)).rejects.toMatchObject({ name: "NotFoundError" });
    await expect(given(kept)).rejects.toMatchObject({ name: "NotFoundError" });
    await store.close();
    await rename(join(root, "segments/1"), join(root, "segments/2"));
    store = await openStore(root);
    expect(lost).toEqual([
      { cid: kept.toString(), why: "cut short" },
      { cid: rotten.toString(), why: "gone" },
    ]);
  });

  describe.runIf(process.platform === "linux")("that the disk can't read", () => {
    const segment = () => join(root, "segments/1");

    beforeEach(async () => {
      await store.close();
      store = await openStore(root);
      await rename(segment(), join(root, "kept"));
      // A file whose first bytes can't be read: EIO.
      await symlink("/proc/self/mem", segment());
    });

    /** What becomes of a read that goes on after the pause. */
    async function readAfter(pauseMs: number, meanwhile = async () => {}) {
      const sleep = vi.spyOn(systemClock, "sleep");
      const hasPaused = () => sleep.mock.calls.some(([ms]) => ms === UNREADABLE_PAUSE_MS);
      const [outcome] = await Promise.allSettled([
        given(rotten),
        untilTrue(hasPaused)
          .then(meanwhile)
          .then(() => vi.advanceTimersByTimeAsync(pauseMs)),
      ]);
      return outcome;
    }

    it("is missing, and others are not", async () => {
      const other = await addBlock(store, new Uint8Array(10), RAW);
      expect(await readAfter(UNREADABLE_PAUSE_MS)).toMatchObject({ reason: { name: "NotFoundError" } });
      expect([store.has(rotten), store.has(kept)]).toEqual([false, true]);
      expect(lost).toEqual([
        { cid: rotten.toString(), why: "unreadable", error: expect.objectContaining({ code: "EIO" }) },
      ]);
      expect(await given(other)).toEqual(new Uint8Array(10));
      await store.putVerified(rotten, first());
      expect(await given(rotten)).toEqual(first());
    });

    it("is read where that has passed in a moment", async () => {
      const passes = () => rename(join(root, "kept"), segment());
      expect(await readAfter(UNREADABLE_PAUSE_MS, passes)).toMatchObject({ value: first() });
      expect([await given(rotten), lost]).toEqual([first(), []]);
    });

    it("is not lost by a store that closes before it has looked again", async () => {
      const closing = async () => {
        await store.close();
        await rename(join(root, "kept"), segment());
      };
      expect(await readAfter(0, closing)).toMatchObject({ reason: { name: "stopped" } });
      store = await openStore(root);
      expect([await given(rotten), lost]).toEqual([first(), []]);
    });
  });

  async function given(cid: CID): Promise<Uint8Array> {
    return await store.read(cid, undefined, never);
  }

  async function expectRotten(): Promise<void> {
    await expect(given(rotten)).rejects.toMatchObject({ name: "NotFoundError" });
    expect([store.has(rotten), store.usedBytes]).toEqual([false, BLOCK_BYTES]);
    expect(lost).toEqual([{ cid: rotten.toString(), why: "damaged" }]);
    expect(await given(kept)).toEqual(second());
  }

  async function openStore(folder: string): Promise<FsBlockStore> {
    const onError = (error: unknown) => expect.unreachable(String(error));
    const onLost = (block: LostBlock) => void lost.push(block);
    const opened = await openFsBlockStore({ root: folder, maxBytes: 2 ** 30, onError, onLost });
    onTestFinished(() => opened.close());
    return opened;
  }
});

/** One bit is another. */
async function rot(path: string): Promise<void> {
  const file = await open(path, "r+");
  await file.write(Uint8Array.of(1 ^ 4), 0, 1, 77);
  await file.close();
}
