/** Node's own flags for a thread that runs a file, in a program that may not be this node's. Called by start-thread. */

/**
 * Undefined for those of the process. None where its program stands on the command line or comes from a pipe and is told to be a
 * module (`--input-type`), which fits no file; but under Node's permissions those go on, for a thread without them may do all.
 */
export function threadFlags({
  execArgv,
  permission,
}: Pick<NodeJS.Process, "execArgv" | "permission"> = process): string[] | undefined {
  const isTold = execArgv.some((flag) => flag.startsWith("--input-type"));
  return isTold && permission === undefined ? [] : undefined;
}
