/** What nodes on loopback tell one another of their files: src/network/announcing. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { generateKeyPair } from "@libp2p/crypto/keys";
import { describe, expect, it } from "vitest";
import { announceTopic } from "../../src/network/swarm-name.ts";
import { childProgram } from "../child-program.ts";
import { dial, startBareNode } from "./bare-node.ts";
import { someFile } from "./some-file.ts";
import { close, holdersOf, idOf, join, until, untilConnected } from "./swarm-of-nodes.ts";

describe("a swarm of nodes on loopback", () => {
  it("shows a file shared before the nodes met", async () => {
    const a = await join();
    const file = someFile("before");
    a.swarm.announce(file);
    const b = await join({ bootstrap: a.swarm.addresses() });
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
    const a = await join();
    const b = await join({ bootstrap: a.swarm.addresses() });
    await untilConnected(a, b);
    const file = someFile("after");
    a.swarm.announce(file);
    await until(b.swarm, () => holdersOf(b, file).includes(idOf(a)));
    a.swarm.withdraw(file.fileId);
    await until(b.swarm, () => b.swarm.offers().length === 0);
    expect(b.swarm.offer(file.fileId)).toBeUndefined();
  });

  it("moves a holder from partial to complete when it is announced again", async () => {
    const a = await join();
    const b = await join({ bootstrap: a.swarm.addresses() });
    const file = someFile("growing", { complete: false });
    a.swarm.announce(file);
    await until(b.swarm, () => b.swarm.offer(file.fileId)?.partialHolders.includes(idOf(a)) ?? false);
    a.swarm.announce({ ...file, complete: true });
    await until(b.swarm, () => b.swarm.offer(file.fileId)?.completeHolders.includes(idOf(a)) ?? false);
    expect(b.swarm.offer(file.fileId)?.partialHolders).toEqual([]);
  });

  it("counts what a peer announces as its available files", async () => {
    const a = await join();
    for (let i = 0; i < 700; i++) a.swarm.announce(someFile(`file ${i}`));
    const b = await join({ bootstrap: a.swarm.addresses() });
    await until(b.swarm, () => b.swarm.peers()[0]?.filesAvailable === 700);
    for (let i = 700; i < 1500; i++) a.swarm.announce(someFile(`file ${i}`));
    await until(b.swarm, () => b.swarm.peers()[0]?.filesAvailable === 1500);
    expect(b.swarm.offers()).toHaveLength(1500);
  });

  it("shows what a file is about to nodes that are there, and to one that comes later", async () => {
    const a = await join();
    const b = await join({ bootstrap: a.swarm.addresses() });
    await untilConnected(a, b);
    const file = someFile("bread.pdf");
    a.swarm.announce(file);
    a.swarm.describe(file.fileId, "Flour,\u202e water\n and salt.");
    const c = await join({ bootstrap: a.swarm.addresses() });
    for (const { swarm } of [b, c]) {
      await until(swarm, () => swarm.offer(file.fileId)?.excerpt === "Flour, water and salt.");
    }
    a.swarm.describe(file.fileId, "");
    await until(b.swarm, () => b.swarm.offer(file.fileId)?.excerpt === undefined);
    expect(b.swarm.offers()).toHaveLength(1);
  });

  it("forgets what a file is about once its only holder started anew and tells nothing of it", async () => {
    const privateKey = await generateKeyPair("Ed25519");
    const b = await join();
    const file = someFile("bread.pdf");
    const a = await join({ privateKey, bootstrap: b.swarm.addresses() });
    a.swarm.announce(file);
    a.swarm.describe(file.fileId, "Flour, water and salt.");
    await until(b.swarm, () => b.swarm.offer(file.fileId)?.excerpt !== undefined);
    await close(a);
    const again = await join({ privateKey, bootstrap: b.swarm.addresses() });
    again.swarm.announce(file);
    await until(b.swarm, () => {
      const offer = b.swarm.offer(file.fileId);
      return offer !== undefined && offer.excerpt === undefined;
    });
  });

  it("ends the entries of a node that stops", async () => {
    const a = await join();
    const b = await join({ bootstrap: a.swarm.addresses() });
    const file = someFile("leaving");
    a.swarm.announce(file);
    await until(b.swarm, () => holdersOf(b, file).length === 1);
    const gone = until(b.swarm, (event) => event?.type === "peer_disconnected");
    await close(a);
    await until(b.swarm, () => b.swarm.offers().length === 0);
    await gone;
    expect(b.swarm.peers()).toEqual([]);
  });

  it("ends the entries of a node that is killed", async () => {
    const doomed = spawn(process.execPath, [childProgram("lone-node")], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const [line] = await once(createInterface(doomed.stdout), "line");
    const b = await join({ bootstrap: JSON.parse(line) });
    const file = someFile("doomed");
    await until(b.swarm, () => holdersOf(b, file).length === 1);
    doomed.kill("SIGKILL");
    await until(b.swarm, () => b.swarm.offers().length === 0);
    expect(b.swarm.offer(file.fileId)).toBeUndefined();
  });

  it("tells a node that joins late of everything, from everyone", async () => {
    const a = await join();
    const b = await join({ bootstrap: a.swarm.addresses() });
    const file = someFile("both have it");
    const own = someFile("of b alone");
    a.swarm.announce(file);
    b.swarm.announce(file);
    b.swarm.announce(own);
    await until(a.swarm, () => holdersOf(a, own).length === 1);
    const late = await join({ bootstrap: a.swarm.addresses() });
    await until(late.swarm, () => holdersOf(late, file).length === 2 && holdersOf(late, own).length === 1);
    expect(holdersOf(late, file)).toEqual([idOf(a), idOf(b)].sort());
  });

  it("of another name hears nothing, though connected", async () => {
    const a = await join();
    const other = await join({ bootstrap: a.swarm.addresses(), swarmName: "other" });
    const same = await join({ bootstrap: a.swarm.addresses() });
    a.swarm.announce(someFile("for one swarm"));
    await until(same.swarm, () => same.swarm.offers().length === 1);
    await untilConnected(other, a);
    expect(other.swarm.offers()).toEqual([]);
    // Nor does either count as one of the other's swarm.
    const met = ({ swarm }: typeof a, peer: typeof a) =>
      swarm.peers().find(({ peerId }) => peerId === idOf(peer))?.isInSwarm;
    expect([met(same, a), met(other, a), met(a, other)]).toEqual([true, false, false]);
  });

  it("counts who follows what it says, also one that has told nothing of its own", async () => {
    const a = await join();
    const bare = await startBareNode();
    await dial(bare, a);
    const isInSwarm = () =>
      a.swarm.peers().find(({ peerId }) => peerId === bare.peerId.toString())?.isInSwarm;
    await expect.poll(isInSwarm).toBe(false);
    bare.services.gossip.subscribe(announceTopic(a.swarm.name));
    await expect.poll(isInSwarm).toBe(true);
  });

  it("refuses swarm names that could not stand in a topic", async () => {
    for (const swarmName of ["", "a/b", "A", "-a", "x".repeat(65), "ü", "a\n"]) {
      await expect(join({ swarmName })).rejects.toMatchObject({ name: "bad_request" });
    }
  });
});
