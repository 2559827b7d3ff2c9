/** The folder of several outputs, open once for all of them. */
import { type FileHandle, mkdir, open, readdir } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, expect, it, onTestFinished, vi } from "vitest";
import { FoldersInUse } from "../../../src/headless/files/folders-in-use.ts";
import { openUnfinishedOutputs } from "../../../src/headless/files/unfinished-outputs.ts";
import { temporaryFolder } from "../../temporary-folder.ts";
import { refuse } from "./without-links.ts";

let album: string;
let notes: string;
let inUse: FoldersInUse;
beforeEach(async () => {
  const top = await temporaryFolder();
  [album, notes] = [join(top, "album"), join(top, "notes")];
  await mkdir(album);
  inUse = new FoldersInUse(await openUnfinishedOutputs(notes, () => undefined));
});

it("is made durable by one sync for all that ask during the one before", async () => {
  const handle = await open(album);
  const syncing = vi.spyOn(Object.getPrototypeOf(handle) as FileHandle, "sync");
  onTestFinished(() => syncing.mockRestore());
  await handle.close();
  const [first, second] = [await inUse.open(album), await inUse.open(album)];
  await Promise.all([first.sync(), second.sync(), second.sync(), first.sync()]);
  expect(syncing).toHaveBeenCalledTimes(2);
});

it("is noted by the next that is asked for, where the first could not be", async () => {
  const folder = await inUse.open(album);
  let isFull = true;
  refuse("open", "ENOSPC", (path) => isFull && path.startsWith(notes));
  await expect(folder.newPartial([])).rejects.toMatchObject({ name: "storage_full" });
  isFull = false;
  expect(await folder.newPartial([])).not.toBe(await folder.newPartial([]));
  expect(await readdir(notes)).toHaveLength(1);
});

it("leaves no note that could not be made durable", async () => {
  const folder = await inUse.open(album);
  refuse("open", "EMFILE", (path) => path === notes);
  await expect(folder.newPartial([])).rejects.toMatchObject({ code: "EMFILE" });
  expect(await readdir(notes)).toEqual([]);
});

it("is opened anew where it could not be opened before", async () => {
  let isRefused = true;
  refuse("open", "EMFILE", (path) => isRefused && path === album);
  const opening = [inUse.open(album), inUse.open(album)];
  for (const { status } of await Promise.allSettled(opening)) expect(status).toBe("rejected");
  isRefused = false;
  expect((await inUse.open(album)).realPath).toBe(album);
});
