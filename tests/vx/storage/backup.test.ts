/** Backups: full and incremental, restored, and refused where they cannot be made. */
import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { unzipSync } from "fflate";
import { describe, expect, test } from "vitest";
import { writeArchive } from "../../../src/vx/storage/archive-writer.ts";
import { openArchive } from "../../../src/vx/storage/archives.ts";
import { randomId } from "../../../src/vx/storage/file-header.ts";
import { listArchives } from "../../../src/vx/storage/found-archives.ts";
import type { BackupOptions } from "../../../src/vx/storage/index-store.ts";
import { ENTRY_BYTES, MAX_ENTRIES, MAX_MANIFEST_BYTES } from "../../../src/vx/storage/limits.ts";
import { decodeManifest, encodeManifest, type Manifest } from "../../../src/vx/storage/manifest.ts";
import {
  MemoryFolder,
  MemoryMedium,
  openMemoryIndexStorage,
} from "../../../src/vx/storage/memory-index-storage.ts";
import { openIndexStore } from "../../../src/vx/storage/open-index-store.ts";
import { segmentName } from "../../../src/vx/storage/segments.ts";
import { SNAPSHOT } from "../../../src/vx/storage/snapshot-writer.ts";
import { temporaryFolder } from "../../temporary-folder.ts";
import { full, incremental, Site } from "./backup-site.ts";
import { Faults, failing } from "./failing-storage.ts";
import { adds, facts, loaded, placeIn, type SmallIndex, snapshot, write } from "./small-index.ts";
import { copyOf } from "./watched-storage.ts";

const KEY = "a key of thirty-two bytes or more";

/** Of a full archive. */
function emptyManifest(): Manifest {
  const history = { facts, indexId: randomId(), timeline: randomId(), key: undefined };
  const none = { model: undefined, base: undefined, after: 0, last: 0, files: [] };
  return { id: randomId(), createdAt: new Date(0), history, ...none };
}

describe.each([
  { kind: "plain", key: undefined },
  { kind: "encrypted", key: KEY },
])("backups of an index that is $kind", ({ key }) => {
  test("hold the index as it was when each was made, alone or as a chain", async () => {
    const site = new Site();
    const store = await site.open(key);
    const index = await loaded(store);
    const contents = new Map<string, ReturnType<SmallIndex["content"]>>();
    const make = async (name: string, options: BackupOptions, isIncremental: boolean) => {
      const result = await site.backup(store, name, options);
      expect(result).toMatchObject({ path: name, incremental: isIncremental });
      expect(result.sizeBytes).toBe(site.bytes(name).byteLength);
      contents.set(name, index.content());
    };
    await make("empty.zip", full, false);
    await write(store, index, adds(0, 300));
    await make("journal.zip", incremental, true);
    await snapshot(store, index);
    await make("same.zip", incremental, true);
    await write(store, index, [...adds(5, 5, "replaced"), { kind: "delete", id: 200n }]);
    await make("changed.zip", { ...incremental, compress: false }, true);
    await make("full.zip", full, false);
    await write(store, index, adds(1000, 30));
    await snapshot(store, index);
    await write(store, index, adds(2000, 30));
    await make("after-snapshot.zip", incremental, true);
    for (const [name, content] of contents) expect(await site.restored(name, key)).toEqual(content);
    expect(site.bytes("changed.zip").byteLength).toBeLessThan(site.bytes("full.zip").byteLength / 4);
    await store.close();
  });
});

test("an incremental backup alone says which one to bring, and begins with no name that a sentence would capitalise", async () => {
  const site = new Site();
  const store = await site.open();
  const index = await loaded(store);
  await site.backup(store, "whole.zip", full);
  await write(store, index, adds(0, 10));
  await site.backup(store, "changes.zip", incremental);
  await store.close();
  site.backups.files.delete("whole.zip");
  await expect(site.restored("changes.zip")).rejects.toMatchObject({
    code: "backup_not_found",
    message: "The backup changes.zip goes on from whole.zip, which is not beside it: bring that one, too",
  });
});

test("an incremental backup goes on over reopenings", async () => {
  const site = new Site();
  let store = await site.open();
  let index = await loaded(store);
  await write(store, index, adds(0, 10));
  await site.backup(store, "a.zip", full);
  await write(store, index, adds(10, 10));
  await snapshot(store, index);
  await store.close();
  store = await site.open();
  index = await loaded(store);
  await write(store, index, adds(20, 10));
  await snapshot(store, index);
  expect(await site.backup(store, "b.zip", incremental)).toMatchObject({ incremental: true });
  expect(await site.restored("b.zip")).toEqual(index.content());
  await store.close();
});

test("a backup holds no part of a snapshot that stands there though its medium failed", async () => {
  const site = new Site();
  const faults = new Faults();
  const storage = failing(await openMemoryIndexStorage(site.index), faults);
  const store = await openIndexStore(storage, { create: facts });
  const index = await loaded(store);
  await write(store, index, adds(0, 10));
  await snapshot(store, index);
  await write(store, index, adds(10, 100));
  faults.lateFailures = 1;
  await expect(snapshot(store, index)).rejects.toThrow("EIO");
  await expect(site.backup(store, "a.zip", full)).rejects.toMatchObject({ code: "unavailable" });
  expect(site.names()).toEqual([]);
  await snapshot(store, index);
  await site.backup(store, "a.zip", full);
  expect(await site.restored("a.zip")).toEqual(index.content());
  await store.close();
});

test("a backup is full where there is nothing to go on from", async () => {
  const site = new Site();
  const store = await site.open();
  const index = await loaded(store);
  await write(store, index, adds(0, 10));
  expect(await site.backup(store, "a.zip", incremental)).toMatchObject({ incremental: false });
  site.backups.files.set("noise.zip", { bytes: new Uint8Array(100), length: 100 });
  site.backups.files.delete("a.zip");
  await write(store, index, adds(10, 10));
  await snapshot(store, index);
  expect(await site.backup(store, "b.zip", incremental)).toMatchObject({ incremental: false });
  await store.replace(facts, () => index.source());
  expect(await site.backup(store, "c.zip", incremental)).toMatchObject({ incremental: false });
  expect(await site.restored("c.zip")).toEqual(index.content());
  await store.close();
});

test("a backup goes on from none of a future that the index was set back from", async () => {
  const site = new Site();
  let store = await site.open();
  let index = await loaded(store);
  await write(store, index, adds(0, 3));
  await site.backup(store, "a.zip", full);
  await store.close();
  const before = copyOf(site.index);
  store = await site.open();
  index = await loaded(store);
  await write(store, index, adds(10, 3));
  await site.backup(store, "of-the-future.zip", incremental);
  await store.close();

  site.index.files.clear();
  for (const [name, file] of before.files) site.index.files.set(name, file);
  store = await site.open();
  index = await loaded(store);
  for (const first of [20, 30]) {
    await write(store, index, adds(first, 5));
    await site.backup(store, `${first}.zip`, incremental);
    expect(await site.restored(`${first}.zip`)).toEqual(index.content());
  }
  await store.close();
});

test("a backup goes on from none where segments between are gone, and an older one could not be deleted", async () => {
  const site = new Site();
  const faults = new Faults();
  let store = await openIndexStore(failing(await openMemoryIndexStorage(site.index), faults), {
    create: facts,
  });
  const index = await loaded(store);
  await write(store, index, adds(0, 10));
  await site.backup(store, "a.zip", full);
  await write(store, index, adds(10, 10));
  await snapshot(store, index);
  await write(store, index, adds(20, 10));
  // No further backup of that other folder needs what came before.
  await store.backup(placeIn(new MemoryFolder(new MemoryMedium()), "elsewhere.zip"), full);
  await write(store, index, adds(30, 10));
  faults.deleteFailures = 1;
  await snapshot(store, index);
  await store.close();

  store = await site.open();
  await loaded(store);
  await site.backup(store, "b.zip", incremental);
  expect(await site.restored("b.zip")).toEqual(index.content());
  await store.close();
});

test("a backup is made while the index's own disk is full", async () => {
  const site = new Site();
  const faults = new Faults();
  let store = await openIndexStore(failing(await openMemoryIndexStorage(site.index), faults), {
    create: facts,
  });
  let index = await loaded(store);
  await write(store, index, adds(0, 10));
  await site.backup(store, "a.zip", full);
  await write(store, index, adds(10, 10));
  faults.freeBytes = 0;
  expect(await site.backup(store, "b.zip", incremental)).toMatchObject({ incremental: true });
  expect(await site.restored("b.zip")).toEqual(index.content());
  await store.close();
  store = await site.open();
  index = await loaded(store);
  await write(store, index, adds(20, 10));
  await site.backup(store, "c.zip", incremental);
  expect(await site.restored("c.zip")).toEqual(index.content());
  await store.close();
});

test("a backup overwrites no file", async () => {
  const site = new Site();
  const store = await site.open();
  await loaded(store);
  await site.backup(store, "a.zip", full);
  const before = site.bytes("a.zip");
  await expect(site.backup(store, "a.zip", full)).rejects.toMatchObject({ code: "conflict" });
  expect(site.bytes("a.zip")).toEqual(before);
  await store.close();
});

test("a backup overwrites no file that came to stand there while it was written", async () => {
  const site = new Site();
  const store = await site.open();
  await loaded(store);
  const create = site.folder.create.bind(site.folder);
  site.folder.create = async (name) => {
    const upload = await create(name);
    await upload.write(Uint8Array.of(1, 2, 3));
    await upload.commit();
    return create(name);
  };
  await expect(site.backup(store, "a.zip", full)).rejects.toMatchObject({ code: "conflict" });
  expect(site.bytes("a.zip")).toEqual(Uint8Array.of(1, 2, 3));
  await store.close();
});

test("a backup of more than an archive can hold is refused before anything is written", async () => {
  const site = new Site();
  const manifest = { ...emptyManifest(), files: [{ name: SNAPSHOT, sizeBytes: MAX_ENTRIES * ENTRY_BYTES }] };
  await expect(
    writeArchive(placeIn(site.folder, "a.zip"), site.folder, manifest, { compress: false, key: undefined }),
  ).rejects.toMatchObject({ code: "capacity_exceeded" });
  expect(site.names()).toEqual([]);
});

test("an archive may hold tens of GiB", () => {
  const sizeBytes = 40 * 1024 ** 3;
  const digests = Array.from({ length: sizeBytes / ENTRY_BYTES }, () => new Uint8Array(32));
  const files = [SNAPSHOT, segmentName(1)].map((name) => ({ name, sizeBytes, digests }));
  const bytes = encodeManifest({ ...emptyManifest(), files });
  expect(bytes.byteLength).toBeLessThan(MAX_MANIFEST_BYTES);
  const sizes = decodeManifest(bytes, "a.zip").files.map((file) => [file.sizeBytes, file.digests.length]);
  expect(sizes).toEqual(files.map(() => [sizeBytes, digests.length]));
});

test("a restore gives another index the state, with new incremental backups from there", async () => {
  const from = new Site();
  const source = await from.open(KEY);
  const index = await loaded(source);
  await write(source, index, adds(0, 100));
  await from.backup(source, "a.zip", full);
  await source.close();

  const to = new Site();
  const store = await to.open();
  await write(store, await loaded(store), adds(500, 10));
  const archive = await openArchive(placeIn(from.folder, "a.zip"), KEY);
  const restored = await loaded(archive);
  await store.replace(archive.facts, () => restored.source());
  await archive.close();
  await store.close();
  const again = await to.open();
  expect((await loaded(again)).content()).toEqual(index.content());
  await again.close();
});

test("an archive is a zip that other programs unpack, deflated or stored", async () => {
  const site = new Site();
  const store = await site.open();
  const index = await loaded(store);
  const text = JSON.stringify("long ".repeat(2_000_000));
  await write(store, index, [{ kind: "add", id: 1n, vector: Float32Array.of(1, 2, 3), metadata: text }]);
  const deflated = await site.backup(store, "deflated.zip", full);
  const stored = await site.backup(store, "stored.zip", { ...full, compress: false });
  expect(deflated.sizeBytes).toBeLessThan(stored.sizeBytes / 20);
  const entries = unzipSync(site.bytes("deflated.zip"));
  expect(unzipSync(site.bytes("stored.zip"))).toMatchObject({
    "snapshot/000000": entries["snapshot/000000"],
  });
  expect(Object.keys(entries)).toEqual([
    "snapshot/000000",
    "journal-000000000001/000000",
    "journal-000000000001/000001",
    "manifest.json",
  ]);
  const folder = await temporaryFolder();
  await writeFile(join(folder, "a.zip"), site.bytes("deflated.zip"));
  const python = "import sys, zipfile; print(zipfile.ZipFile(sys.argv[1]).testzip())";
  const { stdout } = await promisify(execFile)("python3", ["-c", python, join(folder, "a.zip")]);
  expect(stdout.trim()).toBe("None");
  expect((await listArchives(site.folder)).map(({ name }) => name).sort()).toEqual(site.names());
  await store.close();
});
