/** What is acknowledged stays, what is refused does not come back: failing media, torn ends, damage. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { noCipher, TAG_BYTES } from "../../../src/vx/storage/cipher.ts";
import { crc32c } from "../../../src/vx/storage/crc32.ts";
import { HEADER_BYTES } from "../../../src/vx/storage/file-header.ts";
import { decodeFacts, encodeFrame, FRAME_HEADER_BYTES, paddedFrame } from "../../../src/vx/storage/frame.ts";
import type { AppendFile, IndexStorage } from "../../../src/vx/storage/index-storage.ts";
import type { IndexStore } from "../../../src/vx/storage/index-store.ts";
import { MAX_FRAME_BYTES } from "../../../src/vx/storage/limits.ts";
import { MemoryMedium, openMemoryIndexStorage } from "../../../src/vx/storage/memory-index-storage.ts";
import { openIndexStore } from "../../../src/vx/storage/open-index-store.ts";
import type { Operation } from "../../../src/vx/storage/operations.ts";
import { Faults, failing } from "./failing-storage.ts";
import { adds, facts, loaded, SmallIndex, snapshot, write } from "./small-index.ts";

async function open(medium: MemoryMedium, faults = new Faults()): Promise<IndexStore> {
  const storage = failing(await openMemoryIndexStorage(medium), faults);
  return openIndexStore(storage, { create: facts });
}

/** What a new process finds. */
async function found(medium: MemoryMedium) {
  medium.locked = false;
  const store = await open(medium);
  const content = (await loaded(store)).content();
  await store.close();
  return content;
}

/** Appends one by one; a model of what was acknowledged. */
async function offer(store: IndexStore, model: SmallIndex, batches: Operation[][]): Promise<string[]> {
  const refusals: string[] = [];
  for (const batch of batches) {
    await write(store, model, batch).catch((error: Error & { code?: string }) => {
      refusals.push(error.code ?? error.message);
    });
  }
  return refusals;
}

const ten = Array.from({ length: 10 }, (_, i) => adds(i * 10, 4, "x"));

test("a medium that is full at any byte refuses with storage_full and loses nothing acknowledged", async () => {
  const whole = new MemoryMedium();
  const first = await open(whole);
  await offer(first, await loaded(first), ten);
  await first.close();
  const journalBytes = whole.files.get("journal-000000000001")?.length ?? 0;
  for (let freeBytes = 0; freeBytes < journalBytes; freeBytes += 7) {
    const medium = new MemoryMedium();
    const faults = new Faults();
    const store = await open(medium, faults);
    const model = await loaded(store);
    faults.freeBytes = freeBytes;
    const refusals = await offer(store, model, ten);
    expect(refusals.length).toBeGreaterThan(0);
    expect(new Set(refusals)).toEqual(new Set(["storage_full"]));
    expect(await found(medium)).toEqual(model.content());

    medium.locked = true;
    faults.freeBytes = Number.POSITIVE_INFINITY;
    expect(await offer(store, model, [adds(500, 3), [{ kind: "delete", id: 500n }]])).toEqual([]);
    expect(await found(medium)).toEqual(model.content());
  }
});

test("a sync that fails refuses what it was for, and the journal goes on in a new segment", async () => {
  const medium = new MemoryMedium();
  const faults = new Faults();
  const store = await open(medium, faults);
  const model = await loaded(store);
  await write(store, model, adds(0, 5));
  faults.syncFailures = 1;
  await expect(store.append(adds(100, 5))).rejects.toThrow("EIO");
  expect(await found(medium)).toEqual(model.content());
  await write(store, model, adds(200, 5));
  expect(await found(medium)).toEqual(model.content());
  expect(medium.files.has("journal-000000000002")).toBe(true);
});

test("what could not be cut off does not come back once another append was stored", async () => {
  const medium = new MemoryMedium();
  const faults = new Faults();
  const store = await open(medium, faults);
  const model = await loaded(store);
  await write(store, model, adds(0, 5));
  faults.syncFailures = 1;
  faults.truncateFailures = 1;
  await expect(store.append(adds(100, 5))).rejects.toThrow(/may be there at the next start/);
  await write(store, model, adds(200, 2));
  expect(await found(medium)).toEqual(model.content());
});

test("a file that can neither be written to nor cut off is closed", async () => {
  const faults = new Faults();
  const storage = failing(await openMemoryIndexStorage(new MemoryMedium()), faults);
  let open = 0;
  const counting: IndexStorage = {
    ...storage,
    async startAppending(name: string): Promise<AppendFile> {
      const file = await storage.startAppending(name);
      open++;
      const close = async () => {
        open--;
        await file.close();
      };
      return { ...file, close };
    },
  };
  const store = await openIndexStore(counting, { create: facts });
  await loaded(store);
  await store.append(adds(0, 1));
  faults.syncFailures = 1;
  faults.truncateFailures = 1;
  await expect(store.append(adds(1, 1))).rejects.toThrow(/nor cut it off/);
  expect(open).toBe(0);
  await store.close();
});

test("appends at once share one sync, and each learns its own number", async () => {
  const medium = new MemoryMedium();
  let syncs = 0;
  const storage = await openMemoryIndexStorage(medium);
  const counting: IndexStorage = Object.assign(Object.create(storage) as IndexStorage, {
    async startAppending(name: string): Promise<AppendFile> {
      const file = await storage.startAppending(name);
      return { ...file, sync: async () => void syncs++ };
    },
  });
  const store = await openIndexStore(counting, { create: facts });
  await loaded(store);
  const numbers = await Promise.all(Array.from({ length: 500 }, (_, i) => store.append(adds(i * 2, 2))));
  expect(numbers).toEqual(Array.from({ length: 500 }, (_, i) => i * 2 + 2));
  expect(syncs).toBe(2);
  await store.close();
});

test("waiting appends are stored before a close settles", async () => {
  const medium = new MemoryMedium();
  const store = await open(medium);
  await loaded(store);
  const appended = Promise.all([store.append(adds(0, 3)), store.append(adds(10, 3))]);
  await store.close();
  expect(await appended).toEqual([3, 6]);
  expect((await found(medium)).size).toBe(6);
});

test("a journal that ends torn at any byte keeps every operation that is whole", async () => {
  const medium = new MemoryMedium();
  const store = await open(medium);
  await loaded(store);
  const ends: number[] = [];
  for (let i = 0; i < 4; i++) {
    await store.append(adds(i * 10, i + 1));
    ends.push(journalOf(medium).length);
  }
  await store.close();
  const { bytes, length } = journalOf(medium);
  for (let cut = 0; cut <= length; cut++) {
    const whole = ends.filter((end) => end <= cut).length;
    const torn = new MemoryMedium();
    torn.files.set("snapshot", medium.files.get("snapshot") ?? never());
    torn.files.set("journal-000000000001", { bytes: bytes.slice(0, cut), length: cut });
    const store = await open(torn);
    const index = await loaded(store);
    expect(index.content().size).toBe([0, 1, 3, 6, 10][whole]);
    await write(store, index, adds(70, 2));
    await store.close();
    expect((await found(torn)).size).toBe(index.content().size);
  }
});

test("damage before the last write is an error, never a loss in silence", async () => {
  const medium = new MemoryMedium();
  const store = await open(medium);
  const index = await loaded(store);
  for (let i = 0; i < 5; i++) await write(store, index, adds(i * 10, 2));
  await store.close();
  const { bytes, length } = journalOf(medium);
  const lastFrame = length - lastFrameBytes(bytes.subarray(0, length));
  await fc.assert(
    fc.asyncProperty(fc.nat(lastFrame - 1), fc.integer({ min: 1, max: 255 }), async (at, mask) => {
      const changed = bytes.slice(0, length);
      changed[at] = (changed[at] ?? 0) ^ mask;
      medium.files.set("journal-000000000001", { bytes: changed, length });
      medium.locked = false;
      const outcome = await found(medium).catch((error: unknown) => error);
      if (outcome instanceof Map) expect(outcome).toEqual(index.content());
      else expect(outcome).toMatchObject({ code: expect.stringMatching(/internal|invalid_request/) });
    }),
    { numRuns: 300 },
  );
});

test("a missing segment is an error", async () => {
  const medium = new MemoryMedium();
  let store = await open(medium);
  for (let i = 0; i < 3; i++) {
    const index = await loaded(store);
    await write(store, index, adds(i * 10, 2));
    await store.close();
    store = await open(medium);
  }
  await store.close();
  medium.files.delete("journal-000000000002");
  await expect(found(medium)).rejects.toThrow(/operations 3 to 4 are missing/);
  medium.files.delete("snapshot");
  await expect(found(medium)).rejects.toThrow(/snapshot: it is missing/);
});

test("a journal of a later history than the snapshot's is an error, and stays", async () => {
  const medium = new MemoryMedium();
  let store = await open(medium);
  const index = await loaded(store);
  await write(store, index, adds(0, 2));
  await store.close();
  const former = new Map(Array.from(medium.files, ([name, file]) => [name, { ...file }]));
  store = await open(medium);
  await loaded(store);
  await store.replace(facts, () => index.source());
  await write(store, index, adds(10, 2));
  await store.close();
  const snapshotBehind = medium.files.get("snapshot") ?? never();

  // As who copies an earlier state of the folder over it.
  for (const [name, file] of former) medium.files.set(name, file);
  await expect(found(medium)).rejects.toThrow(/journal-000000000002: it is of a later history/);
  medium.files.set("snapshot", snapshotBehind);
  expect(await found(medium)).toEqual(index.content());
});

test("vectors that look like frames are not taken for frames", async () => {
  const medium = new MemoryMedium();
  const store = await open(medium);
  const index = await loaded(store);
  await write(store, index, adds(0, 2));
  const frame = journalOf(medium).bytes.slice(HEADER_BYTES, journalOf(medium).length);
  const metadata = JSON.stringify(String.fromCharCode(...frame));
  const vector = new Float32Array(frame.slice(0, 12).buffer);
  await write(store, index, [{ kind: "add", id: 9n, vector, metadata }]);
  await store.close();
  const journal = journalOf(medium);
  journal.length -= 8;
  const content = await found(medium);
  expect([...content.keys()]).toEqual([0n, 1n]);
});

test("the longest frame is one also with the tag of its encryption", async () => {
  const fileId = new Uint8Array(16).fill(7);
  const frame = await encodeFrame(adds(0, 1), 1, { fileId, cipher: noCipher });
  const header = frame.slice(0, FRAME_HEADER_BYTES);
  const ofLength = (payloadBytes: number) => {
    const view = new DataView(header.buffer);
    view.setUint32(4, payloadBytes, true);
    view.setUint32(24, crc32c(header.subarray(0, 24), crc32c(fileId)), true);
    return decodeFacts(header, fileId)?.payloadBytes;
  };
  expect(ofLength(MAX_FRAME_BYTES + TAG_BYTES)).toBe(MAX_FRAME_BYTES + TAG_BYTES);
  expect(ofLength(MAX_FRAME_BYTES + TAG_BYTES + 1)).toBeUndefined();
});

test("a snapshot that fails leaves the former one and the journal in force", async () => {
  const medium = new MemoryMedium();
  const faults = new Faults();
  const store = await open(medium, faults);
  const model = await loaded(store);
  await write(store, model, adds(0, 50));
  await snapshot(store, model);
  await write(store, model, adds(100, 50));
  for (const freeBytes of [0, 100, 500, 3000]) {
    faults.freeBytes = freeBytes;
    await expect(snapshot(store, model)).rejects.toMatchObject({ code: "storage_full" });
    expect(await found(medium)).toEqual(model.content());
  }
  const { state } = model.source();
  const metadata = (function* () {
    yield [];
    throw new Error("no metadata");
  })();
  faults.freeBytes = Number.POSITIVE_INFINITY;
  const broken = store.snapshot(() => ({ state, metadata, sequence: store.lastSequence }));
  await expect(broken).rejects.toThrow("no metadata");
  await write(store, model, adds(300, 2));
  await snapshot(store, model);
  expect(await found(medium)).toEqual(model.content());
});

test("a replacement that fails leaves the index as it was", async () => {
  const medium = new MemoryMedium();
  const faults = new Faults();
  const store = await open(medium, faults);
  const model = await loaded(store);
  await write(store, model, adds(0, 50));
  const other = new SmallIndex(facts);
  other.operations(adds(900, 20));
  faults.syncFailures = 1;
  await expect(store.replace(facts, () => other.source())).rejects.toThrow("EIO");
  expect(await found(medium)).toEqual(model.content());
  await write(store, model, adds(70, 2));
  expect(await found(medium)).toEqual(model.content());
  faults.closeFailures = 1;
  await expect(store.replace(facts, () => other.source())).rejects.toThrow("EIO");
  await write(store, model, adds(80, 2));
  expect(await found(medium)).toEqual(model.content());
  faults.deleteFailures = 1;
  await store.replace(facts, () => other.source());
  await write(store, other, adds(70, 2));
  expect(await found(medium)).toEqual(other.content());
});

test("after a replacement that took place though its medium failed nothing is taken that would be lost", async () => {
  const medium = new MemoryMedium();
  const faults = new Faults();
  const store = await open(medium, faults);
  const model = await loaded(store);
  await write(store, model, adds(0, 50));
  const other = new SmallIndex(facts);
  other.operations(adds(900, 20));
  faults.lateFailures = 1;
  const refused = { code: "unavailable", message: expect.stringContaining("open it anew") };
  await expect(store.replace(facts, () => other.source())).rejects.toMatchObject(refused);
  await expect(store.append(adds(70, 2))).rejects.toMatchObject(refused);
  await store.close();
  const again = await open(medium);
  expect((await loaded(again)).content()).toEqual(other.content());
  await write(again, other, adds(70, 2));
  await again.close();
  expect(await found(medium)).toEqual(other.content());
});

function journalOf(medium: MemoryMedium) {
  return medium.files.get("journal-000000000001") ?? never();
}

/** Bytes of the last of the frames. */
function lastFrameBytes(journal: Uint8Array): number {
  const view = new DataView(journal.buffer, journal.byteOffset);
  let offset = HEADER_BYTES;
  for (;;) {
    const bytes = paddedFrame(view.getUint32(offset + 4, true));
    if (offset + bytes + FRAME_HEADER_BYTES > journal.byteLength) return bytes;
    offset += bytes;
  }
}

function never(): never {
  throw new Error("the file is missing");
}
