/** Files of one folder beyond the contract of index storages: what is left open, and what the disk says. */
import { type FileHandle, mkdir, open, stat, symlink, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import {
  fsArchiveFolder,
  isAbandoned,
  locateFsArchive,
} from "../../../src/headless/index/fs-archive-folder.ts";
import { FsFlatFolder } from "../../../src/headless/index/fs-flat-folder.ts";
import { temporaryFolder } from "../../temporary-folder.ts";
import { openFiles } from "./open-files.ts";
import { refuse } from "./without-links.ts";

const bytes = new TextEncoder().encode("bytes");

async function openFolder() {
  const path = await temporaryFolder();
  return { path, folder: new FsFlatFolder(path) };
}

/** The system refuses what is done with open files. */
async function refuseOpen(path: string, call: "write" | "datasync", code: string): Promise<void> {
  const handle = await open(path);
  await handle.close();
  const refusal = Object.assign(new Error(`${code}: refused, ${call}`), { code });
  vi.spyOn(Object.getPrototypeOf(handle) as FileHandle, call).mockRejectedValue(refusal);
}

describe("a folder of files", () => {
  it("has none open that is read, committed or discarded", async () => {
    const { path, folder } = await openFolder();
    const [kept, dropped] = [await folder.create("kept"), await folder.create("dropped")];
    await kept.write(bytes);
    await kept.commit();
    await dropped.discard();
    const file = await folder.open("kept");
    expect(await openFiles(path)).toEqual(["kept"]);
    await expect(file?.read(2, new Uint8Array(10))).rejects.toThrow("kept ends at byte 5");
    await file?.close();
    expect(await openFiles(path)).toEqual([]);
  });

  it("discards also what could not be committed", async () => {
    const { path, folder } = await openFolder();
    await mkdir(join(path, "folder"));
    const file = await folder.create("folder");
    await expect(file.commit()).rejects.toMatchObject({ code: "EISDIR" });
    await file.discard();
    expect([await openFiles(path), await folder.list()]).toEqual([[], []]);
  });

  it("begins a file anew where another process left half of it", async () => {
    const { path, folder } = await openFolder();
    await writeFile(join(path, "a.partial"), "longer than that");
    const file = await folder.create("a");
    await file.write(bytes);
    await file.commit();
    const whole = await folder.open("a");
    expect(whole?.sizeBytes).toBe(bytes.length);
    await whole?.close();
  });

  it("has no folders, and is none where a file stands", async () => {
    const { path, folder } = await openFolder();
    await mkdir(join(path, "folder"));
    expect(await folder.open("folder")).toBeUndefined();
    expect(await openFiles(path)).toEqual([]);
    await writeFile(join(path, "file"), "");
    const none = new FsFlatFolder(join(path, "file"));
    expect([await none.list(), await none.open("a")]).toEqual([[], undefined]);
  });

  it("says what its disk can't tell", async () => {
    const { folder } = await openFolder();
    refuse("open", "EIO");
    refuse("readdir", "EIO");
    await expect(folder.open("a")).rejects.toMatchObject({ code: "EIO" });
    await expect(folder.list()).rejects.toMatchObject({ code: "EIO" });
  });

  it.each([
    ["ENOSPC", { code: "storage_full" }],
    ["EDQUOT", { code: "storage_full" }],
    ["EFBIG", { code: "storage_full" }],
    ["EIO", { code: "EIO" }],
  ])("tells a full disk from others: %s", async (code, told) => {
    const { path, folder } = await openFolder();
    const file = await folder.create("a");
    onTestFinished(() => file.discard());
    await refuseOpen(path, "write", code);
    await expect(file.write(bytes)).rejects.toMatchObject(told);
    await refuseOpen(path, "datasync", code);
    await expect(file.commit()).rejects.toMatchObject(told);
    refuse("open", code);
    await expect(folder.create("b")).rejects.toMatchObject(told);
  });
});

describe("a folder of archives", () => {
  it.each([
    ["EIO", ["moved.zip"]],
    ["ENOTDIR", []],
    ["EACCES", []],
    ["ENAMETOOLONG", []],
  ])("lists a link unless it is sure to lead nowhere: %s", async (code, names) => {
    const path = await temporaryFolder();
    await symlink(join(path, "elsewhere"), join(path, "moved.zip"));
    refuse("stat", code);
    expect(await fsArchiveFolder(path).list()).toEqual(names);
  });

  it("lists files alone, and those that are whole", async () => {
    const path = await temporaryFolder();
    await mkdir(join(path, "folder.zip"));
    for (const name of ["a.zip", "b.zip.partial"]) await writeFile(join(path, name), "");
    const folder = fsArchiveFolder(path);
    expect(await folder.list()).toEqual(["a.zip"]);
    expect(await folder.describe("c.zip")).toBeUndefined();
    expect(await folder.describe("a.zip/c.zip")).toBeUndefined();
  });

  it("is made for its user alone", async () => {
    const path = join(await temporaryFolder(), "backups");
    const file = await fsArchiveFolder(path).create("a.zip");
    await file.discard();
    expect((await stat(path)).mode & 0o777).toBe(0o700);
  });

  it.each([
    ...["ENOENT", "ENOTDIR", "EEXIST", "EACCES", "EROFS"].map((code) => [code, { code: "invalid_request" }]),
    ["ENOSPC", { code: "storage_full" }],
    ["EIO", { code: "EIO" }],
  ])("says why no archive can be begun there: %s", async (code, told) => {
    const path = await temporaryFolder();
    refuse("mkdir", code as string, (made) => made.startsWith(path));
    const file = fsArchiveFolder(join(path, "backups")).create("a.zip");
    await expect(file).rejects.toMatchObject(told as object);
  });

  it("removes nothing but parts, however old", async () => {
    const path = await temporaryFolder();
    for (const name of [".backup-mine", ".backup-1.partial"]) {
      await writeFile(join(path, name), "");
      await utimes(join(path, name), 0, 0);
    }
    const folder = fsArchiveFolder(path);
    await folder.removePartials();
    expect(await folder.list()).toEqual([".backup-mine"]);
    expect(await isAbandoned(join(path, ".backup-1.partial"))).toBe(false);
  });

  it("may be one into which nobody may look before it is written to", async () => {
    const path = await temporaryFolder();
    refuse("stat", "EACCES");
    expect(await locateFsArchive(join(path, "a.zip"))).toMatchObject({ name: "a.zip" });
  });
});
