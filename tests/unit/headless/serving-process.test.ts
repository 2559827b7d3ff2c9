/** The child process that the model of search runs in, as its host ends it. */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";

const script = join(import.meta.dirname, "process-ender.child.ts");

it("keeps the process that ends it alive until it has ended", async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ["--import", "tsx", script]);
  expect(stdout).toBe("ended\n");
});
