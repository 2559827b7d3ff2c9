/** What the meter counts of the data folder. */
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { startSystemMeter } from "../../../src/headless/system-meter.ts";
import { MemoryBlockStore } from "../../../src/sharing/memory/memory-block-store.ts";
import { temporaryFolder } from "../../temporary-folder.ts";

const NOBODY = 65_534;

it("counts what the node may read of its data folder, which may be a disk of its own with another's lost+found", async () => {
  const folder = await temporaryFolder();
  await mkdir(join(folder, "records"));
  await writeFile(join(folder, "records/log"), new Uint8Array(100));
  await mkdir(join(folder, "lost+found"), { mode: 0o000 });
  await chmod(folder, 0o755);
  const meter = startSystemMeter({
    dataFolder: folder,
    blocks: new MemoryBlockStore(),
    blocksFolder: join(folder, "blocks"),
  });
  onTestFinished(() => meter.stop());
  // Who runs tests as root may read everything.
  const isRoot = process.getuid?.() === 0;
  if (isRoot) process.seteuid?.(NOBODY);
  try {
    expect(await meter.diskBytes()).toBe(100);
  } finally {
    if (isRoot) process.seteuid?.(0);
  }
});
