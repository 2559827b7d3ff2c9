/** Work of a command that a signal to its process ends. Called by save and watching. */
import type { CommandError } from "../command-error.ts";

/**
 * Each of these signals, the first time that it comes, aborts the work's own and is not the process's end.
 * @throws the error of the signal that came, whatever the work throws then
 */
export async function unlessSignalled<T>(
  errors: Partial<Record<NodeJS.Signals, CommandError>>,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const ending = new AbortController();
  const leave = (signal: NodeJS.Signals) => ending.abort(errors[signal]);
  const signals = Object.keys(errors) as NodeJS.Signals[];
  for (const signal of signals) process.once(signal, leave);
  try {
    return await work(ending.signal);
  } catch (error) {
    throw ending.signal.aborted ? ending.signal.reason : error;
  } finally {
    for (const signal of signals) process.off(signal, leave);
  }
}
