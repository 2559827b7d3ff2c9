/** FsIndexStorage under the contract of index storages, and where its archives stand. */
import { mkdir, readdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { fsArchiveFolder, locateFsArchive } from "../../src/headless/index/fs-archive-folder.ts";
import { openFsIndexStorage } from "../../src/headless/index/fs-index-storage.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { watchSyncs } from "../watch-syncs.ts";
import { indexStorageContract } from "./index-storage.ts";

indexStorageContract(async () => {
  const path = join(await temporaryFolder(), "not", "yet", "there");
  return () => openFsIndexStorage(path);
});

test("files and folder are its user's alone", async () => {
  const path = join(await temporaryFolder(), "index");
  const storage = await openFsIndexStorage(path);
  const file = await storage.create("file");
  await file.commit();
  await (await storage.startAppending("growing")).close();
  await storage.close();
  expect((await stat(path)).mode & 0o777).toBe(0o700);
  for (const name of ["file", "growing"]) expect((await stat(join(path, name))).mode & 0o777).toBe(0o600);
});

test("a file is made durable with its name, whoever wrote it", async () => {
  const root = await temporaryFolder();
  const storage = await openFsIndexStorage(join(root, "index"));
  await writeFile(join(root, "index", "left"), "what was left");
  const synced = await watchSyncs(root);
  await storage.sync("left");
  expect(synced).toEqual(["index/left what was left", "index/ left,lock"]);
  await storage.close();
});

test("a committed file is durable before its name is seen, and then its name, in whatever folder", async () => {
  const root = await temporaryFolder();
  const folder = fsArchiveFolder(join(root, "backups"));
  const file = await folder.create("b.zip");
  await file.write(new TextEncoder().encode("bytes"));
  const synced = await watchSyncs(root);
  await file.commit();
  expect(synced).toEqual([expect.stringMatching(/^backups\/\.backup-.+\.partial bytes$/), "backups/ b.zip"]);
});

test("what was appended is durable once synced, with its name, and so is that it was cut", async () => {
  const root = await temporaryFolder();
  const storage = await openFsIndexStorage(join(root, "index"));
  const file = await storage.startAppending("growing");
  const synced = await watchSyncs(root);
  for (const text of ["one", "two"]) {
    await file.append(new TextEncoder().encode(text));
    await file.sync();
  }
  await file.truncate(2);
  expect(synced).toEqual([
    "index/growing one",
    "index/ growing,lock",
    "index/growing onetwo",
    "index/growing on",
  ]);
  await file.close();
  await storage.close();
});

test("one folder is one, whatever leads to it", async () => {
  const root = await temporaryFolder();
  await mkdir(join(root, "index"));
  await symlink(join(root, "index"), join(root, "link"));
  const storage = await openFsIndexStorage(join(root, "index"));
  // Told also to those who ask over the API, who are not told where it stands.
  const message = "The index is in use: another has it open";
  await expect(openFsIndexStorage(join(root, "link"))).rejects.toMatchObject({ code: "conflict", message });
  await storage.close();
});

test("a folder without an index stays as it is where one is only looked for", async () => {
  const root = await temporaryFolder();
  await writeFile(join(root, "film.partial"), "");
  for (const path of [root, join(root, "none"), join(root, "film.partial")]) {
    const opening = openFsIndexStorage(path, { create: false });
    await expect(opening).rejects.toMatchObject({
      code: "not_found",
      message: `There is no index in ${path}`,
    });
  }
  expect(await readdir(root)).toEqual(["film.partial"]);
});

test("a file where the folder is to be is told of", async () => {
  const file = join(await temporaryFolder(), "index.bin");
  await writeFile(file, "");
  for (const path of [file, join(file, "index")])
    await expect(openFsIndexStorage(path)).rejects.toMatchObject({ code: "invalid_request" });
});

test("an archive's folder is made, and its path whole", async () => {
  const root = await temporaryFolder();
  const place = await locateFsArchive(join(root, "a", "..", "backups", "b.zip"));
  expect(place).toMatchObject({ name: "b.zip", path: join(root, "backups", "b.zip") });
  const file = await place.folder.create(place.name);
  await file.write(new TextEncoder().encode("bytes"));
  await file.commit();
  expect(await readFile(place.path, "utf8")).toBe("bytes");
});

test("archives of one name that two processes write at a time are each whole", async () => {
  const root = await temporaryFolder();
  const [first, second] = await Promise.all(
    ["one", "two"].map(async (text) => {
      const file = await fsArchiveFolder(root).create("b.zip");
      await file.write(new TextEncoder().encode(text));
      return file;
    }),
  );
  await first?.commit();
  await second?.write(new TextEncoder().encode(" more"));
  expect(await readFile(join(root, "b.zip"), "utf8")).toBe("one");
  await second?.discard();
  expect(await readdir(root)).toEqual(["b.zip"]);
});

test("an archive's folder that is not there, or gone, holds nothing", async () => {
  const root = await temporaryFolder();
  const folder = fsArchiveFolder(join(root, "gone"));
  expect(await folder.list()).toEqual([]);
  expect(await folder.open("b.zip")).toBeUndefined();
});

test("paths that can name no archive are refused", async () => {
  const root = await temporaryFolder();
  await writeFile(join(root, "file"), "");
  for (const path of ["", "a\0b", root, `${root}/`, `${root}/none/`, `${root}/none\\`]) {
    await expect(locateFsArchive(path)).rejects.toMatchObject({ code: "invalid_request" });
  }
  const { folder, name } = await locateFsArchive(join(root, "file", "b.zip"));
  await expect(folder.create(name)).rejects.toMatchObject({ code: "invalid_request" });
});

test("names and paths that the disk does not have are refused before anything is written", async () => {
  const root = await temporaryFolder();
  const long = "a".repeat(300);
  const deep = Array.from({ length: 50 }, () => "a".repeat(100)).join("/");
  for (const path of [`${long}.zip`, join(long, "b.zip"), join(deep, "b.zip")]) {
    const { folder, name } = await locateFsArchive(join(root, path));
    expect(await folder.list()).toEqual([]);
    expect(await folder.open(name)).toBeUndefined();
    await expect(folder.create(name)).rejects.toThrow("The path of the backup, or a name in it, is too long");
  }
  const longest = await locateFsArchive(join(root, "a".repeat(255)));
  const file = await longest.folder.create(longest.name);
  await file.commit();
  expect(await longest.folder.list()).toEqual([longest.name]);
});
