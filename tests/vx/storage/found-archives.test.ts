/** What is found in a folder of backups, however many files stand in it. */
import { expect, test } from "vitest";
import { deleteArchive } from "../../../src/vx/storage/archive-removal.ts";
import { scheduledBackupName } from "../../../src/vx/storage/backup-name.ts";
import { MAX_LISTED_BACKUPS } from "../../../src/vx/storage/limits.ts";
import { listedArchives } from "../../../src/vx/storage/listed-archives.ts";
import { MemoryFolder, MemoryMedium } from "../../../src/vx/storage/memory-index-storage.ts";
import { full, incremental, Site } from "./backup-site.ts";
import { adds, loaded, placeIn, write } from "./small-index.ts";

/** Puts files into the folder that are no archives, before all that come later. */
function putOthers(backups: MemoryMedium, count: number): void {
  for (let i = 0; i < count; i++) backups.files.set(`${i}.zip`, { bytes: new Uint8Array(0), length: 0 });
}

test("backups behind 10,000 other files are listed, gone on from, restored, pruned, and not deleted with others", async () => {
  const site = new Site();
  putOthers(site.backups, 10_001);
  const store = await site.open();
  const index = await loaded(store);
  const names = [0, 1, 2].map((i) => scheduledBackupName(new Date(i)));
  const [first, second, third] = names as [string, string, string];
  await write(store, index, adds(0, 3));
  await site.backup(store, first, full);
  await write(store, index, adds(10, 3));
  const { timestamp: madeAt, ...next } = await site.backup(store, second, incremental);
  expect(next).toMatchObject({ incremental: true });
  expect(await listedArchives(site.folder)).toEqual(
    expect.arrayContaining([
      { name: first, kind: "full", base: undefined, madeAt: expect.any(Date) },
      { name: second, kind: "incremental", base: first, madeAt },
      { name: "0.zip", kind: "unreadable", base: undefined, madeAt: undefined },
    ]),
  );
  await expect(deleteArchive(placeIn(site.folder, first))).rejects.toMatchObject({ code: "conflict" });

  const renamed = site.backups.files.get(first) as { bytes: Uint8Array; length: number };
  site.backups.files.delete(first);
  const entryOf = async (name: string) =>
    (await listedArchives(site.folder)).find((listed) => listed.name === name);
  expect(await entryOf(second)).toMatchObject({ kind: "incremental", base: undefined });
  site.backups.files.set("renamed.zip", renamed);
  expect(await entryOf(second)).toMatchObject({ kind: "incremental", base: "renamed.zip" });
  expect(await site.restored(second)).toEqual(index.content());
  await site.scheduled(store, third, full, 1);
  expect(site.names().filter((name) => names.includes(name))).toEqual([third]);
  await store.close();
});

test("more backups than are shown are refused, and not shown in part", async () => {
  const folder = new MemoryFolder(new MemoryMedium());
  const names = Array.from({ length: MAX_LISTED_BACKUPS + 1 }, (_, i) => `${i}.zip`);
  folder.list = async () => names;
  await expect(listedArchives(folder)).rejects.toMatchObject({ code: "unavailable" });
  names.pop();
  expect(await listedArchives(folder)).toHaveLength(MAX_LISTED_BACKUPS);
});
