/** Attack 7 on a running node: paths of files to share, and paths to download to. */
import { execFileSync } from "node:child_process";
import { link, mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join, relative } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type ShoalProcess, Shoals, transferEnd } from "../interop/shoal-process.ts";
import { expectUnharmed } from "./unharmed.ts";

const SECRET = "outside every root";

let shoals: Shoals;
let node: ShoalProcess;
let seeder: ShoalProcess;
let fileId: string;

const shared = (name: string) => join(node.folder, "shared", name);
const downloads = (name: string) => join(node.folder, "downloads", name);

beforeAll(async () => {
  shoals = new Shoals();
  node = await shoals.start();
  seeder = await shoals.start({ bootstrap: [node] });
  const bytes = new TextEncoder().encode("downloaded");
  fileId = (await seeder.client.upload(bytes, { name: "small.txt" })).file_id;

  await writeFile(join(node.folder, "secret.txt"), SECRET);
  await mkdir(join(node.folder, "shared-not"));
  await writeFile(join(node.folder, "shared-not", "secret.txt"), SECRET);
  await symlink(join(node.folder, "secret.txt"), shared("link.txt"));
  await symlink("/", shared("root"));
  await symlink("link.txt", shared("link-to-link.txt"));
  await symlink(shared("loop"), shared("loop"));
  await symlink("/proc/self/environ", shared("environ"));
  await symlink(join(node.folder, "data"), shared("data"));
  execFileSync("mkfifo", [shared("fifo")]);
  await mkdir(shared("folder"));
  await symlink(node.folder, downloads("out"));
  await symlink(join(node.folder, "not-yet"), downloads("dangling.txt"));
  await writeFile(downloads("mine.txt"), "mine");
  execFileSync("mkfifo", [downloads("fifo")]);
});
afterAll(() => shoals[Symbol.asyncDispose]());
afterEach(() => expectUnharmed(node));

/** The status of a refusal, and that it tells nothing of what is there. */
async function refusal(request: Promise<unknown>): Promise<number> {
  const error = (await request.then(
    () => {
      throw new Error("it was not refused");
    },
    (reason: unknown) => reason,
  )) as { status: number; message: string };
  expect(error.message).not.toContain(node.folder);
  return error.status;
}

describe("a path to share", () => {
  it.each([
    ["beside the root", () => join(node.folder, "secret.txt")],
    ["in a folder whose name begins like the root's", () => join(node.folder, "shared-not", "secret.txt")],
    ["that climbs out of the root", () => shared("../secret.txt")],
    ["that climbs out, relative", () => relative(process.cwd(), join(node.folder, "secret.txt"))],
    ["of a link that leads out", () => shared("link.txt")],
    ["of a link to such a link", () => shared("link-to-link.txt")],
    ["through a linked folder", () => shared(`root${node.folder}/secret.txt`)],
    ["of a link to the process's environment", () => shared("environ")],
    ["of a link to itself", () => shared("loop")],
    ["of the environment", () => "/proc/self/environ"],
    ["of a device", () => "/dev/zero"],
    ["of kernel settings", () => "/sys/kernel/notes"],
    ["of the node's key", () => join(node.folder, "data", "node.key")],
    ["of the run's key, through a link", () => shared("data/running.json")],
    ["outside that is not there", () => join(node.folder, "nothing-here")],
    ["on a drive", () => "C:\\secret.txt"],
    ["on another host", () => "\\\\host\\share\\secret.txt"],
    ["with a trailing dot", () => shared("folder/small.txt.")],
    ["with a trailing space", () => shared("folder /small.txt")],
  ])("%s is refused", async (_what, path) => {
    expect(await refusal(node.client.share(path()))).toBe(403);
    expect((await node.client.files()).files).toEqual([]);
  });

  it.each([
    ["with NUL", () => shared("x\0.txt"), [400]],
    ["with a line feed", () => shared("x\n.txt"), [400]],
    ["longer than any path", () => shared("x".repeat(5000)), [400]],
    ["that is empty", () => "", [400]],
    ["of a folder", () => shared("folder"), [400, 403, 404]],
    ["of a FIFO", () => shared("fifo"), [400, 403, 404]],
    ["inside that is not there", () => shared("nothing-here"), [404]],
  ])("%s is refused and nothing waits for it", async (_what, path, statuses) => {
    expect(statuses).toContain(await refusal(node.client.share(path())));
    expect((await node.client.files()).files).toEqual([]);
  });

  it("of a socket is refused", async () => {
    const server = createServer().listen(shared("socket"));
    await new Promise((resolve) => server.once("listening", resolve));
    expect([400, 403, 404]).toContain(await refusal(node.client.share(shared("socket"))));
    server.close();
  });
});

describe("a path to download to", () => {
  const download = (path: string, overwrite = false) =>
    node.client.download({ file_id: fileId, output_path: path, overwrite });

  it.each([
    ["that climbs out", () => "../escaped.txt"],
    ["that climbs out further in", () => "folder/../../escaped.txt"],
    ["elsewhere", () => join(node.folder, "escaped.txt")],
    ["through a linked folder", () => "out/escaped.txt"],
    ["in the data folder", () => join(node.folder, "data", "api-keys", "escaped.txt")],
    ["in the data folder, through a link", () => "out/data/escaped.txt"],
    ["in another process", () => "/proc/self/fd/1"],
    ["of a device", () => "/dev/full"],
    ["on a drive", () => "C:\\escaped.txt"],
    ["with a trailing dot", () => "escaped.txt."],
  ])("%s is refused, overwriting or not", async (_what, path) => {
    for (const overwrite of [false, true]) expect(await refusal(download(path(), overwrite))).toBe(403);
    expect((await node.client.transfers({ all: true })).transfers).toEqual([]);
    expect(await readdir(node.folder)).not.toContain("escaped.txt");
    expect(await readdir(node.folder)).not.toContain("not-yet");
  });

  it.each([
    ["NUL", "x\0y"],
    ["nothing", ""],
    ["more than a path has", "y/".repeat(3000)],
  ])("with %s is refused", async (_what, path) => {
    expect(await refusal(download(path))).toBe(400);
  });

  it("where a file is leaves that file as it is", async () => {
    expect(await refusal(download("mine.txt"))).toBe(409);
    expect(await readFile(downloads("mine.txt"), "utf8")).toBe("mine");
  });

  it.each([
    ["a FIFO", "fifo"],
    ["a linked folder", "out"],
    ["a link that leads nowhere", "dangling.txt"],
  ])("where %s is leaves it alone", async (_what, name) => {
    for (const overwrite of [false, true]) {
      expect([400, 403, 409]).toContain(await refusal(download(name, overwrite)));
    }
    expect(await readdir(node.folder)).not.toContain("not-yet");
  });

  it("that is overwritten by will is replaced, and other names of the old file keep its bytes", async () => {
    await link(downloads("mine.txt"), join(node.folder, "other-name.txt"));
    const { transfer_id } = await download("mine.txt", true);
    expect(await transferEnd(node, transfer_id)).toMatchObject({ status: "completed" });
    expect(await readFile(downloads("mine.txt"), "utf8")).toBe("downloaded");
    expect(await readFile(join(node.folder, "other-name.txt"), "utf8")).toBe("mine");
  });
});
