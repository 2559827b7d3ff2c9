/** The processes that another has started and that still run, as Linux tells them. Used by tests and benchmarks of built nodes. */
import { readFile } from "node:fs/promises";

export async function childrenOf(processId: number): Promise<number[]> {
  const children = await readFile(`/proc/${processId}/task/${processId}/children`, "utf8");
  return children
    .split(" ")
    .filter((id) => id !== "")
    .map(Number);
}
