/** Segments of blocks where more are in use than may be open. */
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { SegmentFiles } from "../../../src/headless/blocks/segment-files.ts";
import { MAX_OPEN_SEGMENTS } from "../../../src/headless/limits.ts";
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
