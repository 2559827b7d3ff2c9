/** What FsBlockStore gives to peers of blocks that came to harm on the disk, or that the disk can't read. */
import { open, rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import type { CID } from "multiformats/cid";
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { type FsBlockStore, openFsBlockStore } from "../../../src/headless/fs-block-store.ts";
import { RAW } from "../../../src/sharing/hash.ts";
import { BELIEVED_MS } from "../../../src/sharing/limits.ts";
import { addBlock } from "../../contracts/add-block.ts";
import { temporaryFolder } from "./temporary-folder.ts";

/** Each begins where the one before ends. */
const BLOCK_BYTES = 4096;
const never = new AbortController().signal;
const first = () => new Uint8Array(BLOCK_BYTES).fill(1);
const second = () => new Uint8Array(BLOCK_BYTES).fill(2);

describe("a block", () => {
  let root: string;
  let store: FsBlockStore;
  /** In this order on the disk. */
  let [rotten, kept] = [] as unknown as [CID, CID];

  beforeEach(async () => {
    vi.useFakeTimers({ toFake: ["performance"] });
    onTestFinished(() => void vi.useRealTimers());
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

  it("is looked at again and again", async () => {
    vi.advanceTimersByTime(BELIEVED_MS);
    expect(await given(rotten)).toEqual(first());
    await rot(join(root, "segments/1"));
    vi.advanceTimersByTime(BELIEVED_MS);
    await expectRotten();
  });

  it.runIf(process.platform === "linux")(
    "that the disk can't read is missing, and others are not",
    async () => {
      await store.close();
      store = await openStore(root);
      const other = await addBlock(store, new Uint8Array(10), RAW);
      await rm(join(root, "segments/1"));
      // A file whose first bytes can't be read: EIO.
      await symlink("/proc/self/mem", join(root, "segments/1"));
      await expect(given(rotten)).rejects.toMatchObject({ name: "NotFoundError" });
      expect([store.has(rotten), store.has(kept)]).toEqual([false, true]);
      expect(await given(other)).toEqual(new Uint8Array(10));
      await store.putVerified(rotten, first());
      expect(await given(rotten)).toEqual(first());
    },
  );

  async function given(cid: CID): Promise<Uint8Array> {
    return await store.read(cid, undefined, never);
  }

  async function expectRotten(): Promise<void> {
    await expect(given(rotten)).rejects.toMatchObject({ name: "NotFoundError" });
    expect([store.has(rotten), store.usedBytes]).toEqual([false, BLOCK_BYTES]);
    expect(await given(kept)).toEqual(second());
  }
});

async function openStore(root: string): Promise<FsBlockStore> {
  const onError = (error: unknown) => expect.unreachable(String(error));
  const store = await openFsBlockStore({ root, maxBytes: 2 ** 30, onError });
  onTestFinished(() => store.close());
  return store;
}

/** One bit is another. */
async function rot(path: string): Promise<void> {
  const file = await open(path, "r+");
  await file.write(Uint8Array.of(1 ^ 4), 0, 1, 77);
  await file.close();
}
