/** What FsBlockStore promises about files that it keeps whole, and FsFiles about outputs that adopt them. */
import type { StatsFs } from "node:fs";
import fs, { cp, link, open, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import type { CID } from "multiformats/cid";
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { BlockIndex } from "../../../src/headless/blocks/block-index.ts";
import type { FsBlockStore } from "../../../src/headless/blocks/fs-block-store.ts";
import { openFsBlockStore, segmentsIn } from "../../../src/headless/blocks/open-block-store.ts";
import { DirectFile } from "../../../src/headless/files/direct-file.ts";
import { openFsFiles } from "../../../src/headless/files/fs-files.ts";
import { COMPACTION_DELAY_MS } from "../../../src/headless/limits.ts";
import { collectBytes } from "../../../src/sharing/collect-bytes.ts";
import { blockCid, RAW } from "../../../src/sharing/hash.ts";
import type { FileOutput } from "../../../src/sharing/ports.ts";
import { addBlock } from "../../contracts/add-block.ts";
import { untilTrue } from "../../eventually.ts";
import { temporaryFolder } from "../../temporary-folder.ts";

const PART_BYTES = 4096;

interface Part {
  cid: CID;
  offset: number;
  bytes: Uint8Array;
}

describe("a whole file", () => {
  let folder: string;
  let store: FsBlockStore;
  let root: CID;
  let parts: Part[];
  let content: Buffer;

  beforeEach(async () => {
    folder = join(await temporaryFolder(), "blocks");
    store = await openStore(folder);
    const sizes = [PART_BYTES, PART_BYTES, PART_BYTES, 1000];
    parts = await Promise.all(sizes.map((sizeBytes, index) => partOf(index, sizeBytes)));
    content = Buffer.concat(parts.map(({ bytes }) => bytes));
    root = await blockCid(content, RAW);
  });

  it("has each chunk in its place, in whatever order they come, and each is a block at once", async () => {
    const file = await store.openWhole(root);
    for (const { cid, offset, bytes } of parts.toReversed()) {
      expect(file.holds(cid, offset)).toBe(false);
      await file.putVerified(cid, offset, bytes);
      expect(file.holds(cid, offset)).toBe(true);
      expect(await collectBytes(store.get(cid))).toEqual(bytes);
    }
    await file.seal(content.byteLength);
    expect(await readFile(file.path)).toEqual(content);
    expect(store.usedBytes).toBe(content.byteLength);
  });

  it("refuses bytes that are not what the CID names", async () => {
    const file = await store.openWhole(root);
    const [first, second] = parts as [Part, Part];
    await expect(file.putVerified(first.cid, 0, second.bytes)).rejects.toMatchObject({
      name: "hash_mismatch",
    });
    expect(store.has(first.cid)).toBe(false);
    expect((await readFile(file.path)).byteLength).toBe(0);
  });

  it("counts to the quota, and takes a copy of what is stored elsewhere beyond it", async () => {
    store.maxBytes = PART_BYTES;
    const [first, second] = parts as [Part, Part];
    await store.putVerified(first.cid, first.bytes);
    const file = await store.openWhole(root);
    await file.putVerified(first.cid, first.offset, first.bytes);
    expect(file.holds(first.cid, first.offset)).toBe(false);
    expect((await readFile(file.path)).subarray(0, PART_BYTES)).toEqual(Buffer.from(first.bytes));
    await expect(file.putVerified(second.cid, second.offset, second.bytes)).rejects.toMatchObject({
      name: "storage_full",
    });
  });

  it("goes on after a restart with what it held, until it is whole", async () => {
    const [first, second] = parts as [Part, Part];
    const before = await store.openWhole(root);
    await before.putVerified(second.cid, second.offset, second.bytes);
    await store.close();

    store = await openStore(folder);
    const after = await store.openWhole(root);
    expect(after.path).toBe(before.path);
    expect(after.holds(second.cid, second.offset)).toBe(true);
    await after.putVerified(first.cid, first.offset, first.bytes);
    await after.seal(2 * PART_BYTES);
    after.close();
    expect(await readFile(after.path)).toEqual(content.subarray(0, 2 * PART_BYTES));
    expect((await store.openWhole(root)).path).not.toBe(after.path);
  });

  it("is never written by two, nor again while it has another name", async () => {
    const before = await store.openWhole(root);
    const beside = await store.openWhole(root);
    expect(beside.path).not.toBe(before.path);
    await link(before.path, join(folder, "other"));
    before.close();
    expect([before.path, beside.path]).not.toContain((await store.openWhole(root)).path);
  });

  it("trusts no chunk that power loss may have torn: what was not flushed is hashed at the next start", async () => {
    const [flushed, torn, whole] = parts as [Part, Part, Part];
    const file = await store.openWhole(root);
    await file.putVerified(flushed.cid, flushed.offset, flushed.bytes);
    await store.flush();
    for (const part of [torn, whole]) await file.putVerified(part.cid, part.offset, part.bytes);
    const after = join(await temporaryFolder(), "blocks");
    await cp(folder, after, { recursive: true });
    await change(join(after, "segments/1"), torn.offset);

    const reopened = await openStore(after);
    expect([flushed, torn, whole].map(({ cid }) => reopened.has(cid))).toEqual([true, false, true]);
  });

  it("is forgotten with its segment, or a later one of that number would be written over", async () => {
    await store.openWhole(root);
    await store.close();
    await (await openStore(folder)).close();
    const index = await BlockIndex.open(join(folder, "index"), segmentsIn(folder));
    const { wholes } = await index.read();
    await index.close();
    expect([[...wholes], await readdir(segmentsIn(folder))]).toEqual([[], []]);
  });

  it("has its length when it is sealed, durably", async () => {
    const file = await store.openWhole(root);
    for (const part of parts) await file.putVerified(part.cid, part.offset, part.bytes);
    const sizes: number[] = [];
    vi.spyOn(DirectFile.prototype, "datasync").mockImplementationOnce(async () => {
      sizes.push((await stat(file.path)).size);
    });
    await file.seal(content.byteLength - 1);
    expect(sizes).toEqual([content.byteLength - 1]);
  });

  it("that somebody changed loses the chunks that were changed, and no others, now and after a restart", async () => {
    const file = await sealed(store, root, parts, content.byteLength);
    await change(file.path, PART_BYTES);
    const reads = async () =>
      Promise.allSettled(parts.map(({ cid }) => collectBytes(store.get(cid)))).then((all) =>
        all.map(({ status }) => status),
      );
    expect(await reads()).toEqual(["fulfilled", "rejected", "fulfilled", "fulfilled"]);
    expect(store.has((parts[1] as Part).cid)).toBe(false);

    await store.close();
    await change(file.path, 0);
    store = await openStore(folder);
    expect(await reads()).toEqual(["rejected", "rejected", "fulfilled", "fulfilled"]);
  });

  it("whose blocks were deleted is gone, and its other name stays", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const file = await sealed(store, root, parts, content.byteLength);
    const other = join(folder, "other");
    await link(file.path, other);
    for (const { cid } of parts) await store.delete(cid);
    await vi.advanceTimersByTimeAsync(COMPACTION_DELAY_MS);
    await untilTrue(async () => (await readdir(join(folder, "segments"))).length === 0);
    expect(await readFile(other)).toEqual(content);
  });

  it("that a download may go on in after a restart is not tidied away, and a whole one is that few blocks are left of", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const last = parts[3] as Part;
    const unfinished = await store.openWhole(root);
    await unfinished.putVerified(last.cid, last.offset, last.bytes);
    const other = await addBlock(store, new Uint8Array(10), RAW);
    const file = await store.openWhole(other);
    for (const { cid, offset, bytes } of parts.slice(0, 3)) await file.putVerified(cid, offset, bytes);
    await file.seal(3 * PART_BYTES);
    for (const { cid } of parts.slice(1, 3)) await store.delete(cid);
    await store.close();

    store = await openStore(folder);
    await vi.advanceTimersByTimeAsync(COMPACTION_DELAY_MS);
    await untilTrue(async () => !(await readdir(join(folder, "segments"))).includes("3"));
    const after = await store.openWhole(root);
    expect(after.path).toBe(unfinished.path);
    expect(after.holds(last.cid, last.offset)).toBe(true);
  });

  it("that is being filled is not tidied away, however little of it is left", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const file = await store.openWhole(root);
    for (const { cid, offset, bytes } of parts.slice(0, 3)) await file.putVerified(cid, offset, bytes);
    const passing = await addBlock(store, new Uint8Array(10), RAW);
    for (const cid of [...parts.slice(0, 2).map((part) => part.cid), passing]) await store.delete(cid);
    await vi.advanceTimersByTimeAsync(COMPACTION_DELAY_MS);
    await untilTrue(async () => (await readdir(join(folder, "segments"))).join() === "1");
    const last = parts[2] as Part;
    expect(file.holds(last.cid, last.offset)).toBe(true);
  });

  it.each(["before", "after"])(
    "that was left and is being tidied away is not filled again by a download that goes on a moment %s",
    async (when) => {
      vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
      onTestFinished(() => void vi.useRealTimers());
      const left = await store.openWhole(root);
      const last = parts[3] as Part;
      await left.putVerified(last.cid, last.offset, last.bytes);
      left.close();

      let opening = when === "before" ? store.openWhole(root) : undefined;
      vi.advanceTimersByTime(COMPACTION_DELAY_MS);
      opening ??= store.openWhole(root);
      const file = await opening;
      await untilTrue(async () => !(await readdir(join(folder, "segments"))).includes("1"));
      for (const { cid, offset, bytes } of parts) await file.putVerified(cid, offset, bytes);
      await file.seal(content.byteLength);
      expect(await readFile(file.path)).toEqual(content);
      for (const { cid, bytes } of parts) expect(await collectBytes(store.get(cid))).toEqual(bytes);
    },
  );

  it("opens as it was frozen in format v1, and is written the same", async () => {
    const frozen = join(import.meta.dirname, "../../fixtures/formats/v1/whole-blocks");
    const copy = join(await temporaryFolder(), "blocks");
    await cp(frozen, copy, { recursive: true });
    const reopened = await openStore(copy);
    for (const { cid, bytes } of parts) expect(await collectBytes(reopened.get(cid))).toEqual(bytes);
    const unfinished = await reopened.openWhole(root);
    for (const { cid, offset } of parts) expect(unfinished.holds(cid, offset)).toBe(true);

    await sealed(store, root, parts, content.byteLength);
    expect(await readFile(join(folder, "segments/1"))).toEqual(await readFile(join(frozen, "segments/1")));
  });

  describe("adopted by an output", () => {
    let downloads: string;
    let output: FileOutput;

    beforeEach(async () => {
      const top = await temporaryFolder();
      downloads = join(top, "downloads");
      const files = await openFsFiles({
        shareRoots: [],
        downloadRoot: downloads,
        closedPaths: [],
        unfinishedFolder: join(top, "unfinished"),
        onError: () => undefined,
      });
      output = await files.openOutput("movie", { overwrite: false });
    });

    it("is what the output shows at its commit, with its permissions, and takes room on the disk once", async () => {
      const ordinary = join(downloads, "ordinary");
      await writeFile(ordinary, "");
      const file = await store.openWhole(root);
      await expect(output.adopt?.(file.path)).resolves.toBe(true);
      for (const { cid, offset, bytes } of parts) await file.putVerified(cid, offset, bytes);
      await file.seal(content.byteLength);
      expect(await readdir(downloads)).toEqual([expect.stringMatching(/\.part$/), "ordinary"]);
      await output.commit(content.byteLength);

      expect((await readdir(downloads)).sort()).toEqual(["movie", "ordinary"]);
      expect(await readFile(output.path)).toEqual(content);
      const [shown, kept] = [await stat(output.path), await stat(file.path)];
      expect(shown.ino).toBe(kept.ino);
      expect(shown.mode).toBe((await stat(ordinary)).mode);
    });

    it("counts what it takes up of the disk as free, as far as it is to be written again", async () => {
      const file = await store.openWhole(root);
      const [first, second] = parts as [Part, Part];
      // What stands elsewhere already, and is copied anew where that was broken off.
      await store.putVerified(first.cid, first.bytes);
      await file.putVerified(first.cid, first.offset, first.bytes);
      await file.putVerified(second.cid, second.offset, second.bytes);
      expect([first, second].map(({ cid, offset }) => file.holds(cid, offset))).toEqual([false, true]);
      await store.flush();
      const full = vi.spyOn(fs, "statfs").mockResolvedValue({ blocks: 1, bavail: 0, bsize: 1 } as StatsFs);
      syncBuiltinESMExports();
      onTestFinished(() => {
        full.mockRestore();
        syncBuiltinESMExports();
      });
      expect(await output.freeBytes(0)).toBe(0);
      await output.adopt?.(file.path);
      expect(await output.freeBytes(PART_BYTES)).toBe(PART_BYTES);
      expect(await output.freeBytes(3 * PART_BYTES)).toBe(0);
    });

    it("stays when the output is discarded", async () => {
      const file = await store.openWhole(root);
      const [first] = parts as [Part];
      await output.adopt?.(file.path);
      await file.putVerified(first.cid, first.offset, first.bytes);
      await output.discard();
      expect(await readdir(downloads)).toEqual([]);
      expect(await collectBytes(store.get(first.cid))).toEqual(first.bytes);
    });

    it("stays when the output is deleted", async () => {
      const file = await store.openWhole(root);
      await output.adopt?.(file.path);
      for (const { cid, offset, bytes } of parts) await file.putVerified(cid, offset, bytes);
      await file.seal(content.byteLength);
      await output.commit(content.byteLength);
      await rm(output.path);
      for (const { cid, bytes } of parts) expect(await collectBytes(store.get(cid))).toEqual(bytes);
    });

    it.runIf(process.platform === "linux")(
      "on another file system is not, and the output is written as before",
      async () => {
        await expect(output.adopt?.("/proc/self/status")).resolves.toBe(false);
        await output.write(0, content);
        await output.commit(content.byteLength);
        expect(await readFile(output.path)).toEqual(content);
      },
    );
  });
});

async function openStore(folder: string): Promise<FsBlockStore> {
  const onError = (error: unknown) => expect.unreachable(String(error));
  const store = await openFsBlockStore({ root: folder, maxBytes: 2 ** 30, onError });
  onTestFinished(() => store.close());
  return store;
}

async function partOf(index: number, sizeBytes: number): Promise<Part> {
  const bytes = new Uint8Array(sizeBytes).fill(index + 1);
  return { bytes, cid: await blockCid(bytes, RAW), offset: index * PART_BYTES };
}

async function sealed(store: FsBlockStore, root: CID, parts: Part[], sizeBytes: number) {
  const file = await store.openWhole(root);
  for (const { cid, offset, bytes } of parts) await file.putVerified(cid, offset, bytes);
  await file.seal(sizeBytes);
  file.close();
  return file;
}

/** Writes to the file as another program would. */
async function change(path: string, offset: number): Promise<void> {
  const handle = await open(path, "r+");
  await handle.write(new Uint8Array(10), 0, 10, offset);
  await handle.close();
}
