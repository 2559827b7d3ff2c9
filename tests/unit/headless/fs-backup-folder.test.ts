/** The folder of backups keeps clients inside, whatever its paths, links and files are. */
import { execFile } from "node:child_process";
import { mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { openFsBackupFolder } from "../../../src/headless/fs-backup-folder.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const FORBIDDEN = { name: "path_forbidden" };

async function* bytesOf(...texts: string[]) {
  for (const text of texts) yield new TextEncoder().encode(text);
}

async function textOf(bytes: AsyncIterable<Uint8Array>): Promise<string> {
  const pieces: Uint8Array[] = [];
  for await (const piece of bytes) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}

async function openFolder() {
  const outside = await temporaryFolder();
  const path = join(outside, "backups");
  const folder = await openFsBackupFolder(path);
  return { folder, path, outside };
}

describe("the folder of backups", () => {
  it("keeps archives, lists them newest first and reads them", async () => {
    const { folder, path } = await openFolder();
    const stored = await folder.store("a.zip", bytesOf("one", "two"));
    expect(stored).toMatchObject({ name: "a.zip", path: join(path, "a.zip"), sizeBytes: 6 });
    await folder.store("b.zip", bytesOf("b"));
    await writeFile(join(path, "notes.txt"), "no archive");
    const listed = await folder.list();
    expect(listed.map(({ name }) => name).sort()).toEqual(["a.zip", "b.zip"]);
    expect(listed[0]?.writtenAt.getTime()).toBeGreaterThanOrEqual(listed[1]?.writtenAt.getTime() ?? 0);
    const opened = await folder.open("a.zip");
    expect(opened.sizeBytes).toBe(6);
    expect(await textOf(opened.read(new AbortController().signal))).toBe("onetwo");
  });

  it("deletes archives, and says what is not there", async () => {
    const { folder, path } = await openFolder();
    await folder.store("a.zip", bytesOf("no archive of ours"));
    await folder.delete("a.zip");
    expect(await readdir(path)).toEqual([]);
    await expect(folder.delete("a.zip")).rejects.toMatchObject({ code: "backup_not_found" });
  });

  it("never writes over an archive, also when two come at once", async () => {
    const { folder, path } = await openFolder();
    const outcomes = await Promise.allSettled([
      folder.store("a.zip", bytesOf("first")),
      folder.store("a.zip", bytesOf("second")),
    ]);
    expect(outcomes.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    await expect(folder.store("a.zip", bytesOf("third"))).rejects.toMatchObject({ code: "conflict" });
    expect(await readdir(path)).toEqual(["a.zip"]);
  });

  it("keeps nothing of an upload that broke off, nor of one that an earlier process left", async () => {
    const { folder, path } = await openFolder();
    async function* broken() {
      yield new TextEncoder().encode("half");
      throw new Error("the client is gone");
    }
    await expect(folder.store("a.zip", broken())).rejects.toThrow("gone");
    expect(await readdir(path)).toEqual([]);
    await writeFile(join(path, ".upload-of-before"), "half");
    await openFsBackupFolder(path);
    expect(await readdir(path)).toEqual([]);
  });

  it.each([
    "../a.zip",
    "..",
    ".",
    "sub/../../a.zip",
    "/etc/passwd",
    "/proc/self/mem",
    "/dev/null",
    "C:\\a.zip",
    "\\\\host\\a.zip",
    "a.zip.",
    "a.zip ",
    ".a.zip",
    "sub/.hidden/a.zip",
    "out/a.zip",
    "dangling/a.zip",
    "dangling",
    "file-outside.zip",
    "pipe.zip",
    "sub",
  ])("refuses the path %s", async (path) => {
    const { folder, path: root, outside } = await openFolder();
    await writeFile(join(outside, "outside.zip"), "outside");
    await mkdir(join(root, "sub"));
    await symlink(outside, join(root, "out"));
    await symlink(join(outside, "outside.zip"), join(root, "file-outside.zip"));
    await symlink(join(outside, "nowhere"), join(root, "dangling"));
    await promisify(execFile)("mkfifo", [join(root, "pipe.zip")]);
    await expect(folder.placeFor(path)).rejects.toMatchObject(FORBIDDEN);
    await expect(folder.find(path)).rejects.toMatchObject(FORBIDDEN);
    await expect(folder.open(path)).rejects.toMatchObject(FORBIDDEN);
    await expect(folder.store(path, bytesOf("evil"))).rejects.toMatchObject(FORBIDDEN);
    await expect(folder.delete(path)).rejects.toMatchObject(FORBIDDEN);
    expect(await readFile(join(outside, "outside.zip"), "utf8")).toBe("outside");
  });

  it.each(["", "a\0.zip", "a\n.zip", "a".repeat(5000)])("refuses the text %j as a path", async (path) => {
    const { folder } = await openFolder();
    for (const use of [folder.placeFor(path), folder.find(path)]) {
      await expect(use).rejects.toMatchObject({ name: "bad_request" });
    }
  });

  it("takes absolute and relative paths inside, and says what is not there", async () => {
    const { folder, path } = await openFolder();
    await folder.store("a.zip", bytesOf("a"));
    for (const spelt of ["a.zip", "./a.zip", "sub/../a.zip", join(path, "a.zip")]) {
      expect(await folder.find(spelt)).toBe(join(path, "a.zip"));
    }
    expect(await folder.placeFor("new/b.zip")).toBe(join(path, "new/b.zip"));
    await expect(folder.find("b.zip")).rejects.toMatchObject({ code: "backup_not_found" });
    await expect(folder.open("b.zip")).rejects.toMatchObject({ code: "backup_not_found" });
  });
});
