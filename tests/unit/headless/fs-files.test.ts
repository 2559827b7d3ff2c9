/** Which paths FsFiles refuses, and that nothing slips past a check. */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  appendFile,
  type FileHandle,
  link,
  mkdir,
  open,
  readdir,
  readFile,
  readlink,
  rename,
  rm,
  stat,
  symlink,
  truncate,
  utimes,
  writeFile,
} from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { openFsFiles } from "../../../src/headless/files/fs-files.ts";
import { SOURCE_READ_BYTES, SOURCE_READS_AHEAD } from "../../../src/headless/limits.ts";
import type { Files } from "../../../src/sharing/ports.ts";
import { childProgram } from "../../child-program.ts";
import { untilTrue } from "../../eventually.ts";
import { temporaryFolder } from "../../temporary-folder.ts";
import { watchSyncs } from "../../watch-syncs.ts";
import { refuse, rightAfter } from "./without-links.ts";

const FORBIDDEN = { name: "path_forbidden" };

describe("FsFiles", () => {
  let top: string;
  let shared: string;
  let downloads: string;
  let files: Files;

  beforeEach(async () => {
    top = await temporaryFolder();
    [shared, downloads] = [join(top, "shared"), join(top, "downloads")];
    for (const folder of [shared, downloads, join(top, "shared/data"), join(top, "outside")])
      await mkdir(folder);
    await writeFile(join(top, "outside/secret"), "secret");
    await writeFile(join(shared, "data/keys.json"), "keys");
    await writeFile(join(shared, "open.txt"), "open");
    files = await openTopFiles(top, { hidden: false });
  });

  it("opens a file by its absolute path and by its path beneath a share root", async () => {
    expect((await files.openSource(join(shared, "open.txt"))).sizeBytes).toBe(4);
    expect((await files.openSource("open.txt")).name).toBe("open.txt");
    expect((await files.openSource("./data/../open.txt")).name).toBe("open.txt");
  });

  it("looks for a relative path beneath each share root in turn, and says what the first says where none has it", async () => {
    const second = join(top, "second");
    await mkdir(second);
    await mkdir(join(shared, "folder"));
    for (const name of ["open.txt", "other.txt", ".hidden", "folder"])
      await writeFile(join(second, name), "other");
    const withRoots = (shareRoots: { path: string; hidden: boolean }[]) =>
      openFsFiles({
        shareRoots,
        downloadRoot: downloads,
        closedPaths: [],
        unfinishedFolder: join(top, "unfinished"),
        onError: () => undefined,
      });
    const both = await withRoots([
      { path: shared, hidden: false },
      { path: second, hidden: true },
    ]);
    const sizes = ["open.txt", "other.txt", ".hidden"].map(
      async (path) => (await both.openSource(path)).sizeBytes,
    );
    expect(await Promise.all(sizes)).toEqual([4, 5, 5]);
    await expect(both.openSource("folder")).rejects.toMatchObject({ name: "bad_request" });
    await expect(both.openSource("absent")).rejects.toMatchObject({ name: "file_missing" });
    await expect(both.openSource(".absent")).rejects.toMatchObject(FORBIDDEN);
    await expect((await withRoots([])).openSource("open.txt")).rejects.toMatchObject(FORBIDDEN);
  });

  it("follows links to its roots", async () => {
    await symlink(shared, join(top, "link"));
    await symlink(downloads, join(top, "link too"));
    const linked = await openFsFiles({
      shareRoots: [{ path: join(top, "link"), hidden: false }],
      downloadRoot: join(top, "link too"),
      closedPaths: [],
      unfinishedFolder: join(top, "unfinished"),
      onError: () => undefined,
    });
    expect((await linked.openSource("open.txt")).sizeBytes).toBe(4);
    await (await linked.openOutput("film", { overwrite: false })).commit(0);
    expect((await linked.openPlaced("film")).sizeBytes).toBe(0);
  });

  it("says of a download root in the data folder that it is closed, and makes no folder there", async () => {
    const closed = await openFsFiles({
      shareRoots: [],
      downloadRoot: join(shared, "data/downloads"),
      closedPaths: [join(shared, "data")],
      unfinishedFolder: join(top, "unfinished"),
      onError: () => undefined,
    });
    const refusal = {
      ...FORBIDDEN,
      message:
        "the download root is in what is closed to downloads, as the data folder, /proc, /sys and /dev are; see --download-root",
    };
    await expect(closed.openOutput("film", { overwrite: false })).rejects.toMatchObject(refusal);
    await expect(closed.outputPath("film", { overwrite: false })).rejects.toMatchObject(refusal);
    expect(await readdir(join(shared, "data"))).toEqual(["keys.json"]);
  });

  it("refuses a source outside the share roots the same way whether or not it exists", async () => {
    const [existing, absent] = await Promise.all(
      ["outside/secret", "outside/absent"].map((path) => files.openSource(join(top, path)).catch((e) => e)),
    );
    expect(existing).toMatchObject(FORBIDDEN);
    expect(absent).toMatchObject({ name: existing.name, message: existing.message });
  });

  describe.each(["EACCES", "EROFS"])("a download root that may not be written to (%s)", (code) => {
    const refusal = { ...FORBIDDEN, message: "this node may not write there; see --download-root" };
    const open = (path: string) => files.openOutput(path, { overwrite: false });

    it("is told of, for a file and for a folder in it", async () => {
      refuse("mkdir", code);
      refuse("open", code, (path) => path.endsWith(".part") && !path.startsWith(join(top, "unfinished")));
      await expect(open("film")).rejects.toMatchObject(refusal);
      await expect(open("films/film")).rejects.toMatchObject(refusal);
      expect(await readdir(join(top, "unfinished"))).toEqual([]);
    });

    it("is told of where nobody may look into it, either", async () => {
      refuse("lstat", code, (path) => path.endsWith("/film"));
      await expect(open("film")).rejects.toMatchObject(refusal);
    });

    it("is told of where that is so by the time the file is whole, or about to be linked", async () => {
      const [whole, linked] = [await open("whole"), await open("linked")];
      refuse("link", code);
      await expect(whole.commit(0)).rejects.toMatchObject(refusal);
      await expect(linked.adopt?.(join(shared, "open.txt"))).rejects.toMatchObject(refusal);
      for (const output of [whole, linked]) await output.discard();
      expect(await readdir(downloads)).toEqual([]);
    });

    it("is told of where it is not there, either", async () => {
      await rm(downloads, { recursive: true });
      refuse("mkdir", code);
      await expect(open("film")).rejects.toMatchObject(refusal);
    });
  });

  it("says of a folder that came to an output's place that it is one, which nothing replaces", async () => {
    const output = await files.openOutput("film", { overwrite: false });
    await mkdir(join(downloads, "film"));
    await expect(output.commit(0)).rejects.toMatchObject({
      message: "a folder of that name exists already",
    });
    await output.discard();
  });

  it("says which setting allows other folders, and how to replace a file", async () => {
    const refusal = (opening: Promise<unknown>) => opening.catch((error) => error.message);
    expect(await refusal(files.openSource(join(top, "outside/secret")))).toContain("--share-root");
    expect(await refusal(files.openSource("../outside/secret"))).toContain("--share-root");
    expect(await refusal(files.openOutput("../outside/new", { overwrite: false }))).toContain(
      "--download-root",
    );
    await writeFile(join(downloads, "there"), "");
    expect(await refusal(files.openOutput("there", { overwrite: false }))).toMatch(
      /exists already.*overwrite/,
    );
  });

  it.each([true, false])(
    "refuses a folder whose name only begins like a root's (hidden: %s)",
    async (hidden) => {
      const beside = await openTopFiles(top, { hidden });
      for (const folder of [shared, downloads]) {
        await mkdir(`${folder}-not`);
        await writeFile(`${folder}-not/file`, "x");
      }
      await expect(beside.openSource(`${shared}-not/file`)).rejects.toMatchObject(FORBIDDEN);
      await expect(beside.listFolder(`${shared}-not`)).rejects.toMatchObject(FORBIDDEN);
      const output = beside.openOutput(`${downloads}-not/file`, { overwrite: true });
      await expect(output).rejects.toMatchObject(FORBIDDEN);
      await expect(beside.openPlaced(`${downloads}-not/file`)).rejects.toMatchObject(FORBIDDEN);
      expect(await readFile(`${downloads}-not/file`, "utf8")).toBe("x");
    },
  );

  it("refuses symlinks that leave the roots, dangling ones too, and follows those that stay", async () => {
    await symlink(join(top, "outside"), join(shared, "way-out"));
    await symlink(join(top, "outside/secret"), join(shared, "secret"));
    await symlink(join(top, "outside/absent"), join(shared, "absent"));
    await symlink(join(shared, "loop"), join(shared, "loop"));
    await symlink("open.txt", join(shared, "alias.txt"));
    for (const path of ["way-out/secret", "way-out/absent", "secret", "absent", "absent/x", "loop"]) {
      await expect(files.openSource(path), path).rejects.toMatchObject(FORBIDDEN);
    }
    expect(await files.openSource("alias.txt")).toMatchObject({ name: "alias.txt", sizeBytes: 4 });
  });

  it("refuses the data folder, and a symlink into it", async () => {
    await symlink(join(shared, "data"), join(shared, "alias"));
    for (const path of ["data/keys.json", "alias/keys.json", "data/absent"]) {
      await expect(files.openSource(path), path).rejects.toMatchObject(FORBIDDEN);
    }
  });

  it("refuses a FIFO, a socket and a device without opening them", async () => {
    execFileSync("mkfifo", [join(shared, "fifo")]);
    const server = createServer().listen(join(shared, "socket"));
    await once(server, "listening");
    onTestFinished(() => void server.close());
    await symlink("/dev/zero", join(shared, "zero"));
    for (const path of ["fifo", "socket", "zero", "/dev/zero", "/dev/stdin"]) {
      await expect(files.openSource(path), path).rejects.toMatchObject(FORBIDDEN);
    }
  });

  const becomes: Record<string, (path: string) => unknown> = {
    "a FIFO": (path) => execFileSync("mkfifo", [path]),
    "a link": (path) => symlink(join(shared, "data/keys.json"), path),
    "a socket": async (path) => {
      const server = createServer().listen(path);
      onTestFinished(() => void server.close());
      await once(server, "listening");
    },
  };
  it.runIf(process.platform === "linux").each(Object.entries(becomes))(
    "refuses a file that becomes %s right after the check, and holds nothing open",
    async (_, become) => {
      const path = join(shared, "open.txt");
      rightAfter("lstat", path, async () => {
        await rm(path);
        await become(path);
      });
      await expect(files.openSource("open.txt")).rejects.toMatchObject(FORBIDDEN);
      expect(await openWithin(path)).toEqual([]);
    },
  );

  it.each(["EACCES", "EPERM"])("says of what it may not read that this is so (%s)", async (code) => {
    refuse("open", code, (path) => path === join(shared, "open.txt"));
    refuse("opendir", code);
    const refusal = (what: string) => ({ ...FORBIDDEN, message: `the node may not read this ${what}` });
    await expect(files.openSource("open.txt")).rejects.toMatchObject(refusal("file"));
    await expect(files.listFolder(shared)).rejects.toMatchObject(refusal("folder"));
  });

  it("refuses /proc, /sys and /dev even beneath a share root", async () => {
    const open = await openFsFiles({
      shareRoots: [{ path: "/", hidden: true }],
      downloadRoot: downloads,
      closedPaths: [],
      unfinishedFolder: join(top, "unfinished"),
      onError: () => undefined,
    });
    await symlink("/proc/self/environ", join(shared, "environ"));
    for (const path of [
      "/proc/self/environ",
      "/proc/version",
      "/sys/kernel/notes",
      join(shared, "environ"),
    ]) {
      await expect(open.openSource(path), path).rejects.toMatchObject(FORBIDDEN);
    }
    expect((await open.openSource(join(shared, "open.txt"))).sizeBytes).toBe(4);
  });

  it("refuses a folder as a source, and says that one stands where an output should", async () => {
    await mkdir(join(shared, "folder"));
    await expect(files.openSource("folder")).rejects.toMatchObject({ name: "bad_request" });
    await mkdir(join(downloads, "folder"));
    for (const path of ["folder", "."]) {
      const refusal = { name: "output_exists", message: expect.stringContaining("folder") };
      await expect(files.openOutput(path, { overwrite: false }), path).rejects.toMatchObject(refusal);
    }
  });

  it.each(["open.txt/", "open.txt/.", "data/", "absent/"])(
    "refuses %s, which names a folder, as a source",
    async (path) => {
      for (const spelt of [path, `${shared}/${path}`]) {
        await expect(files.openSource(spelt)).rejects.toMatchObject({ name: "bad_request" });
      }
    },
  );

  it("says which name is not valid UTF-8, of a file and of a folder", async () => {
    const named = (name: string) => Buffer.concat([Buffer.from(`${shared}/`), Buffer.from(name, "latin1")]);
    await mkdir(named("f\xe4\\"));
    await writeFile(named("b\xffd.txt"), "x");
    await writeFile(named("\xef\xbf\xbd good"), "x");
    const refusal = (path: string) => files.openSource(path).catch((error: unknown) => error);
    expect(await refusal("b\ufffdd.txt")).toMatchObject({
      name: "bad_request",
      message: "the name b\\xffd.txt is not valid UTF-8: what is to be shared needs another",
    });
    expect(await refusal(join(shared, "f\ufffd\\/x"))).toMatchObject({
      message: expect.stringMatching(/^the name f\\xe4\\x5c is/),
    });
    expect(await refusal("other\ufffd")).toMatchObject({ name: "file_missing" });
    expect((await files.openSource("\ufffd good")).sizeBytes).toBe(1);
  });

  it.each([
    [
      "trip/b\xff.txt",
      "b\ufffd.txt: the name b\\xff.txt is not valid UTF-8: what is to be shared needs another",
    ],
    ["trip/f\xe4/x", "f\ufffd: the name f\\xe4 is not valid UTF-8: what is to be shared needs another"],
  ])("lists no folder with %j, which is not valid UTF-8", async (path, message) => {
    const named = (name: string) => Buffer.concat([Buffer.from(`${shared}/`), Buffer.from(name, "latin1")]);
    await mkdir(named(path.slice(0, path.lastIndexOf("/"))), { recursive: true });
    await writeFile(named(path), "x");
    await expect(files.listFolder("trip")).rejects.toMatchObject({ message });
  });

  it("lists what is called by the character that stands for undecodable bytes", async () => {
    await mkdir(join(shared, "trip"));
    await writeFile(join(shared, "trip/\ufffd"), "x");
    expect(await files.listFolder("trip")).toMatchObject({ files: [{ path: "\ufffd" }] });
  });

  it("says what is wrong with a name, where it is not the folder", async () => {
    await expect(files.openSource("dots.")).rejects.toThrow("names that end in a dot");
    await expect(files.openSource("C:\\x")).rejects.toThrow("drive letters");
  });

  it.each([
    "C:\\x",
    "c:/x",
    "\\\\host\\x",
    "dots.",
    "folder./x",
    "blank ",
    "...",
    "a\nb",
    "a\x7f",
    "x".repeat(5000),
  ])("refuses the path %j both ways", async (path) => {
    const refusal = { name: expect.stringMatching(/^(path_forbidden|bad_request)$/) };
    await expect(files.openSource(path)).rejects.toMatchObject(refusal);
    await expect(files.openOutput(path, { overwrite: true })).rejects.toMatchObject(refusal);
  });

  it("says of a name that is too long for any file that it is, or that there is none, and outside what it says there", async () => {
    const long = "ä".repeat(130);
    const missing = { name: "file_missing" };
    await expect(files.openSource(long)).rejects.toMatchObject(missing);
    await expect(files.listFolder(`${long}/songs`)).rejects.toMatchObject(missing);
    await expect(files.openOutput(`${long}/song`, { overwrite: false })).rejects.toMatchObject({
      message: "a name in the path is too long",
    });
    const deep = "a/".repeat(2040);
    await expect(files.openSource(`${deep}song`)).rejects.toMatchObject({ message: "the path is too long" });
    await expect(files.openSource(join(top, long))).rejects.toMatchObject(FORBIDDEN);
    await expect(files.openOutput(`../${long}/song`, { overwrite: false })).rejects.toMatchObject(FORBIDDEN);
  });

  it("leaves hidden files and folders out of a root that asks for it, and lets them be elsewhere", async () => {
    await mkdir(join(shared, ".ssh"));
    await writeFile(join(shared, ".ssh/id"), "key");
    await writeFile(join(shared, ".netrc"), "key");
    for (const path of [".ssh/id", ".netrc", ".ssh/absent"]) {
      await expect(files.openSource(path), path).rejects.toMatchObject(FORBIDDEN);
    }
    for (const path of [".ssh", ".absent"])
      await expect(files.listFolder(path), path).rejects.toMatchObject(FORBIDDEN);
    const open = await openTopFiles(top, { hidden: true });
    expect((await open.openSource(".ssh/id")).sizeBytes).toBe(3);
  });

  it("refuses to read on when the file was replaced or cut short since it was opened", async () => {
    const drain = async (path: string, change: () => Promise<void>) => {
      const source = await files.openSource(path);
      await change();
      for await (const _ of source.stream(new AbortController().signal));
    };
    await writeFile(join(shared, "other.txt"), "othe");
    await expect(
      drain("open.txt", () => rename(join(shared, "other.txt"), join(shared, "open.txt"))),
    ).rejects.toMatchObject({ name: "file_missing" });
    await expect(drain("open.txt", () => truncate(join(shared, "open.txt"), 2))).rejects.toMatchObject({
      name: "file_missing",
    });
    const toSecret = async () => {
      await rm(join(shared, "open.txt"));
      await symlink(join(top, "outside/secret"), join(shared, "open.txt"));
    };
    await expect(drain("open.txt", toSecret)).rejects.toMatchObject(FORBIDDEN);
  });

  it("refuses to read on when the file was removed and another made, which may get its number", async () => {
    const path = join(shared, "open.txt");
    const born = async () => (await stat(path, { bigint: true })).birthtimeNs;
    const [source, before] = [await files.openSource(path), await born()];
    do {
      await rm(path);
      await writeFile(path, "another");
      // The clock of a file system may be a coarse one.
    } while ((await born()) === before);
    const pieces = source.stream(new AbortController().signal)[Symbol.asyncIterator]();
    await expect(pieces.next()).rejects.toMatchObject({ name: "file_missing" });
  });

  it("tells whoever reads on, and nobody else, of a file that is cut short while a piece of it is being taken", async () => {
    const unhandled = vi.fn();
    process.on("unhandledRejection", unhandled);
    onTestFinished(() => void process.off("unhandledRejection", unhandled));
    const path = join(shared, "log");
    await writeFile(path, new Uint8Array((SOURCE_READS_AHEAD + 1) * SOURCE_READ_BYTES));
    const source = await files.openSource(path);
    const pieces = source.stream(new AbortController().signal)[Symbol.asyncIterator]();
    await pieces.next();
    await truncate(path, SOURCE_READS_AHEAD * SOURCE_READ_BYTES);
    const reads = await spyOnReads(path);
    await pieces.next();
    await untilTrue(() => reads.mock.settledResults.some(({ value }) => value?.bytesRead === 0));
    expect(unhandled).not.toHaveBeenCalled();
    await expect(pieces.next()).rejects.toMatchObject({ name: "file_missing" });
  });

  it.each<[how: string, change: (path: string) => Promise<void>]>([
    ["grew", (path) => appendFile(path, "more")],
    ["was written over", (path) => writeFile(path, "else")],
  ])("says at the end of a file that %s while it was read that it was changed", async (_, change) => {
    const path = join(shared, "open.txt");
    await utimes(path, new Date(0), new Date(0));
    const pieces = (await files.openSource(path))
      .stream(new AbortController().signal)
      [Symbol.asyncIterator]();
    expect((await pieces.next()).value).toHaveLength(4);
    await change(path);
    await expect(pieces.next()).rejects.toMatchObject({
      name: "file_missing",
      message: "the file was changed while it was read",
    });
  });

  it("refuses outputs outside the download root, through symlinks too", async () => {
    await symlink(join(top, "outside"), join(downloads, "way-out"));
    await symlink(join(top, "outside/new"), join(downloads, "new-link"));
    for (const path of [
      "../up",
      join(top, "outside/x"),
      "way-out/x",
      "way-out/deep/x",
      "new-link/x",
      "/proc/x",
    ]) {
      await expect(files.openOutput(path, { overwrite: true }), path).rejects.toMatchObject(FORBIDDEN);
    }
    expect(await readdir(join(top, "outside"))).toEqual(["secret"]);
  });

  it("never writes through a symlink that stands at the output's place", async () => {
    await symlink(join(top, "outside/secret"), join(downloads, "link"));
    await expect(files.openOutput("link", { overwrite: false })).rejects.toMatchObject({
      name: "output_exists",
    });
    await expect(files.openOutput("link", { overwrite: true })).rejects.toMatchObject({
      name: "bad_request",
    });
    const output = await files.openOutput("raced", { overwrite: true });
    await output.write(0, new TextEncoder().encode("mine"));
    await symlink(join(top, "outside/secret"), join(downloads, "raced"));
    await output.commit(4);
    expect(await readFile(join(top, "outside/secret"), "utf8")).toBe("secret");
    expect(await readFile(join(downloads, "raced"), "utf8")).toBe("mine");
  });

  it.runIf(process.platform === "linux")(
    "writes into the folder that was checked though a symlink takes its place",
    async () => {
      const output = await files.openOutput("album/song", { overwrite: false });
      await output.write(0, new TextEncoder().encode("la"));
      await rename(join(downloads, "album"), join(downloads, "moved"));
      await symlink(join(top, "outside"), join(downloads, "album"));
      await output.commit(2);
      expect(await readdir(join(top, "outside"))).toEqual(["secret"]);
      expect(await readFile(join(downloads, "moved/song"), "utf8")).toBe("la");
    },
  );

  it("refuses a source, and an output, on whose way a folder becomes a symlink right after the check", async () => {
    const swap = (folder: string) => async () => {
      await rename(folder, `${folder}-moved`);
      await symlink(join(top, "outside"), folder);
    };
    await mkdir(join(shared, "trip"));
    await writeFile(join(shared, "trip/secret"), "none");
    rightAfter("lstat", join(shared, "trip/secret"), swap(join(shared, "trip")));
    await expect(files.openSource("trip/secret")).rejects.toMatchObject(FORBIDDEN);

    await mkdir(join(top, "outside/one/two"), { recursive: true });
    rightAfter("mkdir", join(downloads, "album/one/two"), swap(join(downloads, "album")));
    const opening = files.openOutput("album/one/two/song", { overwrite: false });
    await expect(opening).rejects.toMatchObject(FORBIDDEN);
    expect(await readdir(join(top, "outside/one/two"))).toEqual([]);
  });

  it("refuses a folder, and a path through a file, as an output", async () => {
    await mkdir(join(downloads, "folder"));
    await writeFile(join(downloads, "file"), "x");
    const long = "n".repeat(300);
    const paths = ["folder", "folder/", "absent/", "file/x", ".", long, `new/${long}`, `also/${long}/x`];
    const refusals = paths.map(async (path) => {
      await expect(files.openOutput(path, { overwrite: true }), path).rejects.toMatchObject({
        name: "bad_request",
      });
    });
    await Promise.all(refusals);
    expect((await readdir(downloads)).sort()).toEqual(["file", "folder"]);
  });

  it("refuses a share root that is no folder", async () => {
    for (const name of ["absent", "shared/open.txt"]) {
      const opening = openFsFiles({
        shareRoots: [{ path: join(top, name), hidden: true }],
        downloadRoot: downloads,
        closedPaths: [],
        unfinishedFolder: join(top, "unfinished"),
        onError: () => undefined,
      });
      await expect(opening).rejects.toMatchObject({
        name: "bad_request",
        message: expect.stringContaining(name),
      });
    }
  });

  it("refuses outputs in the data folder", async () => {
    const inData = await openFsFiles({
      shareRoots: [],
      downloadRoot: top,
      closedPaths: [join(shared, "data")],
      unfinishedFolder: join(top, "unfinished"),
      onError: () => undefined,
    });
    await expect(inData.openOutput("shared/data/keys.json", { overwrite: true })).rejects.toMatchObject(
      FORBIDDEN,
    );
    expect(await readFile(join(shared, "data/keys.json"), "utf8")).toBe("keys");
  });

  it("closes files and folders by their real paths, also those that are not there yet", async () => {
    await mkdir(join(shared, "certificate"));
    await writeFile(join(shared, "certificate/key.pem"), "key");
    await writeFile(join(shared, "certificate/cert.pem"), "cert");
    await symlink(join(shared, "certificate"), join(top, "link"));
    await symlink(join(top, "nowhere"), join(top, "dangling"));
    const tooLong = join(top, "long/".repeat(1000));
    const closed = await openFsFiles({
      shareRoots: [{ path: shared, hidden: true }],
      downloadRoot: shared,
      closedPaths: [join(top, "link/key.pem"), join(shared, "index"), join(top, "dangling"), tooLong],
      unfinishedFolder: join(top, "unfinished"),
      onError: () => undefined,
    });
    await expect(closed.openSource("certificate/key.pem")).rejects.toMatchObject(FORBIDDEN);
    await expect(closed.openOutput("certificate/key.pem", { overwrite: true })).rejects.toMatchObject(
      FORBIDDEN,
    );
    await expect(closed.openOutput("index/vectors", { overwrite: false })).rejects.toMatchObject(FORBIDDEN);
    const { files: listed } = await closed.listFolder("certificate");
    expect(listed.map(({ path }) => path)).toEqual(["cert.pem"]);
  });

  it("lists a folder as it is called, also by a link, without the links and the devices in it", async () => {
    await mkdir(join(shared, "trip/day 1"), { recursive: true });
    await writeFile(join(shared, "trip/day 1/a.txt"), "a");
    await symlink(join(shared, "open.txt"), join(shared, "trip/link"));
    await symlink(join(shared, "trip"), join(shared, "trip/circle"));
    execFileSync("mkfifo", [join(shared, "trip/fifo")]);
    await symlink("trip", join(shared, "alias"));
    const listed = await Promise.all([`${shared}/trip/.`, "alias"].map((path) => files.listFolder(path)));
    const a = { path: "day 1/a.txt", source: join(shared, "trip/day 1/a.txt") };
    expect(listed).toEqual([
      { name: "trip", files: [a] },
      { name: "alias", files: [a] },
    ]);
  });

  it("says of a folder that goes while it is listed that it changed", async () => {
    refuse("opendir", "ENOENT");
    await expect(files.listFolder(shared)).rejects.toMatchObject({
      name: "file_missing",
      message: "the folder changed while it was read",
    });
  });

  it.each([
    ["day 1\nnotes", "bad_request", "the path has control characters"],
    ["notes.", "path_forbidden", "names that end in a dot or a space are not allowed"],
  ])("lists no folder with a file that it would not open: %j", async (name, refusal, message) => {
    await mkdir(join(shared, "trip"));
    await writeFile(join(shared, "trip/a.txt"), "a");
    await writeFile(join(shared, "trip", name), "b");
    await expect(files.openSource(join(shared, "trip", name))).rejects.toMatchObject({ name: refusal });
    await expect(files.listFolder("trip")).rejects.toMatchObject({
      name: refusal,
      message: `${name}: ${message}`,
    });
  });

  it("does not replace a file that is a hard link elsewhere, only the name", async () => {
    await link(join(top, "outside/secret"), join(downloads, "linked"));
    const output = await files.openOutput("linked", { overwrite: true });
    await output.write(0, new TextEncoder().encode("new"));
    await output.commit(3);
    expect(await readFile(join(top, "outside/secret"), "utf8")).toBe("secret");
  });

  it("says of an output whose folder was removed that it is gone, whether whole or about to be linked", async () => {
    const gone = { name: "file_missing", message: "the unfinished file was removed; resume writes it again" };
    const whole = await files.openOutput("films/whole", { overwrite: false });
    const linked = await files.openOutput("films/linked", { overwrite: false });
    await rm(join(downloads, "films"), { recursive: true });
    await expect(whole.commit(0)).rejects.toMatchObject(gone);
    await expect(linked.adopt?.(join(shared, "open.txt"))).rejects.toMatchObject(gone);
    for (const output of [whole, linked]) await output.discard();
    expect(await readdir(join(top, "unfinished"))).toEqual([]);
  });

  it("says so, too, where its folder is removed before anything is made in it", async () => {
    refuse("open", "ENOENT", (path) => path.endsWith(".part") && !path.startsWith(join(top, "unfinished")));
    const opening = files.openOutput("films/film", { overwrite: false });
    await expect(opening).rejects.toMatchObject({ name: "file_missing" });
    expect(await readdir(join(top, "unfinished"))).toEqual([]);
  });

  it.each(["ENOSPC", "EDQUOT", "EFBIG"])(
    "says that the disk is full where a write finds it so (%s)",
    async (code) => {
      const output = await files.openOutput("film", { overwrite: false });
      const writing = vi.spyOn(await handlesLike(join(shared, "open.txt")), "write");
      onTestFinished(() => writing.mockRestore());
      writing.mockRejectedValueOnce(Object.assign(new Error(`${code}: no more`), { code }));
      await expect(output.write(0, new Uint8Array(1))).rejects.toMatchObject({ name: "storage_full" });
      await output.discard();
    },
  );

  it("says so where it has no room for the note of an output, and leaves no folder of that", async () => {
    refuse("open", "ENOSPC", (path) => path.startsWith(join(top, "unfinished")));
    const opening = files.openOutput("films/film", { overwrite: false });
    await expect(opening).rejects.toMatchObject({ name: "storage_full" });
    expect(await readdir(downloads)).toEqual([]);
  });

  it("removes at start what a killed process left unfinished", async () => {
    const child = spawn(process.execPath, [childProgram("output-writer"), top], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    await once(child.stdout, "data");
    child.kill("SIGKILL");
    await once(child, "close");
    expect(await readdir(join(downloads, "films/new"))).toEqual([
      expect.stringMatching(/^\.shoal-.*\.part$/),
    ]);

    await openTopFiles(top, { hidden: false });
    expect(await readdir(downloads)).toEqual([]);
    expect(await readdir(join(top, "unfinished"))).toEqual([]);
  });

  it("removes at start all that stood side by side, and nothing else there", async () => {
    for (const name of ["a", "b"]) await files.openOutput(name, { overwrite: false });
    const others = [`.shoal-${"0".repeat(32)}-0.part`, "film.part"];
    for (const other of others) await writeFile(join(downloads, other), "");
    await openTopFiles(top, { hidden: false });
    expect((await readdir(downloads)).sort()).toEqual(others);
    expect(await readdir(join(top, "unfinished"))).toEqual([]);
  });

  it("leaves folders at start that were not made for what was unfinished, or in which something stands", async () => {
    await mkdir(join(downloads, "there"));
    await files.openOutput("there/film", { overwrite: false });
    await files.openOutput("films/new/film", { overwrite: false });
    await writeFile(join(downloads, "films/note"), "");
    await openTopFiles(top, { hidden: false });
    expect((await readdir(downloads, { recursive: true })).sort()).toEqual(["films", "films/note", "there"]);
  });

  it("leaves at start a folder at whose name a note breaks off, which was to go on", async () => {
    await mkdir(join(downloads, "films"));
    const text = `${join(downloads, "films of 1999")}\0${join(downloads, "films")}`;
    await writeFile(join(top, "unfinished", `.shoal-${"0".repeat(32)}.part`), text);
    await openTopFiles(top, { hidden: false });
    expect(await readdir(downloads)).toEqual(["films"]);
    expect(await readdir(join(top, "unfinished"))).toEqual([]);
  });

  it("notes an output durably before it makes the file", async () => {
    const made = await watchSyncs(top);
    await files.openOutput("film", { overwrite: false });
    const [note] = await readdir(join(top, "unfinished"));
    expect(made).toEqual([`unfinished/${note} ${downloads}\0`, `unfinished/ ${note}`]);
  });

  it("notes outputs that stand side by side once, until the last is done", async () => {
    const names = ["a", "b", "c"];
    const outputs = await Promise.all(names.map((name) => files.openOutput(name, { overwrite: false })));
    const notes = await readdir(join(top, "unfinished"));
    expect(notes).toHaveLength(1);
    await outputs[0]?.commit(0);
    await outputs[1]?.discard();
    expect(await readdir(join(top, "unfinished"))).toEqual(notes);
    await outputs[2]?.commit(0);
    expect(await readdir(join(top, "unfinished"))).toEqual([]);
    expect((await readdir(downloads)).sort()).toEqual(["a", "c"]);
  });

  it("keeps the note of a temporary file that could not be removed", async () => {
    const [first, second] = [
      await files.openOutput("a", { overwrite: false }),
      await files.openOutput("b", { overwrite: false }),
    ];
    refuse("unlink", "EIO", (path) => path.endsWith("-0.part"));
    await expect(first.discard()).rejects.toMatchObject({ code: "EIO" });
    await second.commit(0);
    expect(await readdir(join(top, "unfinished"))).toHaveLength(1);
  });

  it("opens an output in the folder that stands there now, where another is still in use", async () => {
    const moved = join(top, "moved");
    const before = await files.openOutput("album/a", { overwrite: false });
    await rename(join(downloads, "album"), moved);
    await (await files.openOutput("album/b", { overwrite: false })).commit(0);
    await before.commit(0);
    expect([await readdir(moved), await readdir(join(downloads, "album"))]).toEqual([["a"], ["b"]]);
  });

  it("forgets what has gone since, and leaves alone what is no note of its own", async () => {
    const notes = join(top, "unfinished");
    const note = (digit: string) => join(notes, `.shoal-${digit.repeat(32)}.part`);
    const folders = [join(top, "absent"), join(shared, "open.txt"), downloads, ""];
    await Promise.all(folders.map((folder, index) => writeFile(note(`${index}`), folder)));
    const others = [`${note("a")}.bak`, `${notes}/a.shoal-${"a".repeat(32)}.part`];
    for (const other of others) await writeFile(other, downloads);
    await openTopFiles(top, { hidden: false, onError: (error) => expect.unreachable(String(error)) });
    expect((await readdir(notes)).map((name) => join(notes, name)).sort()).toEqual(others.toSorted());
  });

  it("starts where that can't be removed, says so, and removes it at the next start", async () => {
    const name = `.shoal-${"0".repeat(32)}.part`;
    const notes = join(top, "unfinished");
    await mkdir(join(top, "there"));
    await writeFile(join(top, "there", name), "half");
    await symlink("circle", join(top, "circle"));
    await writeFile(join(notes, name), join(top, "circle"));
    const errors: unknown[] = [];
    await openTopFiles(top, { hidden: false, onError: (error) => errors.push(error) });
    expect([errors, await readdir(notes)]).toMatchObject([[{ code: "ELOOP" }], [name]]);

    await rm(join(top, "circle"));
    await symlink("there", join(top, "circle"));
    await openTopFiles(top, { hidden: false });
    expect([await readdir(notes), await readdir(join(top, "there"))]).toEqual([[], []]);
  });

  it.runIf(process.platform === "linux")("holds nothing open once it is done, or was refused", async () => {
    await (await files.openOutput("a", { overwrite: false })).commit(0);
    await (await files.openOutput("new/b", { overwrite: false })).discard();
    await expect(files.openOutput("a", { overwrite: false })).rejects.toMatchObject({
      name: "output_exists",
    });
    const source = await files.openSource("open.txt");
    for await (const piece of source.stream(new AbortController().signal)) expect(piece).toHaveLength(4);
    await writeFile(join(shared, "other.txt"), "another");
    await rename(join(shared, "other.txt"), join(shared, "open.txt"));
    const changed = source.stream(new AbortController().signal)[Symbol.asyncIterator]();
    await expect(changed.next()).rejects.toMatchObject({ name: "file_missing" });
    expect(await openWithin(top)).toEqual([]);
  });

  it("leaves no note of an output that was committed or discarded", async () => {
    const committed = await files.openOutput("a", { overwrite: false });
    await committed.commit(0);
    await (await files.openOutput("b", { overwrite: false })).discard();
    expect(await readdir(join(top, "unfinished"))).toEqual([]);
    expect(await readdir(downloads)).toEqual(["a"]);
    await expect(committed.write(0, new Uint8Array(1))).rejects.toMatchObject({ name: "stopped" });
  });
});

/** Real paths of files and folders in `folder` that this process has open. */
async function openWithin(folder: string): Promise<string[]> {
  const handles = await readdir("/proc/self/fd");
  // That of the reading itself is closed by now.
  const paths = await Promise.all(handles.map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => "")));
  return paths.filter((path) => path.startsWith(folder));
}

async function spyOnReads(path: string) {
  return vi.spyOn(await handlesLike(path), "read");
}

/** What all open files have in common. */
async function handlesLike(path: string): Promise<FileHandle> {
  const handle = await open(path);
  await handle.close();
  return Object.getPrototypeOf(handle);
}

function openTopFiles(
  top: string,
  { hidden, onError = () => undefined }: { hidden: boolean; onError?: (error: unknown) => void },
): Promise<Files> {
  return openFsFiles({
    shareRoots: [{ path: join(top, "shared"), hidden }],
    downloadRoot: join(top, "downloads"),
    closedPaths: [join(top, "shared/data")],
    unfinishedFolder: join(top, "unfinished"),
    onError,
  });
}
