/** Runs the command `shoal` to its end, as its users do. Used by the tests of the command line, and of its keys. */
import { execFile } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { COMMAND, type ShoalProcess } from "./shoal-process.ts";

export interface Outcome {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Runs one command to its end, in an environment that holds nothing of the tester's but what is given. */
export function shoal(args: string[], environment: Record<string, string> = {}): Promise<Outcome> {
  const env = { PATH: process.env.PATH, HOME: tmpdir(), ...environment };
  return new Promise((resolve) => {
    execFile(process.execPath, [COMMAND, ...args], { env, cwd: tmpdir() }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr });
    });
  });
}

/** A client command to a node. */
export function on(node: ShoalProcess, ...args: string[]): Promise<Outcome> {
  return shoal([...args, "--data-dir", join(node.folder, "data")]);
}
