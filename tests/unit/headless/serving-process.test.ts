/** The child process that the model of search runs in, as its host ends it. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { childProgram } from "../../child-program.ts";

it("keeps the process that ends it alive until it has ended", async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [childProgram("process-ender")]);
  expect(stdout).toBe("ended\n");
});
