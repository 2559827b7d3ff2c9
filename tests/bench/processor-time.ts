/** Processor time of a process and of those that it has started, as Linux tells it. Called by the benchmarks of search. */
import { readFile } from "node:fs/promises";
import { childrenOf } from "../interop/child-processes.ts";

/** Ticks of a process's times a second: Linux's USER_HZ. */
const TICKS_PER_SECOND = 100;

/** Of all threads, those that ended too, in milliseconds. */
export async function processorMsOf(processId: number): Promise<number> {
  const fields = (await readFile(`/proc/${processId}/stat`, "utf8")).split(") ").at(-1)?.split(" ") ?? [];
  // The 14th and 15th of all, of which two stand before the bracket.
  return ((Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND) * 1000;
}

/** Of the processes that this one has started and that still run. */
export async function childrenProcessorMsOf(processId: number): Promise<number> {
  const times = await Promise.all((await childrenOf(processId)).map(processorMsOf));
  return times.reduce((all, time) => all + time, 0);
}
