/** Loopback nodes for as long as a test runs, alone and in pairs. */
import { onTestFinished } from "vitest";
import type { BlockSource, PeerSession } from "../../../src/sharing/ports.ts";
import {
  type Block,
  connect,
  type LoopbackNode,
  type LoopbackOptions,
  startNode,
  wanted,
} from "./loopback.ts";

export async function testNode(options: LoopbackOptions = {}): Promise<LoopbackNode> {
  const node = await startNode(options);
  onTestFinished(() => node.stop());
  return node;
}

/** Who serves, who asks, and the asker's session. */
export interface TestPair {
  server: LoopbackNode;
  asker: LoopbackNode;
  session: PeerSession;
}

export async function testPair(
  source: BlockSource,
  options: { server?: LoopbackOptions; asker?: LoopbackOptions } = {},
): Promise<TestPair> {
  const [server, asker] = await Promise.all([testNode(options.server), testNode(options.asker)]);
  server.exchange.serve(source);
  await connect(asker, server);
  const session = await asker.exchange.openSession(server.peerId, new AbortController().signal);
  return { server, asker, session };
}

export function fetchAll(session: PeerSession, blocks: Block[]): Promise<Uint8Array[]> {
  return Promise.all(blocks.map((block) => session.fetch(wanted(block))));
}
