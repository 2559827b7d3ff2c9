/** The copy of a download outside the chunk store, chunk by chunk. */
import { createHash } from "node:crypto";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { CID } from "multiformats/cid";
import { describe, expect, it, vi } from "vitest";
import { CatalogEntry } from "../../../src/sharing/catalog/catalog-entry.ts";
import { Holding } from "../../../src/sharing/catalog/holding.ts";
import { OutputCopy } from "../../../src/sharing/download/output-copy.ts";
import { importFile } from "../../../src/sharing/files/dag.ts";
import { CHUNK_BYTES, MIN_WHOLE_CHUNKS } from "../../../src/sharing/limits.ts";
import { MemoryBlockStore } from "../../../src/sharing/memory/memory-block-store.ts";
import type { FileOutput, WholeFile } from "../../../src/sharing/ports.ts";
import { bytesOf, randomFile } from "./hub.ts";

const never = new AbortController().signal;

/** A disk takes its time for what it does. */
async function onDisk<T>(done: T[], what: T): Promise<void> {
  await nextTurn();
  done.push(what);
}

/** The copy of a file of so many chunks, of which none is held yet; the last has three bytes. */
async function openCopy(chunkCount = 2) {
  const bytes = randomFile((chunkCount - 1) * CHUNK_BYTES + 3);
  const manifest = await importFile(bytesOf(bytes), async () => {}, { signal: never });
  const record = { name: "x", sizeBytes: bytes.length, createdAt: new Date(0).toISOString() };
  const entry = new CatalogEntry(manifest.root.toString(), manifest, new Holding(chunkCount), record);
  const written: number[] = [];
  const output: FileOutput = {
    path: "out",
    freeBytes: async () => Number.POSITIVE_INFINITY,
    write: (offset) => onDisk(written, offset),
    commit: async () => {},
    discard: async () => {},
  };
  const blocks = new MemoryBlockStore();
  const copy = new OutputCopy(output, entry, blocks);
  const chunk = (index: number) => bytes.subarray(index * CHUNK_BYTES, (index + 1) * CHUNK_BYTES);
  return { copy, entry, blocks, output, written, chunk, last: chunk(chunkCount - 1) };
}

const sha256 = (bytes: Uint8Array) => new Uint8Array(createHash("sha256").update(bytes).digest());

describe("a chunk that is held and written already", () => {
  it("is verified when it comes again, by its hash where that was made, and not written again", async () => {
    const { copy, entry, written, last } = await openCopy();
    await copy.store(1, last, {});
    entry.holding.mark(1);
    await copy.store(1, last, {});
    await copy.store(1, last, { sha256: sha256(last) });
    const garbage = new Uint8Array(last.length);
    for (const options of [{}, { sha256: sha256(garbage) }]) {
      await expect(copy.store(1, garbage, options)).rejects.toMatchObject({ name: "hash_mismatch" });
    }
    expect(written).toEqual([CHUNK_BYTES]);
  });
});

it("a chunk that is not what the manifest says is refused, and neither stored nor written", async () => {
  const { copy, entry, blocks, written, last } = await openCopy();
  const garbage = copy.store(1, new Uint8Array(last.length), {});
  await expect(garbage).rejects.toMatchObject({ name: "hash_mismatch" });
  expect([blocks.has(entry.manifest.chunkCid(1)), written]).toEqual([false, []]);
});

it("a chunk that is written already and that storage has lost is stored again", async () => {
  const { copy, entry, blocks, last } = await openCopy();
  await copy.store(1, last, {});
  const cid = entry.manifest.chunkCid(1);
  await blocks.delete(cid);
  await copy.store(1, last, {});
  expect(blocks.has(cid)).toBe(true);
});

describe("chunks that were here before", () => {
  async function stored() {
    const file = await openCopy();
    const [first, second] = [0, 1].map((index) => file.entry.manifest.chunkCid(index)) as [CID, CID];
    await file.blocks.write(first, file.chunk(0));
    return { ...file, first, second };
  }

  it("are written in the end, each once", async () => {
    const { copy, written, last } = await stored();
    await copy.store(1, last, {});
    expect(written).toEqual([CHUNK_BYTES]);
    expect(await copy.copyRest(never)).toEqual([]);
    expect(await copy.copyRest(never)).toEqual([]);
    expect(written).toEqual([CHUNK_BYTES, 0]);
  });

  it("are told of where they are gone or damaged, and the damaged held no longer", async () => {
    const { copy, blocks, written, second } = await stored();
    expect(await copy.copyRest(never)).toEqual([1]);
    await blocks.write(second, new Uint8Array(3));
    expect(await copy.copyRest(never)).toEqual([1]);
    expect([blocks.has(second), written]).toEqual([false, [0]]);
  });

  it("are read into one buffer, one after the other, also where one is damaged", async () => {
    const { copy, blocks, second, last } = await stored();
    await blocks.write(second, new Uint8Array(3));
    expect(await copy.copyRest(never)).toEqual([1]);
    await blocks.write(second, last);
    expect(await copy.copyRest(never)).toEqual([]);
    expect(blocks.buffers.heldBytes).toBe(CHUNK_BYTES);
  });

  it("are copied no further once that is given up", async () => {
    const { copy, written } = await stored();
    const reason = new Error("cancelled");
    await expect(copy.copyRest(AbortSignal.abort(reason))).rejects.toBe(reason);
    expect(written).toEqual([]);
  });

  it("end the copying where they can't be read, and are held still", async () => {
    const { copy, blocks, first } = await stored();
    const fault = new Error("the disk fails");
    blocks.read = async () => {
      throw fault;
    };
    await expect(copy.copyRest(never)).rejects.toBe(fault);
    expect(blocks.has(first)).toBe(true);
  });

  it("end the copying where the output is gone, and are held still", async () => {
    const { copy, blocks, output, first } = await stored();
    const fault = Object.assign(new Error("the output is gone"), { name: "NotFoundError" });
    output.write = () => Promise.reject(fault);
    await expect(copy.copyRest(never)).rejects.toBe(fault);
    expect(blocks.has(first)).toBe(true);
  });
});

describe("a copy for which there is too little room", () => {
  it("is refused for what is missing, which is asked once, and is no more than the file", async () => {
    const { copy, entry, output } = await openCopy(3);
    const freeBytes = vi.fn(async () => 2 * CHUNK_BYTES + 2);
    output.freeBytes = freeBytes;
    const full = {
      name: "storage_full",
      message: expect.stringContaining("needs 2.1 MB, and 2.1 MB are free"),
    };
    await expect(copy.expectRoom()).rejects.toMatchObject(full);
    await expect(copy.expectRoom()).rejects.toMatchObject(full);
    expect(freeBytes).toHaveBeenCalledOnce();
    entry.holding.mark(0);
    await expect(new OutputCopy(output, entry, new MemoryBlockStore()).expectRoom()).resolves.toBeUndefined();
  });

  it("is not begun with what is here already", async () => {
    const { copy, blocks, entry, output, written, chunk } = await openCopy(3);
    for (const index of [0, 1, 2]) await blocks.write(entry.manifest.chunkCid(index), chunk(index));
    output.freeBytes = async () => 2 * CHUNK_BYTES + 2;
    await expect(copy.copyRest(never)).rejects.toMatchObject({ name: "storage_full" });
    expect(written).toEqual([]);
    output.freeBytes = async () => 2 * CHUNK_BYTES + 3;
    expect(await copy.copyRest(never)).toEqual([]);
  });

  it("of a single chunk finds that out when it is written", async () => {
    const { copy, output } = await openCopy(1);
    output.freeBytes = async () => 0;
    await expect(copy.expectRoom()).resolves.toBeUndefined();
  });
});

describe("a file that the store keeps whole", () => {
  /** One that is long enough for it. */
  const CHUNKS = MIN_WHOLE_CHUNKS;
  const LAST = CHUNKS - 1;

  /** Such a store, in which these chunks stand already, and an output that takes its file or doesn't. */
  async function openWhole(adopt: () => Promise<boolean>, standing: number[] = [], chunkCount = CHUNKS) {
    const file = await openCopy(chunkCount);
    const { blocks, entry, output, written } = file;
    const seen: string[] = [];
    const whole: WholeFile = {
      path: "whole",
      holds: (_, offset) => standing.includes(offset / CHUNK_BYTES),
      putVerified: (_, offset) => onDisk(seen, `chunk ${offset / CHUNK_BYTES}`),
      seal: (sizeBytes) => nextTurn().then(() => onDisk(seen, `sealed with ${sizeBytes}`)),
      close: () => seen.push("closed"),
    };
    const open = vi.fn(async () => whole);
    Object.assign(blocks, { openWhole: open });
    Object.assign(output, { adopt, commit: () => onDisk(seen, "committed") });
    for (const index of standing) await blocks.write(entry.manifest.chunkCid(index), file.chunk(index));
    const read = vi.spyOn(blocks, "read");
    return { ...file, seen, written, read, open };
  }

  it("is durable before it is seen under its name, has each chunk once, and is let go in the end", async () => {
    const { copy, seen, written, last } = await openWhole(async () => true);
    await copy.store(LAST, last, {});
    expect(seen).toEqual([`chunk ${LAST}`]);
    await copy.commit();
    await copy.close();
    expect([seen, written]).toEqual([
      [`chunk ${LAST}`, `sealed with ${LAST * CHUNK_BYTES + 3}`, "committed", "closed"],
      [],
    ]);
  });

  it("is opened once, however many chunks come at a time", async () => {
    const { copy, open, chunk } = await openWhole(async () => true);
    const all = Array.from({ length: CHUNKS }, (_, index) => copy.store(index, chunk(index), {}));
    await Promise.all(all);
    expect(await copy.copyRest(never)).toEqual([]);
    expect(open).toHaveBeenCalledOnce();
  });

  it("asks for the room of what is left, told how much stands there since an earlier run", async () => {
    const { copy, blocks, entry, output, chunk } = await openWhole(async () => true, [0, 1], 4);
    for (const index of [2, 3]) await blocks.write(entry.manifest.chunkCid(index), chunk(index));
    const freeBytes = vi.fn(async (_writtenBytes: number) => CHUNK_BYTES + 3);
    output.freeBytes = freeBytes;
    expect(await copy.copyRest(never)).toEqual([]);
    expect(freeBytes.mock.calls).toEqual([[2 * CHUNK_BYTES]]);
  });

  it("is not read again for what stands there since an earlier run", async () => {
    const { copy, seen, read } = await openWhole(async () => true, [...Array(CHUNKS).keys()]);
    expect(await copy.copyRest(never)).toEqual([]);
    expect([seen, read.mock.calls]).toEqual([[], []]);
  });

  it("is given what of it the store has elsewhere", async () => {
    const { copy, blocks, entry, seen, last } = await openWhole(async () => true, [...Array(LAST).keys()]);
    await blocks.write(entry.manifest.chunkCid(LAST), last);
    expect(await copy.copyRest(never)).toEqual([]);
    expect(seen).toEqual([`chunk ${LAST}`]);
  });

  it("is let go at once where its name can't be given to it, and the chunks are written there", async () => {
    const { copy, blocks, entry, seen, written, last } = await openWhole(async () => false);
    await copy.store(LAST, last, {});
    await copy.commit();
    await copy.close();
    expect([seen, written]).toEqual([["closed", "committed"], [LAST * CHUNK_BYTES]]);
    expect(blocks.has(entry.manifest.chunkCid(LAST))).toBe(true);
  });

  it("is let go where giving it its name fails, which ends the download", async () => {
    const fault = new Error("the disk fails");
    const { copy, seen, last } = await openWhole(() => Promise.reject(fault));
    await expect(copy.store(LAST, last, {})).rejects.toBe(fault);
    expect(seen).toEqual(["closed"]);
  });

  it("is none of a single chunk: that is written twice sooner than a file is made for it", async () => {
    const { copy, open, seen, written, last } = await openWhole(async () => true, [], LAST);
    await copy.store(LAST - 1, last, {});
    await copy.commit();
    await copy.close();
    expect([seen, written, open.mock.calls]).toEqual([["committed"], [(LAST - 1) * CHUNK_BYTES], []]);
  });
});
