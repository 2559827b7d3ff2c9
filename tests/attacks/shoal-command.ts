/** The built command run to its end, for attacks on its command line and for keys; called by the attack tests. */
import { execFile } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";

const COMMAND = join(import.meta.dirname, "../../dist/headless/shoal.js");

export interface Outcome {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs one command in an environment that holds nothing of the tester's. */
export function runShoal(...args: string[]): Promise<Outcome> {
  const env = { PATH: process.env.PATH, HOME: tmpdir() };
  return new Promise((resolve) => {
    execFile(process.execPath, [COMMAND, ...args], { env, cwd: tmpdir() }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr });
    });
  });
}
