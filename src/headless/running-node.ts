/**
 * How our own commands find the node that runs on this machine: a file in the data folder, for its owner alone,
 * with the API's address and a key of this run. Written by open-api while the API is served; read by the commands.
 */
import { readFile, rm } from "node:fs/promises";
import { z } from "zod";
import { hasCode } from "./files/disk-errors.ts";
import { replaceFile } from "./files/durable.ts";

const runningNodeSchema = z.object({ url: z.url(), key: z.string(), pid: z.int() });

export type RunningNode = z.output<typeof runningNodeSchema>;

export async function writeRunningNode(file: string, running: RunningNode): Promise<void> {
  await replaceFile(file, new TextEncoder().encode(JSON.stringify(running)));
}

/** Leaves what another process has written in its place. */
export async function removeRunningNode(file: string, { key }: Pick<RunningNode, "key">): Promise<void> {
  if ((await readRunningNode(file))?.key === key) await rm(file, { force: true });
}

/** Is what the file tells of a process that still runs? */
export async function isNodeRunning(file: string): Promise<boolean> {
  const running = await readRunningNode(file);
  return running !== undefined && isProcess(running.pid);
}

function isProcess(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // Somebody else's.
    return hasCode(error, "EPERM");
  }
}

/** Undefined when no node runs there that serves its API, or it left a file that is not whole. */
export async function readRunningNode(file: string): Promise<RunningNode | undefined> {
  try {
    return runningNodeSchema.parse(JSON.parse(await readFile(file, "utf8")));
  } catch (error) {
    if (hasCode(error, "ENOENT", "ENOTDIR") || error instanceof SyntaxError || error instanceof z.ZodError) {
      return undefined;
    }
    throw error;
  }
}
