/** What FsBlockStore promises about the disk, beyond the contract of block stores. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { cp, type FileHandle, open, readdir, readFile, rename, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { CID } from "multiformats/cid";
import { describe, expect, it, vi } from "vitest";
import { blockPath, parseBlockName } from "../../../src/headless/block-folder.ts";
import { type FsBlockStore, openFsBlockStore } from "../../../src/headless/fs-block-store.ts";
import { collectBytes } from "../../../src/sharing/collect-bytes.ts";
import { RAW, verifyBlock } from "../../../src/sharing/hash.ts";
import { addBlock } from "../../contracts/add-block.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const ROOMY = 2 ** 30;
const bytesOf = (fill: number, sizeBytes = 1000) => new Uint8Array(sizeBytes).fill(fill);

describe("FsBlockStore", () => {
  it("holds after a restart what it held before", async () => {
    const root = await temporaryFolder();
    const before = await openFsBlockStore({ root, maxBytes: ROOMY });
    const cids = await Promise.all([1, 2, 3].map((fill) => addBlock(before, bytesOf(fill, fill * 100), RAW)));
    await before.close();

    const after = await openFsBlockStore({ root, maxBytes: ROOMY });
    expect(after.usedBytes).toBe(600);
    for (const cid of cids) await expect(readVerified(after, cid)).resolves.toBeUndefined();
  });

  it("opens the frozen store of format v1", async () => {
    const frozen = join(import.meta.dirname, "../../fixtures/formats/v1/blocks");
    const root = await temporaryFolder();
    const [shard = ""] = await readdir(frozen);
    const [name = ""] = await readdir(join(frozen, shard));
    await cp(frozen, root, { recursive: true });

    const store = await openFsBlockStore({ root, maxBytes: ROOMY });
    const cid = CID.parse("bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e");
    expect(name).toBe(`${cid}.11`);
    expect(new TextDecoder().decode(await collectBytes(store.get(cid)))).toBe("hello world");
    const again = await temporaryFolder();
    const written = await openFsBlockStore({ root: again, maxBytes: ROOMY });
    await addBlock(written, new TextEncoder().encode("hello world"), RAW);
    expect(await readFile(join(again, shard, name), "utf8")).toBe("hello world");
  });

  it("reports a block cut short on the disk as missing, forgets it, and takes it anew", async () => {
    const root = await temporaryFolder();
    const store = await openFsBlockStore({ root, maxBytes: ROOMY });
    const cid = await addBlock(store, bytesOf(1), RAW);
    await truncate(blockPath(root, cid.toString(), 1000), 999);

    await expect(readVerified(store, cid)).rejects.toMatchObject({ name: "NotFoundError" });
    expect(store.has(cid)).toBe(false);
    expect(store.usedBytes).toBe(0);
    await store.putVerified(cid, bytesOf(1));
    await readVerified(store, cid);
  });

  it("reports a block that vanished from the disk as missing and forgets it", async () => {
    const root = await temporaryFolder();
    const store = await openFsBlockStore({ root, maxBytes: ROOMY });
    const cid = await addBlock(store, bytesOf(1), RAW);
    await rename(blockPath(root, cid.toString(), 1000), join(root, "elsewhere"));
    await expect(readVerified(store, cid)).rejects.toMatchObject({ name: "NotFoundError" });
    expect(store.has(cid)).toBe(false);
  });

  it("ignores files that are not its own", async () => {
    const root = await temporaryFolder();
    const store = await openFsBlockStore({ root, maxBytes: ROOMY });
    const cid = await addBlock(store, bytesOf(1), RAW);
    const shard = join(root, cid.toString().slice(-2, -1));
    for (const name of ["README", "bafy.12", `${cid}.x`, `${cid}.0012`])
      await writeFile(join(shard, name), "x");

    const reopened = await openFsBlockStore({ root, maxBytes: ROOMY });
    const keys: string[] = [];
    for await (const key of reopened.list()) keys.push(key.toString());
    expect(keys).toEqual([cid.toString()]);
  });

  it("keeps every acknowledged block, whole, through kill -9, and no temporary file", async () => {
    const root = await temporaryFolder();
    for (let round = 0; round < 2; round++) {
      const told = await writeUntilKilled(root, 20);
      const store = await openFsBlockStore({ root, maxBytes: ROOMY });
      expect(told.length).toBeGreaterThanOrEqual(20);
      for (const cid of told) await readVerified(store, CID.parse(cid));
      for await (const cid of store.list()) await readVerified(store, cid);
      expect(await readdir(join(root, "incoming"))).toEqual([]);
      await store.close();
    }
  });

  it("answers a full disk with storage_full, leaves nothing, and goes on when there is room", async () => {
    const root = await temporaryFolder();
    const store = await openFsBlockStore({ root, maxBytes: ROOMY });
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

    expect(await readdir(join(root, "incoming"))).toEqual([]);
    expect(store.usedBytes).toBe(1000);
    await readVerified(store, kept);
    await readVerified(store, await addBlock(store, bytesOf(2), RAW));
  });

  it("says how much room the disk has when that is less than the quota", async () => {
    const store = await openFsBlockStore({
      root: await temporaryFolder(),
      maxBytes: Number.MAX_SAFE_INTEGER,
    });
    const available = await store.availableBytes();
    expect(available).toBeGreaterThan(0);
    expect(available).toBeLessThan(2 ** 50);
  });

  it("finishes the writes under way before it has closed", async () => {
    const root = await temporaryFolder();
    const store = await openFsBlockStore({ root, maxBytes: ROOMY });
    const puts = [1, 2, 3].map((fill) => addBlock(store, bytesOf(fill), RAW));
    await vi.waitUntil(async () => store.usedBytes > 0 || (await readdir(join(root, "incoming"))).length > 0);
    await store.close();
    expect(await readdir(join(root, "incoming"))).toEqual([]);

    const stored = (await Promise.allSettled(puts)).filter(({ status }) => status === "fulfilled");
    const reopened = await openFsBlockStore({ root, maxBytes: ROOMY });
    expect(stored.length).toBeGreaterThan(0);
    expect(reopened.usedBytes).toBe(stored.length * 1000);
  });

  it("keeps a block that is deleted and put at the same time whole or away", async () => {
    const store = await openFsBlockStore({ root: await temporaryFolder(), maxBytes: ROOMY });
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

describe("a block's file name", () => {
  it.each([
    "",
    "x",
    "bafkrei.1",
    "../../etc/passwd",
    "bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e",
  ])("is not %j", (name) => {
    expect(parseBlockName(name)).toBeUndefined();
  });
});

async function readVerified(store: FsBlockStore, cid: CID): Promise<void> {
  await verifyBlock(cid, await collectBytes(store.get(cid)));
}

/** CIDs that the child had told when it was killed, at least so many. */
async function writeUntilKilled(root: string, count: number): Promise<string[]> {
  const script = join(import.meta.dirname, "block-writer.child.ts");
  const child = spawn(process.execPath, ["--import", "tsx", script, root], {
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
