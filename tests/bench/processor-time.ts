/** Processor time of a process and of those that it has started. Called by the benchmarks of search. */
import { childrenOf, stateOf } from "../interop/child-processes.ts";

/** Of all threads, those that ended too, in milliseconds. */
export async function processorMsOf(processId: number): Promise<number> {
  return (await stateOf(processId)).processorMs;
}

/** Of the processes that this one has started and that still run. */
export async function childrenProcessorMsOf(processId: number): Promise<number> {
  const times = await Promise.all((await childrenOf(processId)).map(processorMsOf));
  return times.reduce((all, time) => all + time, 0);
}
