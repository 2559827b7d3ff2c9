/** A loopback node for as long as a test runs. */
import { onTestFinished } from "vitest";
import { type LoopbackNode, type LoopbackOptions, startNode } from "./loopback.ts";

export async function testNode(options: LoopbackOptions = {}): Promise<LoopbackNode> {
  const node = await startNode(options);
  onTestFinished(() => node.stop());
  return node;
}
