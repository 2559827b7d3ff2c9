/** What becomes of a WebSocket between two nodes when one of them will have no more of the other. */
import { describe, expect, it } from "vitest";
import type { Libp2pNode } from "../../src/network/libp2p-node.ts";
import { dial, startBareNode } from "./bare-node.ts";
import { join } from "./swarm-of-nodes.ts";

/** Shorter than the ten seconds after which a node that asks whether the other is there would find out as well. */
const TIMEOUT_MS = 8000;

const LISTEN = ["/ip4/127.0.0.1/tcp/0/ws"];

/** Settles with the address of its next connection that ends; it asks nobody whether they are still there. */
function lost(node: Libp2pNode): Promise<string> {
  return new Promise((resolve) => {
    node.addEventListener("connection:close", ({ detail }) => resolve(detail.remoteAddr.toString()));
  });
}

describe("a peer that is banned loses its WebSocket at once", { timeout: TIMEOUT_MS }, () => {
  it("when it was the one that dialled", async () => {
    const banning = await join({ listen: LISTEN });
    const banned = await startBareNode();
    const end = lost(banned);
    await dial(banned, banning);
    banning.swarm.ban(banned.peerId.toString(), 60_000);
    expect(await end).toContain("/ws");
  });

  it("when it was dialled", async () => {
    const banning = await join({ listen: [] });
    const banned = await startBareNode(LISTEN);
    const end = lost(banned);
    await banning.swarm.connect(`${banned.getMultiaddrs()[0]}`, AbortSignal.timeout(10_000));
    banning.swarm.ban(banned.peerId.toString(), 60_000);
    expect(await end).toContain("/tcp/");
  });
});
