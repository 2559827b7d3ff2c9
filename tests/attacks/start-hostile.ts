/** Hostile nodes that are stopped after the test that started them. */
import { onTestFinished } from "vitest";
import { HostileNode } from "./hostile-node.ts";

export async function startHostile(from?: string): Promise<HostileNode> {
  const hostile = await HostileNode.start(from);
  onTestFinished(() => hostile.stop());
  return hostile;
}
