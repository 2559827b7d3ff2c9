/** Starts a benchmark's child process and reads the one line of JSON that it prints when it is ready or done. */
import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";

export interface JsonChild<T> {
  child: ChildProcess;
  result: T;
}

/** The child lives until it ends by itself or its standard input is closed by `endChild`. */
export async function startJsonChild<T>(command: string, args: string[], cwd: string): Promise<JsonChild<T>> {
  const child = spawn(command, args, { cwd, stdio: ["pipe", "pipe", "inherit"] });
  for await (const line of createInterface({ input: child.stdout })) {
    if (/^[[{]/.test(line)) return { child, result: JSON.parse(line) as T };
  }
  throw new Error(`${command} ${args[0]} ended without a result`);
}

export function endChild({ child }: { child: ChildProcess }): void {
  child.stdin?.end();
}
