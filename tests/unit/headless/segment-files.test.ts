/** The files of segments: how many are open, and until when. */
import { readdir, readlink, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { DirectFile } from "../../../src/headless/blocks/direct-file.ts";
import { SegmentFiles } from "../../../src/headless/blocks/segment-files.ts";
import { MAX_OPEN_SEGMENTS } from "../../../src/headless/limits.ts";
import { deferred } from "../../deferred.ts";
import { temporaryFolder } from "../../temporary-folder.ts";

const bytes = new Uint8Array(10).fill(1);

it("gives what stands in any of more segments than are open, and says which are gone", async () => {
  const root = await temporaryFolder();
  const numbers = Array.from({ length: MAX_OPEN_SEGMENTS + 2 }, (_, number) => number);
  for (const number of numbers) await writeFile(join(root, String(number)), bytes);
  const segments = await SegmentFiles.open(root);
  onTestFinished(() => segments.close());
  const read = (segment: number) => segments.read({ segment, offset: 0, sizeBytes: bytes.length });
  for (const number of numbers.slice(0, -1)) expect(await read(number)).toEqual(bytes);

  await rm(join(root, String(numbers.length - 1)));
  expect(await read(numbers.length - 1)).toEqual({ why: "gone" });
  expect(await read(0)).toEqual(bytes);
});

it("lets go of what is removed, without which its room stays taken: at once, or when it has been read", async () => {
  const root = await temporaryFolder();
  for (const name of ["0", "1"]) await writeFile(join(root, name), bytes);
  const segments = await SegmentFiles.open(root);
  onTestFinished(() => segments.close());
  const read = (segment: number) => segments.read({ segment, offset: 0, sizeBytes: bytes.length });
  await Promise.all([read(0), read(1)]);
  const [reading, may] = [deferred(), deferred()];
  const { read: readFile } = DirectFile.prototype;
  vi.spyOn(DirectFile.prototype, "read").mockImplementationOnce(async function (this: DirectFile, ...given) {
    reading.resolve();
    await may.promise;
    return await readFile.apply(this, given);
  });
  const late = read(1);
  await reading.promise;
  await segments.remove(0);
  expect(new Set(await openFiles(root))).toEqual(new Set([join(root, "1")]));
  await segments.remove(1);
  may.resolve();
  expect(await late).toEqual(bytes);
  expect(await openFiles(root)).toEqual([]);
});

/** Of this process, also those that have no name any more. */
async function openFiles(folder: string): Promise<string[]> {
  const handles = await readdir("/proc/self/fd");
  const paths = await Promise.all(handles.map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => "")));
  return paths.filter((path) => path.startsWith(folder));
}
