/** What every attack must leave behind: a process that lives, answers and never took much memory. */
import { expect } from "vitest";
import type { ShoalProcess } from "../interop/shoal-process.ts";

/** Most resident memory a node may ever have had: the bound of a node that moves a file of any size. */
const MOST_MEMORY_BYTES = 300 * 1024 * 1024;

export async function expectUnharmed(...nodes: ShoalProcess[]): Promise<void> {
  for (const node of nodes) {
    expect(node.isRunning, "the process runs").toBe(true);
    expect(await node.client.health()).toMatchObject({ status: "ok" });
    expect(await node.peakMemoryBytes(), "peak memory").toBeLessThan(MOST_MEMORY_BYTES);
  }
}
