/** Backups that are deleted, by somebody or by the schedule, and no other with them. */
import { afterEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { VxError } from "../../../src/vx/errors.ts";
import { deleteArchive } from "../../../src/vx/storage/archive-removal.ts";
import { backupName, scheduledBackupName } from "../../../src/vx/storage/backup-name.ts";
import { markDeletion } from "../../../src/vx/storage/deletion-marks.ts";
import { listArchives } from "../../../src/vx/storage/found-archives.ts";
import type { BackupResult } from "../../../src/vx/storage/index-store.ts";
import { ZipWriter } from "../../../src/vx/storage/zip-writer.ts";
import { deferred } from "../../deferred.ts";
import { full, incremental, Site } from "./backup-site.ts";
import { adds, loaded, placeIn, type SmallIndex, write } from "./small-index.ts";

describe("deleting", () => {
  test.each([
    ["EMFILE", Object.assign(new Error("too many open files"), { code: "EMFILE", syscall: "open" })],
    ["NoModificationAllowedError", new DOMException("locked", "NoModificationAllowedError")],
  ])("is refused while one that may go on from it cannot be read: %s", async (why, failure) => {
    const site = new Site();
    const store = await site.open();
    const index = await loaded(store);
    for (const name of ["a.zip", "b.zip"]) {
      await write(store, index, adds(site.names().length * 10, 3));
      await site.backup(store, name, incremental);
    }
    const place = placeIn(site.folder, "a.zip");
    const open = site.folder.open.bind(site.folder);
    site.folder.open = async (name) => {
      if (name !== "b.zip") return open(name);
      throw failure;
    };
    await expect(deleteArchive(place)).rejects.toMatchObject({
      code: "unavailable",
      message: `The backup b.zip cannot be read now: ${why}`,
    });
    site.folder.open = open;
    await expect(deleteArchive(place)).rejects.toMatchObject({ code: "conflict" });
    expect(await site.restored("b.zip")).toEqual(index.content());
    await store.close();
  });
});

describe("one that its disk never gives again", () => {
  const HOUR = 3_600_000;
  afterEach(() => {
    vi.useRealTimers();
  });

  /** Full backups, so many hours after one another. */
  async function withBackups(names: string[], hoursBetween: number, options = full) {
    const site = new Site();
    const store = await site.open();
    const index = await loaded(store);
    vi.useFakeTimers({ toFake: ["Date"] });
    for (const name of names) {
      await write(store, index, adds(site.names().length * 10, 3));
      await site.backup(store, name, options);
      vi.setSystemTime(Date.now() + hoursBetween * HOUR);
    }
    return { site, store, index };
  }

  test("is named, and keeps those from being deleted that it may go on from, and no others", async () => {
    const { site, store } = await withBackups(["a.zip", "bad.zip", "late.zip"], 48);
    site.backups.files.set("noise.zip", { bytes: new Uint8Array(9), length: 9 });
    makeBad(site, "bad.zip");
    await expect(deleteArchive(placeIn(site.folder, "a.zip"))).rejects.toMatchObject({
      code: "conflict",
      message: "bad.zip, which cannot be read (EIO), may go on from a.zip",
    });
    for (const name of ["late.zip", "noise.zip"]) await deleteArchive(placeIn(site.folder, name));
    expect(site.names()).toEqual(["a.zip", "bad.zip"]);
    await deleteArchive(placeIn(site.folder, "bad.zip"));
    await deleteArchive(placeIn(site.folder, "a.zip"));
    expect(site.names()).toEqual([]);
    await store.close();
  });

  test("keeps what was made within a day of it, for clocks differ", async () => {
    const { site, store } = await withBackups(["bad.zip", "soon.zip"], 23);
    makeBad(site, "bad.zip");
    const place = placeIn(site.folder, "soon.zip");
    await expect(deleteArchive(place)).rejects.toMatchObject({ code: "conflict" });
    await store.close();
  });

  test("stays while one that can be read may go on from it", async () => {
    const { site, store } = await withBackups(["bad.zip", "next.zip"], 48, incremental);
    makeBad(site, "bad.zip");
    await expect(deleteArchive(placeIn(site.folder, "bad.zip"))).rejects.toMatchObject({
      code: "conflict",
      message: "next.zip may go on from bad.zip, which cannot be read (EIO)",
    });
    await deleteArchive(placeIn(site.folder, "next.zip"));
    await deleteArchive(placeIn(site.folder, "bad.zip"));
    expect(site.names()).toEqual([]);
    await store.close();
  });

  test("is named by the schedule, which deletes what came later", async () => {
    const names = [0, 1, 2, 3, 4].map((i) => scheduledBackupName(new Date(i)));
    const { site, store } = await withBackups(names, 48);
    const bad = names[1] as string;
    makeBad(site, bad);
    const next = scheduledBackupName(new Date(5));
    await expect(site.scheduled(store, next, full, 2)).rejects.toMatchObject({
      code: "unavailable",
      message: `The backup ${bad} cannot be read: EIO`,
    });
    expect(site.names()).toEqual([names[0], bad, names[4], next]);
    await store.close();
  });

  function makeBad(site: Site, bad: string): void {
    const open = site.folder.open.bind(site.folder);
    site.folder.open = async (name) => {
      const file = await open(name);
      if (file === undefined || name !== bad) return file;
      const failure = Object.assign(new Error("EIO: i/o error, read"), { code: "EIO", syscall: "read" });
      return { sizeBytes: file.sizeBytes, read: () => Promise.reject(failure), close: () => file.close() };
    };
  }
});

test("one of a later version is not deleted from under, for a later program can restore it", async () => {
  const site = new Site();
  const store = await site.open();
  await loaded(store);
  await site.backup(store, "a.zip", full);
  const file = await site.folder.create("later.zip");
  const zip = new ZipWriter(file, new Date());
  await zip.add("manifest.json", new TextEncoder().encode('{"format":3}'), { compress: false });
  await zip.finish();
  await file.commit();
  await expect(deleteArchive(placeIn(site.folder, "a.zip"))).rejects.toMatchObject({
    code: "conflict",
    message: "later.zip, which cannot be read (format version 3), may go on from a.zip",
  });
  await deleteArchive(placeIn(site.folder, "later.zip"));
  await deleteArchive(placeIn(site.folder, "a.zip"));
  await store.close();
});

test("a backup is full where what it goes on from is deleted while it is written", async () => {
  const site = new Site();
  const store = await site.open();
  const index = await loaded(store);
  await write(store, index, adds(0, 3));
  await site.backup(store, "a.zip", full);
  await write(store, index, adds(10, 3));
  const create = site.folder.create.bind(site.folder);
  site.folder.create = async (name) => {
    site.folder.create = create;
    await deleteArchive(placeIn(site.folder, "a.zip"));
    return create(name);
  };
  expect(await site.backup(store, "b.zip", incremental)).toMatchObject({ incremental: false });
  expect(await site.restored("b.zip")).toEqual(index.content());
  await store.close();
});

describe("a backup that would go on from one that is being deleted is full", () => {
  /** Deletes it, and runs `before` when nothing is looked at any more. */
  function deletion(site: Site, name: string, before: () => Promise<unknown>): Promise<void> {
    const remove = site.folder.delete.bind(site.folder);
    site.folder.delete = async (...names) => {
      if (names.includes(name)) await before();
      await remove(...names);
    };
    return deleteArchive(placeIn(site.folder, name));
  }

  test("where it begins after the last look at what goes on from that", async () => {
    const site = new Site();
    const store = await site.open();
    const index = await loaded(store);
    await write(store, index, adds(0, 3));
    await site.backup(store, "a.zip", full);
    await write(store, index, adds(10, 3));
    let made: Promise<BackupResult> | undefined;
    await deletion(site, "a.zip", () => {
      made = site.backup(store, "b.zip", incremental);
      return made;
    });
    expect(await made).toMatchObject({ incremental: false });
    expect(await site.restored("b.zip")).toEqual(index.content());
    expect(site.names()).toEqual(["b.zip"]);
    await store.close();
  });

  test("where it is to be seen after that look only", async () => {
    const site = new Site();
    const store = await site.open();
    const index = await loaded(store);
    await write(store, index, adds(0, 3));
    await site.backup(store, "a.zip", full);
    await write(store, index, adds(10, 3));
    const looked = deferred();
    const backedUp = deferred();
    const create = site.folder.create.bind(site.folder);
    let deleted: Promise<void> | undefined;
    site.folder.create = async (name) => {
      if (name === "b.zip" && deleted === undefined) {
        deleted = deletion(site, "a.zip", () => {
          looked.resolve();
          return backedUp.promise;
        });
        await looked.promise;
      }
      return create(name);
    };
    expect(await site.backup(store, "b.zip", incremental)).toMatchObject({ incremental: false });
    backedUp.resolve();
    await deleted;
    expect(await site.restored("b.zip")).toEqual(index.content());
    expect(site.names()).toEqual(["b.zip"]);
    await store.close();
  });

  test("also where the process that began to delete it has ended", async () => {
    const site = new Site();
    const store = await site.open();
    const index = await loaded(store);
    await write(store, index, adds(0, 3));
    await site.backup(store, "a.zip", full);
    await markDeletion(site.folder, "a.zip");
    await write(store, index, adds(10, 3));
    expect(await site.backup(store, "b.zip", incremental)).toMatchObject({ incremental: false });
    await write(store, index, adds(20, 3));
    expect(await site.backup(store, "c.zip", incremental)).toMatchObject({ incremental: true });
    expect(await site.restored("c.zip")).toEqual(index.content());
    await store.close();
  });
});

test("a backup is deleted though the disk is too full for a mark", async () => {
  const site = new Site();
  const store = await site.open();
  await loaded(store);
  await site.backup(store, "a.zip", full);
  site.folder.create = () => Promise.reject(new VxError("storage_full", "The disk is full"));
  await deleteArchive(placeIn(site.folder, "a.zip"));
  expect(site.names()).toEqual([]);
  await store.close();
});

describe("pruning", () => {
  test("keeps the newest and what they go on from, and lets alone what is not this index's", async () => {
    const site = new Site();
    const other = new Site();
    const otherStore = await other.open();
    await loaded(otherStore);
    await otherStore.backup(placeIn(site.folder, "other.zip"), full);
    site.backups.files.set("notes.zip", { bytes: new Uint8Array(9), length: 9 });
    const store = await site.open();
    const index = await loaded(store);
    const contents = new Map<string, ReturnType<SmallIndex["content"]>>();
    const names = Array.from({ length: 12 }, (_, i) => scheduledBackupName(new Date(i)));
    for (const [i, name] of names.entries()) {
      await write(store, index, adds(i * 10, 3));
      const result = await site.scheduled(store, name, incremental, 3);
      expect(result.incremental).toBe(i % 3 !== 0);
      contents.set(name, index.content());
      for (const kept of site.names().filter((name) => contents.has(name))) {
        expect(await site.restored(kept)).toEqual(contents.get(kept));
      }
    }
    expect(site.names()).toEqual(["notes.zip", "other.zip", ...names.slice(9)]);
    await store.close();
    await otherStore.close();
  });

  test("deletes nothing while one that others may need cannot be read", async () => {
    const site = new Site();
    const store = await site.open();
    const index = await loaded(store);
    const names = [0, 1, 2].map((i) => scheduledBackupName(new Date(i)));
    for (const name of [...names.slice(0, 2), "mine.zip"]) {
      await write(store, index, adds(site.names().length * 10, 3));
      await site.backup(store, name, incremental);
    }
    const open = site.folder.open.bind(site.folder);
    site.folder.open = async (name) => {
      if (name !== names[1]) return open(name);
      throw Object.assign(new Error("EMFILE: too many open files"), { code: "EMFILE", syscall: "open" });
    };
    await expect(site.scheduled(store, names[2] as string, full, 1)).rejects.toMatchObject({
      code: "unavailable",
      message: `The backup ${names[1]} cannot be read now: EMFILE`,
    });
    site.folder.open = open;
    expect(await site.restored("mine.zip")).toEqual(index.content());
    await store.close();
  });

  test("passes over what one may not read, which is others', and lists what one may", async () => {
    const site = new Site();
    const store = await site.open();
    await write(store, await loaded(store), adds(0, 3));
    const names = [0, 1, 2].map((i) => scheduledBackupName(new Date(i)));
    await site.backup(store, names[0] as string, full);
    const open = site.folder.open.bind(site.folder);
    site.folder.open = async (name) => {
      if (name !== names[0]) return open(name);
      throw Object.assign(new Error("EACCES: permission denied"), { code: "EACCES", syscall: "open" });
    };
    for (const name of names.slice(1)) await site.scheduled(store, name, full, 1);
    expect((await listArchives(site.folder)).map(({ name }) => name)).toEqual([names[2]]);
    expect(site.names()).toEqual(expect.arrayContaining([names[0]]));
    await store.close();
  });

  test("keeps the newest, though the clock was set back since the others", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.UTC(2030, 0) });
    onTestFinished(() => void vi.useRealTimers());
    const site = new Site();
    const store = await site.open();
    const index = await loaded(store);
    const names: string[] = [];
    for (const year of [2030, 2030, 2026, 2026]) {
      vi.setSystemTime(Date.UTC(year, 0, 1 + names.length));
      await write(store, index, adds(names.length * 10, 3));
      const name = scheduledBackupName(new Date());
      await site.scheduled(store, name, full, 2);
      names.push(name);
      expect(site.names()).toContain(name);
    }
    expect(site.names()).toEqual([names[3], names[1]]);
    expect(await site.restored(names[3] as string)).toEqual(index.content());
    await store.close();
  });

  test("keeps exactly as many full ones as asked for", async () => {
    const site = new Site();
    const store = await site.open();
    await loaded(store);
    const names = [0, 1, 2, 3, 4].map((i) => scheduledBackupName(new Date(i)));
    for (const name of names) await site.scheduled(store, name, full, 2);
    expect(site.names()).toEqual(names.slice(3));
    await store.close();
  });

  test.each([["mine.zip"], ["mine of monday"], [backupName(new Date(100))]])(
    "keeps those that the schedule did not make, with what they go on from: %s",
    async (mine) => {
      const site = new Site();
      const store = await site.open();
      const index = await loaded(store);
      const names = [0, 1, 2, 3, 4].map((i) => scheduledBackupName(new Date(i)));
      for (const [i, name] of names.entries()) {
        await write(store, index, adds(i * 10, 3));
        await site.scheduled(store, name, full, 1);
        if (i !== 1) continue;
        await write(store, index, adds(100, 3));
        expect(await site.backup(store, mine, incremental)).toMatchObject({ incremental: true });
      }
      expect(site.names()).toEqual([mine, names[1], names[4]].sort());
      expect((await site.restored(mine)).has(100n)).toBe(true);
      await store.close();
    },
  );
});
