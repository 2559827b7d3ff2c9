/** What every attack must leave behind: a process that lives, answers and never took much memory. */
import { expect } from "vitest";
import type { ShoalProcess } from "../interop/shoal-process.ts";

const MIB = 1024 * 1024;

/**
 * Most resident memory a node may ever have had: the bound of a node that moves a file of any size. Since Node.js 24 V8's young
 * generation grows to 64 MiB in place of 32, and buffers that are garbage lie in it for as much longer.
 */
const MOST_MEMORY_BYTES = (Number.parseInt(process.versions.node, 10) < 24 ? 300 : 360) * MIB;

export async function expectUnharmed(...nodes: ShoalProcess[]): Promise<void> {
  for (const node of nodes) {
    expect(node.isRunning, "the process runs").toBe(true);
    expect(await node.client.health()).toMatchObject({ status: "ok" });
    expect(await node.peakMemoryBytes(), "peak memory").toBeLessThan(MOST_MEMORY_BYTES);
  }
}
