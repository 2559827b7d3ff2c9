/** The files of segments: how many are open, and until when. */
import { readFile, rename, rm, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { SegmentFiles } from "../../../src/headless/blocks/segment-files.ts";
import { SegmentFolder } from "../../../src/headless/blocks/segment-folder.ts";
import { SegmentHandles } from "../../../src/headless/blocks/segment-handles.ts";
import { DirectFile } from "../../../src/headless/files/direct-file.ts";
import { MAX_OPEN_SEGMENTS } from "../../../src/headless/limits.ts";
import { deferred } from "../../deferred.ts";
import { temporaryFolder } from "../../temporary-folder.ts";
import { openFiles } from "./open-files.ts";

const bytes = new Uint8Array(10).fill(1);

/** A folder of as many segments, and how one of them is read. */
async function openSegments(count: number) {
  const root = await temporaryFolder();
  for (let number = 0; number < count; number++) await writeFile(join(root, String(number)), bytes);
  const segments = await SegmentFiles.open(root);
  onTestFinished(() => segments.close());
  const read = (segment: number) => segments.read({ segment, offset: 0, sizeBytes: bytes.length });
  const readAll = async (...numbers: number[]) => {
    for (const number of numbers) expect(await read(number)).toEqual(bytes);
  };
  return { root, segments, read, readAll, openNumbers: () => openNumbers(root) };
}

const upTo = (end: number) => Array.from({ length: end }, (_, number) => number);

it("has so many open, and closes the one used longest ago for another", async () => {
  const { readAll, openNumbers } = await openSegments(MAX_OPEN_SEGMENTS + 3);
  await readAll(...upTo(MAX_OPEN_SEGMENTS));
  expect(await openNumbers()).toEqual(upTo(MAX_OPEN_SEGMENTS));
  await readAll(0, MAX_OPEN_SEGMENTS, MAX_OPEN_SEGMENTS + 1);
  expect(await openNumbers()).toEqual([0, ...upTo(MAX_OPEN_SEGMENTS + 2).slice(3)]);
  await readAll(1, MAX_OPEN_SEGMENTS + 2);
  expect(await openNumbers()).toEqual([0, 1, ...upTo(MAX_OPEN_SEGMENTS + 3).slice(5)]);
});

it("is not opened with a link to nothing, as to a disk that is not mounted", async () => {
  const root = await temporaryFolder();
  await symlink(join(root, "unmounted", "0"), join(root, "0"));
  await expect(SegmentFiles.open(root)).rejects.toMatchObject({
    name: "start_failed",
    message: expect.stringMatching(/\/0: a link to nothing: mount the disk/),
  });
});

it("closes none that is being used, or has what is not durable yet", async () => {
  const { root, segments, read, readAll, openNumbers } = await openSegments(MAX_OPEN_SEGMENTS + 1);
  const { segment: written } = await segments.append(bytes);
  const { reading, may } = holdRead();
  const held = read(0);
  await reading.promise;
  await readAll(...upTo(MAX_OPEN_SEGMENTS + 1).slice(1));
  expect(await openNumbers()).toEqual([0, ...upTo(MAX_OPEN_SEGMENTS + 2).slice(3)]);
  may.resolve();
  expect(await held).toEqual(bytes);
  await segments.sync(() => expect.unreachable());
  await readAll(...upTo(MAX_OPEN_SEGMENTS + 1));
  expect(await openNumbers()).not.toContain(written);
  expect((await stat(join(root, String(written)))).mode & 0o777).toBe(0o600);
});

it("says which are gone, and has them again when they are back", async () => {
  const { root, read, readAll, openNumbers } = await openSegments(MAX_OPEN_SEGMENTS + 2);
  await rename(join(root, "0"), join(root, "away"));
  expect(await read(0)).toEqual({ why: "gone" });
  await readAll(...upTo(MAX_OPEN_SEGMENTS + 2).slice(1));
  expect(await openNumbers()).toEqual(upTo(MAX_OPEN_SEGMENTS + 2).slice(2));
  await rename(join(root, "away"), join(root, "0"));
  await readAll(0);
  expect(await openNumbers()).toContain(0);
});

it("says of none that it is gone where their folder is, or the disk that a link leads to", async () => {
  const { root, read, readAll } = await openSegments(2);
  const elsewhere = join(await temporaryFolder(), "away");
  await rename(root, elsewhere);
  await expect(read(0)).rejects.toThrow("their disk was unmounted, or they were moved");
  await rename(elsewhere, root);
  await rename(join(root, "0"), elsewhere);
  await symlink(join(root, "unmounted", "0"), join(root, "0"));
  await expect(read(0)).rejects.toThrow("/0: a link to nothing");
  await rename(elsewhere, join(root, "0"));
  await readAll(0, 1);
});

it("says of none that it is gone whose folder comes back between the read and the look at why it failed", async () => {
  const { root, read, readAll } = await openSegments(1);
  const elsewhere = join(await temporaryFolder(), "away");
  await rename(root, elsewhere);
  const open = DirectFile.open.bind(DirectFile);
  vi.spyOn(DirectFile, "open").mockImplementationOnce((...given) =>
    open(...given).finally(() => rename(elsewhere, root)),
  );
  await expect(read(0)).rejects.toThrow("/0: it could not be found, and is back");
  await readAll(0);
});

it("takes a folder of another disk for none of its own: says of none there that it is gone, and makes none", async () => {
  const { root, segments, read, readAll } = await openSegments(2);
  await readAll(0);
  const elsewhere = join(await temporaryFolder(), "away");
  await rename(root, elsewhere);
  // As what comes to light where the disk is unmounted; any folder of another disk will do.
  await symlink("/proc/self/task", root);
  await expect(read(1)).rejects.toThrow("their disk was unmounted");
  await expect(segments.append(bytes)).rejects.toThrow("their disk was unmounted");
  await readAll(0);
  await rm(root);
  await rename(elsewhere, root);
  await readAll(1);
  expect(await segments.read(await segments.append(bytes))).toEqual(bytes);
});

it("opens again what it made and closed, and makes none where another file has come to stand", async () => {
  const { root, segments, readAll } = await openSegments(MAX_OPEN_SEGMENTS);
  const made = await segments.make();
  await readAll(...upTo(MAX_OPEN_SEGMENTS));
  await segments.writeAt({ segment: made, offset: 0 }, bytes);
  await readAll(made);
  await writeFile(join(root, String(made + 1)), "another's");
  await expect(segments.make()).rejects.toMatchObject({ code: "EEXIST" });
  expect(await readFile(join(root, String(made + 1)), "utf8")).toBe("another's");
});

it("has none open when it is closed", async () => {
  const { segments, readAll, openNumbers } = await openSegments(2);
  await readAll(0, 1);
  await segments.close();
  expect(await openNumbers()).toEqual([]);
});

it("makes the name durable, too, of a file that is made while others' names are", async () => {
  const folder = await temporaryFolder();
  const handles = new SegmentHandles(await SegmentFolder.open(folder));
  onTestFinished(() => handles.close());
  const make = (name: string) =>
    handles.use(
      {
        ...{ path: join(folder, name), isOnDisk: false, handle: undefined, users: 0 },
        ...{ isDirty: false, isRemoved: false },
      },
      async () => undefined,
    );
  await make("a");
  await handles.keepNewNames(() => make("b"));
  const keep = vi.fn(async () => undefined);
  await handles.keepNewNames(keep);
  await handles.keepNewNames(keep);
  expect(keep).toHaveBeenCalledOnce();
});

it("lets go of what is removed, without which its room stays taken: at once, or when it has been read", async () => {
  const { segments, read, openNumbers } = await openSegments(2);
  await Promise.all([read(0), read(1)]);
  const { reading, may } = holdRead();
  const late = read(1);
  await reading.promise;
  await segments.remove(0);
  expect(await openNumbers()).toEqual([1]);
  await segments.remove(1);
  may.resolve();
  expect(await late).toEqual(bytes);
  expect(await openNumbers()).toEqual([]);
});

/** The next read waits until it may go on. */
function holdRead() {
  const [reading, may] = [deferred(), deferred()];
  const { read } = DirectFile.prototype;
  vi.spyOn(DirectFile.prototype, "read").mockImplementationOnce(async function (this: DirectFile, ...given) {
    reading.resolve();
    await may.promise;
    return await read.apply(this, given);
  });
  return { reading, may };
}

/** Of the files that are open in the folder, also those that have no name any more. */
async function openNumbers(folder: string): Promise<number[]> {
  const names = await openFiles(folder);
  return names.map((name) => Number.parseInt(name, 10)).sort((a, b) => a - b);
}
