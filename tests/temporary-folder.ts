/** A folder that is removed when the test that asked for it has ended. Called by tests of whatever lies on a disk. */
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

export async function temporaryFolder(): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "shoal-test-")));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
