/** Attack 19 on running nodes: the quota, or the disk itself, is full in the middle of a download. */
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm, statfs, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";
import { Client } from "../../src/client/vx-client.ts";
import { openGatedPeer } from "../interop/gated-peer.ts";
import { type ShoalProcess, Shoals, transferEnd } from "../interop/shoal-process.ts";
import { until } from "../interop/until.ts";
import { baitedFile } from "./baited-file.ts";
import { expectUnharmed } from "./unharmed.ts";

const MIB = 1024 * 1024;
const run = promisify(execFile);

async function startShoals(): Promise<Shoals> {
  const shoals = new Shoals();
  onTestFinished(() => shoals[Symbol.asyncDispose]());
  return shoals;
}

async function expectSameBytes(node: ShoalProcess, fileId: string, bytes: Uint8Array): Promise<void> {
  const content = await (await node.client.content(fileId)).arrayBuffer();
  expect(Buffer.from(content).equals(bytes)).toBe(true);
}

/**
 * Two downloads begin, and no chunk comes until both have their manifest; then there is room for the small one
 * alone. What was there before and the small one must be whole, also after the process was killed.
 */
async function expectCleanFailure(shoals: Shoals, node: ShoalProcess, flags: string[]): Promise<void> {
  const kept = await baitedFile("kept.bin", 5 * MIB);
  const { file_id: keptId } = await node.client.upload(kept.bytes, { name: "kept.bin" });
  const peer = await openGatedPeer((await node.client.nodeInfo()).addresses);
  onTestFinished(() => peer.stop());
  const small = await baitedFile("small.bin", MIB + 5);
  const large = await baitedFile("large.bin", 14 * MIB);
  const { fileId: smallId } = await peer.share("small.bin", small.bytes);
  const { fileId: largeId } = await peer.share("large.bin", large.bytes);
  const download = (file_id: string) => node.client.download({ file_id });
  const [smallOne, largeOne] = [await download(smallId), await download(largeId)];
  await until("both manifests are here", async () => (await node.client.files()).files.length === 3);
  peer.release();

  expect(await transferEnd(node, largeOne.transfer_id)).toMatchObject({
    status: "failed",
    error: expect.stringMatching(/stor|space|full|quota/i),
  });
  // Both may have failed; with the large one's chunks given back, there is room for the small one.
  const smallEnd = await transferEnd(node, smallOne.transfer_id);
  await node.client.deleteFile(largeId);
  if (smallEnd.status === "failed") await node.client.resume(smallId);
  await until("the small one completes", async () => (await node.client.file(smallId)).complete);
  await expectSameBytes(node, keptId, kept.bytes);
  await expectSameBytes(node, smallId, small.bytes);
  await expectUnharmed(node);

  await node.kill();
  const again = await shoals.start({ folder: node.folder, flags });
  await expectSameBytes(again, keptId, kept.bytes);
  await expectSameBytes(again, smallId, small.bytes);
  expect((await again.client.nodeInfo()).storage_available).toBeGreaterThanOrEqual(0);
}

describe("a download that is larger than what is left", () => {
  it("fails cleanly at the quota, and all else stays whole", async () => {
    const shoals = await startShoals();
    const flags = ["--max-storage", String(16 * MIB)];
    const node = await shoals.start({ flags });
    await expectCleanFailure(shoals, node, flags);
  });

  it("is refused before its first chunk where it could never fit", async () => {
    const shoals = await startShoals();
    const seeder = await shoals.start();
    const file = await baitedFile("large.bin", 6 * MIB);
    const { file_id } = await seeder.client.upload(file.bytes, { name: "large.bin" });
    const node = await shoals.start({ bootstrap: [seeder], flags: ["--max-storage", String(4 * MIB)] });
    const { transfer_id } = await node.client.download({ file_id, output_path: "large.bin" });
    expect(await transferEnd(node, transfer_id)).toMatchObject({ status: "failed", progress: 0 });
    expect((await node.client.nodeInfo()).storage_used).toBe(0);
    expect(await readdir(join(node.folder, "downloads"))).toEqual([]);
    await expectUnharmed(node, seeder);
  });
});

interface SmallDisk {
  shoals: Shoals;
  /** Of a node, of which the folder of that name is the disk. */
  folder: string;
  disk: string;
  /** False where this user can't mount one: then it is as large as any. */
  isMounted: boolean;
}

async function smallDisk(name: string, sizeBytes: number): Promise<SmallDisk> {
  const shoals = await startShoals();
  const folder = await mkdtemp(join(tmpdir(), "shoal-test-"));
  const disk = join(folder, name);
  await mkdir(disk);
  const isMounted = await mountSmallDisk(disk, sizeBytes);
  onTestFinished(async () => {
    // At once out of the tree, and gone for good when the nodes have ended.
    if (isMounted) await run("umount", ["--lazy", disk]);
    await shoals[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true });
  });
  return { shoals, folder, disk, isMounted };
}

/** False where this user can't mount one. */
async function mountSmallDisk(folder: string, sizeBytes: number): Promise<boolean> {
  try {
    await run("mount", ["-t", "tmpfs", "-o", `size=${sizeBytes}`, "tmpfs", folder]);
    return true;
  } catch {
    return false;
  }
}

describe("a full disk", () => {
  it("under the data folder fails the download cleanly, and all else stays whole", async () => {
    const { shoals, folder, isMounted } = await smallDisk("data", 25 * MIB);
    // Without the right to mount, a quota of the same size stands in for the disk.
    const flags = isMounted ? [] : ["--max-storage", String(16 * MIB)];
    const node = await shoals.start({ folder, flags });
    await expectCleanFailure(shoals, node, flags);
  });

  it("under the index is told to those who add vectors, without the folder in which it stands", async () => {
    const { shoals, folder, disk, isMounted } = await smallDisk("data", 5 * MIB);
    const node = await shoals.start({ folder, flags: ["--vx-dimension", "3"] });
    const index = new Client(node.url, { apiKey: node.apiKey });
    const add = () => index.add(1, [1, 2, 3]);
    // Its index is made by the first request, which is the first to find the disk full.
    if (isMounted) {
      const { bavail, bsize } = await statfs(disk);
      await writeFile(join(disk, "fill"), new Uint8Array(bavail * bsize));
      await expect(add()).rejects.toMatchObject({ code: "storage_full", message: "The disk is full" });
      await rm(join(disk, "fill"));
    }
    await add();
    expect(await index.get(1)).toMatchObject({ id: 1 });
  });

  it("under the downloads fails a download before any of it is fetched", async () => {
    const { shoals, folder, disk, isMounted } = await smallDisk("downloads", 3 * MIB);
    const seeder = await shoals.start();
    const file = await baitedFile("large.bin", 6 * MIB);
    const { file_id } = await seeder.client.upload(file.bytes, { name: "large.bin" });
    const node = await shoals.start({ folder, bootstrap: [seeder] });
    const { transfer_id } = await node.client.download({ file_id, output_path: "large.bin" });
    const end = await transferEnd(node, transfer_id);
    expect(end.status).toBe(isMounted ? "failed" : "completed");
    if (isMounted) {
      expect(end).toMatchObject({
        progress: 0,
        error: expect.stringMatching(/needs 6.29 MB, and 3.\d+ MB are free/),
      });
      expect((await node.client.nodeInfo()).storage_used).toBeLessThan(MIB);
      expect(await readdir(disk)).toEqual([]);
    } else expect((await readFile(join(disk, "large.bin"))).equals(file.bytes)).toBe(true);
    await expectUnharmed(node, seeder);
  });
});
