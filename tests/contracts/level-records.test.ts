/** LevelRecords under the contract of records. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import { openLevelRecords } from "../../src/headless/level-records.ts";
import { recordsContract } from "./records.ts";

const folders: string[] = [];
afterAll(async () => {
  for (const folder of folders) await rm(folder, { recursive: true, force: true });
});

recordsContract(async () => {
  const folder = await mkdtemp(join(tmpdir(), "shoal-test-"));
  folders.push(folder);
  return openLevelRecords(folder);
});
