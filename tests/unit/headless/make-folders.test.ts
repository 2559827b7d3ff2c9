/** Folders made with those above them, and places where none can be made. */
import { readdir, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { makeFolders } from "../../../src/headless/files/make-folders.ts";
import { temporaryFolder } from "../../temporary-folder.ts";
import { watchSyncs } from "../../watch-syncs.ts";
import { refuse } from "./without-links.ts";

describe("making folders", () => {
  it("makes those that are missing above it, in the mode given, and leaves those that are there", async () => {
    const folder = await temporaryFolder();
    await makeFolders(join(folder, "a/b"), 0o700);
    await writeFile(join(folder, "a/b/kept"), "");
    await makeFolders(join(folder, "a/b"), 0o755);
    for (const path of ["a", "a/b"]) expect((await stat(join(folder, path))).mode & 0o777).toBe(0o700);
    expect(await readdir(join(folder, "a/b"))).toEqual(["kept"]);
  });

  it("makes the name of each that it makes durable, the outermost first, and of those that are there none", async () => {
    const folder = await temporaryFolder();
    const synced = await watchSyncs(folder);
    await makeFolders(join(folder, "a/b"));
    await makeFolders(join(folder, "a/b/c"));
    expect(synced).toEqual(["/ a", "a/ b", "a/b/ c"]);
  });

  it("makes some in a folder that may be written to but not opened, and ends with any other fault of its disk", async () => {
    const folder = await temporaryFolder();
    refuse("open", "EACCES", (path) => path === folder);
    await makeFolders(join(folder, "a"));
    refuse("open", "EIO", (path) => path === join(folder, "a"));
    await expect(makeFolders(join(folder, "a/b"))).rejects.toMatchObject({ code: "EIO" });
  });

  it("makes none where the disk can't tell what stands there", async () => {
    const folder = await temporaryFolder();
    refuse("stat", "EIO");
    await expect(makeFolders(join(folder, "a"))).rejects.toMatchObject({ code: "EIO" });
    expect(await readdir(folder)).toEqual([]);
  });

  it("leaves one to somebody else who has made it since it was looked for", async () => {
    const folder = await temporaryFolder();
    let looks = 0;
    refuse("stat", "ENOENT", () => ++looks === 1);
    const onMade = vi.fn();
    await makeFolders(folder, 0o700, onMade);
    expect(onMade).not.toHaveBeenCalled();
  });

  it("goes through a link to a folder", async () => {
    const folder = await temporaryFolder();
    await makeFolders(join(folder, "real"));
    await symlink(join(folder, "real"), join(folder, "link"));
    await makeFolders(join(folder, "link/a"));
    expect(await readdir(join(folder, "real"))).toEqual(["a"]);
  });

  it.each([
    ["file", "EEXIST"],
    ["file/a", "ENOTDIR"],
    ["link", "EEXIST"],
    ["link/a/b", "EEXIST"],
  ])("ends with the system's error at %s, where a file or a link to nothing stands", async (path, code) => {
    const folder = await temporaryFolder();
    await writeFile(join(folder, "file"), "");
    await symlink(join(folder, "not mounted"), join(folder, "link"));
    await expect(makeFolders(join(folder, path))).rejects.toMatchObject({ code });
  });

  it.runIf(process.platform === "linux").each(["/proc/shoal", "/proc/shoal/a/b"])(
    "ends with the system's error at %s, where nobody can make any",
    async (path) => {
      await expect(makeFolders(path)).rejects.toMatchObject({ code: "ENOENT" });
    },
  );
});
