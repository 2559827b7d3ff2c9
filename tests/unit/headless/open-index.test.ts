/** When the index of a headless node starts: with the first request for it, or at once where one is stored. */
import { readdir, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { expect, onTestFinished, test, vi } from "vitest";
import { openDataFolder } from "../../../src/headless/data-folder.ts";
import { openIndex } from "../../../src/headless/index/open-index.ts";
import { createLog } from "../../../src/headless/log.ts";
import { loadSettings } from "../../../src/headless/settings/load-settings.ts";
import { Closers } from "../../../src/sharing/closers.ts";
import { FAILURE_LOOK_MS } from "../../../src/vx/limits.ts";
import { metadataText } from "../../../src/vx/results.ts";
import { eventually } from "../../eventually.ts";
import { temporaryFolder } from "../../temporary-folder.ts";

async function start(dataDir: string, dimension: number, makeNow = false, flags = {}) {
  const closers = new Closers((error) => expect(error).toBeUndefined());
  onTestFinished(() => closers.closeAll());
  const settings = await loadSettings({
    flags: { "vx-dimension": String(dimension), ...flags },
    environment: {},
  });
  const folder = await openDataFolder(dataDir);
  const lines: string[] = [];
  const log = createLog("info", (line) => lines.push(line));
  const { index, ready } = await openIndex(settings, { folder, log, closers, makeNow });
  await ready;
  const stored = async () => (await readdir(folder.indexFolder)).filter((name) => name === "snapshot");
  return { index, folder, lines, stored, stop: () => closers.closeAll() };
}

test("an index that nobody asks for is not made, and its metrics say that it is empty", async () => {
  const node = await start(join(await temporaryFolder(), "data"), 3);
  expect(await node.index.collectMetrics()).toMatchObject({ vector_count: 0, dimension: 3 });
  expect(await node.stored()).toEqual([]);
});

test("an index is made by the first request for it, and opened at once by the next start", async () => {
  const dataDir = join(await temporaryFolder(), "data");
  const node = await start(dataDir, 3);
  await node.index.add(1, [1, 2, 3]);
  expect(await node.stored()).toEqual(["snapshot"]);
  await node.stop();
  await expect(start(dataDir, 4)).rejects.toMatchObject({ code: "dimension_mismatch" });
  const again = await start(dataDir, 3);
  expect(await again.index.collectMetrics()).toMatchObject({ vector_count: 1 });
});

test("an index whose thread is lost is opened again, and the log says so", async () => {
  const told = vi.spyOn(Worker.prototype, "once");
  const node = await start(join(await temporaryFolder(), "data"), 3, true);
  await node.index.add(1, [1, 2, 3]);
  const thread = told.mock.contexts[0] as Worker;
  thread.emit("error", new Error("out of memory"));
  await thread.terminate();
  await expect.poll(() => node.index.get(1).catch(() => undefined)).toMatchObject({ id: 1 });
  expect(node.lines).toContainEqual(expect.stringContaining("the index's thread was lost"));
});

test("an index that nobody has asked for yet is kept from others, and made by the first request all the same", async () => {
  const dataDir = join(await temporaryFolder(), "data");
  const node = await start(dataDir, 3);
  const index = join(dataDir, "index");
  const message = `${index}: The index is in use: another has it open`;
  await expect(start(dataDir, 3, true)).rejects.toMatchObject({ code: "conflict", message });
  await expect(start(dataDir, 3)).rejects.toMatchObject({ code: "conflict", message });
  await node.index.add(1, [1, 2, 3]);
  expect(await node.stored()).toEqual(["snapshot"]);
  await expect(start(dataDir, 3, true)).rejects.toMatchObject({ code: "conflict" });
  await node.stop();
  const again = await start(dataDir, 3, true);
  expect(await again.index.get(1)).toMatchObject({ id: 1 });
});

test("an index that nobody asked for is let go of at the end", async () => {
  const dataDir = join(await temporaryFolder(), "data");
  await (await start(dataDir, 3)).stop();
  expect(await (await start(dataDir, 3, true)).stored()).toEqual(["snapshot"]);
});

test("an index hands on what is stored of metadata, and parses none", async () => {
  const { index } = await start(join(await temporaryFolder(), "data"), 3);
  await index.add(1, [1, 2, 3], '{"a": 1.0}');
  const found = [...(await index.search([1, 2, 3])), await index.get(1)];
  expect(found.map((record) => record?.metadata)).toEqual([{}, {}]);
  expect(found.map((record) => metadataText(record?.metadata ?? {}))).toEqual(['{"a": 1.0}', '{"a": 1.0}']);
});

test("the index alone is made at its start", async () => {
  const node = await start(join(await temporaryFolder(), "data"), 3, true);
  expect(await node.stored()).toEqual(["snapshot"]);
});

test("a backup that the schedule cannot make is told in the log", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const dataDir = join(await temporaryFolder(), "data");
  const node = await start(dataDir, 3, true, { "vx-backup-interval": "50ms" });
  const backups = join(node.folder.indexFolder, "backups");
  await rm(backups, { recursive: true });
  await writeFile(backups, "");
  await node.index.add(1, [1, 2, 3]);
  // The index's thread has clocks of its own.
  const isTold = async () => {
    await vi.advanceTimersByTimeAsync(FAILURE_LOOK_MS);
    expect(node.lines.join("")).toMatch(
      /"task":"backup".*"reason":"The folder of the backup .* cannot be made or written to"/,
    );
  };
  await eventually(isTold);
});

test.each([
  ["vx-storage-path", "/dev/null/vx", "the index's folder"],
  ["vx-storage-path", "/proc/shoal", "the index's folder"],
  ["vx-backup-path", "/dev/null/vx", "the folder of backups"],
])("a folder that can't be had is told with what it is for: %s %s", async (flag, path, what) => {
  const dataDir = join(await temporaryFolder(), "data");
  await expect(start(dataDir, 3, false, { [flag]: path })).rejects.toMatchObject({
    name: "start_failed",
    message: expect.stringMatching(new RegExp(`^cannot use ${what} ${path}: E`)),
  });
});

test("a file where the index's folder is to be is told with its path", async () => {
  const root = await temporaryFolder();
  const [file, link] = [join(root, "file"), join(root, "link")];
  await writeFile(file, "");
  await symlink(join(root, "none"), link);
  for (const path of [file, link]) {
    const opening = start(join(root, "data"), 3, false, { "vx-storage-path": path, "vx-backup-path": root });
    await expect(opening).rejects.toMatchObject({
      code: "invalid_request",
      message: `${path}: A file stands where the folder of the index is to be, or one above it`,
    });
  }
});
