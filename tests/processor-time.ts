/** For what takes long only by what it does: on a machine that has others to run, too, more time passes than it takes. */

/** Gives the milliseconds of the processor that this takes, with those of the process's other threads meanwhile. */
export async function processorMs(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
