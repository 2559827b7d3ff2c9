/** The folder of backups keeps clients inside, whatever its paths, links and files are. */
import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { createReadStream, writeFileSync } from "node:fs";
import { mkdir, readdir, readFile, rename, rm, stat, symlink, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { promisify } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";
import { fsArchiveFolder } from "../../../src/headless/index/fs-archive-folder.ts";
import { openFsBackupFolder } from "../../../src/headless/index/fs-backup-folder.ts";
import { SOURCE_READ_BYTES, SOURCE_READS_AHEAD } from "../../../src/headless/limits.ts";
import { backupName, scheduledBackupName } from "../../../src/vx/storage/backup-name.ts";
import { isMarked, markDeletion } from "../../../src/vx/storage/deletion-marks.ts";
import { allRejected } from "../../all-rejected.ts";
import { openVx } from "../../api/open-vx.ts";
import { temporaryFolder } from "../../temporary-folder.ts";
import { watchSyncs } from "../../watch-syncs.ts";
import { refuse, refuseLinks } from "./without-links.ts";

const FORBIDDEN = { name: "path_forbidden" };

/** An archive of an index without vectors. */
async function archiveBytes(): Promise<Buffer> {
  const vx = await openVx();
  const { path } = await vx.index.backup();
  const bytes = await readFile(path);
  await vx.close();
  return bytes;
}

const archive = await archiveBytes();

/** The archive in two pieces. */
async function* anArchive() {
  yield archive.subarray(0, 100);
  yield archive.subarray(100);
}

async function* bytesOf(...texts: string[]) {
  for (const text of texts) yield new TextEncoder().encode(text);
}

async function joined(bytes: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of bytes) pieces.push(piece);
  return Buffer.concat(pieces);
}

async function openFolder() {
  const outside = await temporaryFolder();
  const path = join(outside, "backups");
  const folder = await openFsBackupFolder(path);
  return { folder, path, outside };
}

/** Begins an archive that is never whole, and gives what it is called so long. */
async function beginHalf(path: string): Promise<string> {
  const file = await fsArchiveFolder(path).create("named.zip");
  onTestFinished(() => file.discard());
  await file.write(Uint8Array.of(1));
  const [half] = (await readdir(path)) as [string];
  return half;
}

describe("the folder of backups", () => {
  it("removes what processes that ended in the middle of a backup left", async () => {
    const { path } = await openFolder();
    const halfs = fsArchiveFolder(path);
    const half = await beginHalf(path);
    const [scheduled, unnamed] = [scheduledBackupName(new Date()), backupName(new Date())];
    // As earlier versions called them, and files of others.
    const others = [scheduled, unnamed, "mine.zip", "film.mkv"].map((name) => `${name}.partial`);
    const left = [half, ...others];
    const twoHoursAgo = new Date(Date.now() - 2 * 3_600_000);
    for (const name of left) {
      await writeFile(join(path, name), "half");
      await utimes(join(path, name), twoHoursAgo, twoHoursAgo);
    }
    const underWay = await halfs.create("named.zip");
    await openFsBackupFolder(path);
    expect((await readdir(path)).sort()).toEqual([
      expect.stringMatching(/^\.backup-/),
      "film.mkv.partial",
      "mine.zip.partial",
    ]);
    await underWay.commit();
    expect(await readdir(path)).toContain("named.zip");
  });

  it("keeps archives that are whole, and what others have put there, however old they are", async () => {
    const { path } = await openFolder();
    const names = [scheduledBackupName(new Date()), backupName(new Date()), "mine.zip", "notes.txt"];
    const twoYearsAgo = new Date(Date.now() - 2 * 365 * 86_400_000);
    for (const name of names) {
      await writeFile(join(path, name), "");
      await utimes(join(path, name), twoYearsAgo, twoYearsAgo);
    }
    await openFsBackupFolder(path);
    expect((await readdir(path)).sort()).toEqual(names.sort());
  });

  it("has what such processes left removed by the next backup, too", async () => {
    const vx = await openVx({ dimension: 3 }, "disk");
    onTestFinished(() => vx.close());
    const half = await beginHalf(vx.backupPath);
    const twoHoursAgo = new Date(Date.now() - 2 * 3_600_000);
    await utimes(join(vx.backupPath, half), twoHoursAgo, twoHoursAgo);
    await vx.index.backup(join(vx.backupPath, "a.zip"));
    expect(await readdir(vx.backupPath)).toEqual(["a.zip"]);
  });

  it("removes the marks of deletions that ended long ago, and those alone", async () => {
    const { path } = await openFolder();
    const folder = fsArchiveFolder(path);
    await markDeletion(folder, "a.zip");
    const [old] = await readdir(path);
    const twoDaysAgo = new Date(Date.now() - 2 * 86_400_000);
    await utimes(join(path, old as string), twoDaysAgo, twoDaysAgo);
    await markDeletion(folder, "b.zip");
    await openFsBackupFolder(path);
    expect(await readdir(path)).toHaveLength(1);
    expect(await isMarked(folder, "a.zip")).toBe(false);
    expect(await isMarked(folder, "b.zip")).toBe(true);
  });

  it("keeps archives, lists them and reads them", async () => {
    const { folder, path } = await openFolder();
    const stored = await folder.store("a.zip", anArchive());
    expect(stored).toMatchObject({
      name: "a.zip",
      path: join(path, "a.zip"),
      sizeBytes: archive.byteLength,
    });
    await folder.store("b.zip", anArchive());
    await writeFile(join(path, "notes.txt"), "no archive");
    const listed = await folder.list();
    expect(listed.map(({ name }) => name).sort()).toEqual(["a.zip", "b.zip"]);
    const opened = await folder.open("a.zip");
    expect(opened.sizeBytes).toBe(archive.byteLength);
    expect((await joined(opened.read(new AbortController().signal))).equals(archive)).toBe(true);
  });

  it("reads one that is longer than what is read ahead of it, and leaves what it gave as it was", async () => {
    const { folder, path } = await openFolder();
    const bytes = randomBytes((SOURCE_READS_AHEAD + 2) * SOURCE_READ_BYTES);
    await writeFile(join(path, "long.zip"), bytes);
    const opened = await folder.open("long.zip");
    expect((await joined(opened.read(new AbortController().signal))).equals(bytes)).toBe(true);
  });

  it("keeps an upload durable before its name is seen, and then its name, for its user alone", async () => {
    const { folder, path } = await openFolder();
    const synced = await watchSyncs(path);
    await folder.store("a.zip", anArchive());
    expect(synced).toEqual([expect.stringMatching(/^\.upload-/), "/ a.zip"]);
    expect((await stat(path)).mode & 0o777).toBe(0o700);
    expect((await stat(join(path, "a.zip"))).mode & 0o777).toBe(0o600);
  });

  it("says of an upload that the disk is full", async () => {
    const { folder } = await openFolder();
    refuse("open", "ENOSPC");
    await expect(folder.store("a.zip", anArchive())).rejects.toMatchObject({ name: "storage_full" });
  });

  it("lists all backups, however many there are", async () => {
    const { folder, path } = await openFolder();
    const count = 10_001;
    for (let i = 0; i < count; i++) writeFileSync(join(path, `${i}.zip`), "");
    expect(await folder.list()).toHaveLength(count);
  });

  it("deletes archives, and says what is not there", async () => {
    const { folder, path } = await openFolder();
    await writeFile(join(path, "a.zip"), "no archive of ours");
    await folder.delete("a.zip");
    expect(await readdir(path)).toEqual([]);
    await expect(folder.delete("a.zip")).rejects.toMatchObject({ code: "backup_not_found" });
  });

  it("deletes none that one on another disk goes on from, to which a link leads", async () => {
    const { folder, path, outside } = await openFolder();
    const vx = await openVx({ dimension: 3 }, "disk");
    for (const [id, name] of [
      [1, "a.zip"],
      [2, "b.zip"],
    ] as const) {
      await vx.index.add(id, [1, 2, 3]);
      await vx.index.backup(join(path, name), true);
    }
    await vx.close();
    await rename(join(path, "b.zip"), join(outside, "moved.zip"));
    await symlink(join(outside, "moved.zip"), join(path, "b.zip"));
    await symlink(join(outside, "nothing"), join(path, "dangling.zip"));
    await symlink("round.zip", join(path, "round.zip"));
    await promisify(execFile)("mkfifo", [join(outside, "pipe")]);
    await symlink(join(outside, "pipe"), join(path, "pipe.zip"));
    await expect(folder.delete("a.zip")).rejects.toMatchObject({
      code: "conflict",
      message: "The backup b.zip goes on from a.zip; delete that one first",
    });
    expect((await folder.list()).map(({ name }) => name)).toEqual(["a.zip"]);
    await rm(join(path, "b.zip"));
    await folder.delete("a.zip");
    expect(await folder.list()).toEqual([]);
  });

  it.each([
    ["", () => undefined],
    [", nor where there are no hard links", refuseLinks],
  ])("never writes over an archive, also when two come at once%s", async (_where, prepare) => {
    const { folder, path } = await openFolder();
    prepare();
    const outcomes = await Promise.allSettled([
      folder.store("a.zip", anArchive()),
      folder.store("a.zip", anArchive()),
    ]);
    expect(outcomes.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    await expect(folder.store("a.zip", anArchive())).rejects.toMatchObject({ code: "conflict" });
    expect(await readdir(path)).toEqual(["a.zip"]);
  });

  it("keeps nothing of an upload that is no backup, or not all of one, and says so", async () => {
    const { folder, path } = await openFolder();
    for (const bytes of [
      "",
      "abcdef",
      archive.subarray(0, -1),
      archive.subarray(0, 100),
      archive.subarray(1),
    ]) {
      const upload = typeof bytes === "string" ? bytesOf(bytes) : Readable.from([bytes]);
      await expect(folder.store("not.zip", upload)).rejects.toMatchObject({
        code: "backup_corrupt",
        message: expect.stringMatching(/^The backup not\.zip cannot be used: it/),
      });
    }
    expect(await readdir(path)).toEqual([]);
  });

  it("keeps an archive that is encrypted, whose key it has not", async () => {
    const { folder, path } = await openFolder();
    const place = join(path, "made.zip");
    const vx = await openVx({ dimension: 3, encryptionEnabled: true, encryptionKey: "k".repeat(32) }, "disk");
    await vx.index.backup(place);
    await vx.close();
    expect(await folder.store("copy.zip", createReadStream(place))).toMatchObject({ name: "copy.zip" });
  });

  it("keeps nothing of an upload that broke off, nor of one that an earlier process left", async () => {
    const { folder, path } = await openFolder();
    async function* broken() {
      yield new TextEncoder().encode("half");
      throw new Error("the client is gone");
    }
    await expect(folder.store("a.zip", broken())).rejects.toThrow("gone");
    expect(await readdir(path)).toEqual([]);
    const left = join(path, ".upload-of-before");
    await writeFile(left, "half");
    const twoHoursAgo = new Date(Date.now() - 2 * 3_600_000);
    await utimes(left, twoHoursAgo, twoHoursAgo);
    await openFsBackupFolder(path);
    expect(await readdir(path)).toEqual([]);
  });

  it("keeps an upload that goes on while another process opens the folder", async () => {
    const { folder, path } = await openFolder();
    async function* slowly() {
      yield archive.subarray(0, 100);
      await openFsBackupFolder(path);
      yield archive.subarray(100);
    }
    expect(await folder.store("a.zip", slowly())).toMatchObject({ name: "a.zip" });
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
    await allRejected([folder.placeFor(path), folder.find(path)], { name: "bad_request" });
  });

  it.each(["sub/", "sub/b/", "sub\\"])("makes no file of the folder that %j names", async (path) => {
    const { folder } = await openFolder();
    await expect(folder.placeFor(path)).rejects.toMatchObject({ code: "invalid_request" });
  });

  it("says of a path outside which setting names the folder", async () => {
    const { folder } = await openFolder();
    const refusal = { ...FORBIDDEN, message: expect.stringContaining("--vx-backup-path") };
    await expect(folder.placeFor("../x.zip")).rejects.toMatchObject(refusal);
    await expect(folder.find("../x.zip")).rejects.toMatchObject(refusal);
  });

  it("takes absolute and relative paths inside, and says what is not there", async () => {
    const { folder, path } = await openFolder();
    await folder.store("a.zip", anArchive());
    for (const spelt of ["a.zip", "./a.zip", "sub/../a.zip", join(path, "a.zip")]) {
      expect(await folder.find(spelt)).toBe(join(path, "a.zip"));
    }
    expect(await folder.placeFor("new/b.zip")).toBe(join(path, "new/b.zip"));
    await expect(folder.find("b.zip")).rejects.toMatchObject({ code: "backup_not_found" });
    await expect(folder.open("b.zip")).rejects.toMatchObject({ code: "backup_not_found" });
  });
});
