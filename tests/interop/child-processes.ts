/** Processes as Linux tells them: what they have started, whether they run, what they took. Used by tests and benchmarks. */
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";

/** Ticks of a process's times a second: Linux's USER_HZ. */
const TICKS_PER_SECOND = 100;

/** Those that it has started and that still run; `program`: those alone in whose command it stands. */
export async function childrenOf(processId: number, program = ""): Promise<number[]> {
  const children = await readFile(`/proc/${processId}/task/${processId}/children`, "utf8");
  const ids = children
    .split(" ")
    .filter((id) => id !== "")
    .map(Number);
  const commands = await Promise.all(
    ids.map((id) => readFile(`/proc/${id}/cmdline`, "utf8").catch(() => "")),
  );
  return ids.filter((_id, at) => commands[at]?.includes(program));
}

export function isThere(processId: number): boolean {
  return existsSync(`/proc/${processId}`);
}

/** Such as `R` (running) and `S` (waiting), and the processor time of all its threads, those that ended too. */
export async function stateOf(processId: number): Promise<{ state: string; processorMs: number }> {
  // The name before them, in brackets, may hold anything.
  const [, told = ""] = /^.*\) (.*)$/s.exec(await readFile(`/proc/${processId}/stat`, "utf8")) ?? [];
  const fields = told.split(" ");
  const ticks = Number(fields[11]) + Number(fields[12]);
  return { state: fields[0] ?? "", processorMs: (ticks / TICKS_PER_SECOND) * 1000 };
}
