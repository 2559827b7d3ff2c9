import { describe, expect, it } from "vitest";
import { someFile } from "./some-file.ts";
import { close, holdersOf, idOf, openNode, until } from "./swarm-of-nodes.ts";

describe("a swarm of nodes on loopback", () => {
  it("shows a file shared before the nodes met", async () => {
    const a = await openNode();
    const file = someFile("before");
    a.swarm.announce(file);
    const b = await openNode({ bootstrap: a.swarm.addresses() });
    await until(b.swarm, () => holdersOf(b, file).length > 0);
    expect(b.swarm.offer(file.fileId)).toEqual({
      fileId: file.fileId,
      name: "before",
      sizeBytes: 1234,
      chunkCount: 1,
      completeHolders: [idOf(a)],
      partialHolders: [],
    });
  });

  it("shows a file shared after the nodes met, and its withdrawal", async () => {
    const a = await openNode();
    const b = await openNode({ bootstrap: a.swarm.addresses() });
    await until(a.swarm, () => a.swarm.peers().length === 1);
    const file = someFile("after");
    a.swarm.announce(file);
    await until(b.swarm, () => holdersOf(b, file).includes(idOf(a)));
    a.swarm.withdraw(file.fileId);
    await until(b.swarm, () => b.swarm.offers().length === 0);
    expect(b.swarm.offer(file.fileId)).toBeUndefined();
  });

  it("ends the entries of a node that stops", async () => {
    const a = await openNode();
    const b = await openNode({ bootstrap: a.swarm.addresses() });
    const file = someFile("leaving");
    a.swarm.announce(file);
    await until(b.swarm, () => holdersOf(b, file).length === 1);
    await close(a);
    await until(b.swarm, () => b.swarm.offers().length === 0);
    expect(b.swarm.peers()).toEqual([]);
  });
});
