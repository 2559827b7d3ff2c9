/** What is kept of peers of which libp2p tells late, one service after the other: they may have gone by then. */
import type { Connection, PeerId, Stream, Topology } from "@libp2p/interface";
import { describe, expect, it } from "vitest";
import type { Libp2pNode } from "../../../src/network/libp2p-node.ts";
import { Notes } from "../../../src/network/notes/notes.ts";
import { Unlisted } from "../../../src/network/providers/unlisted.ts";
import { SharingError } from "../../../src/sharing/errors.ts";
import { systemClock } from "../../../src/sharing/system-clock.ts";

const peer = { toString: () => "the peer" } as PeerId;
const unreachable = expect.objectContaining({ name: "peer_unreachable" });

/** Ports of both, and what is seen there: `tell` is libp2p's word of the peer, `asked` who a stream was opened to. */
function ports() {
  const connections: Connection[] = [];
  const asked: string[] = [];
  let topology: Topology | undefined;
  const node = {
    peerId: { toString: () => "this node" },
    handle: async () => undefined,
    register: async (_protocol: string, given: Topology) => {
      topology = given;
    },
    addEventListener: () => undefined,
    getConnections: () => connections,
  } as unknown as Libp2pNode;
  const openStream = async (peerId: string): Promise<Stream> => {
    asked.push(peerId);
    throw new SharingError("peer_unreachable", "nobody there");
  };
  const common = { node, swarm: "test", clock: systemClock, log: () => undefined, openStream };
  const tell = () => topology?.onConnect?.(peer, {} as Connection);
  return { common, asked, tell, connect: () => connections.push({} as Connection) };
}

describe("a peer that is gone when libp2p tells of it", () => {
  it("is told no name, then or later", async () => {
    const { common, asked, tell, connect } = ports();
    const notes = new Notes({ ...common, onInvited: () => undefined });
    await notes.listen();
    notes.rename("Attic");
    tell();
    notes.rename("Loft");
    expect(asked).toEqual([]);
    connect();
    tell();
    expect(asked).toEqual(["the peer"]);
  });

  it("is not taken for one that finds unlisted files", async () => {
    const { common, tell, connect } = ports();
    const unlisted = new Unlisted(common);
    await unlisted.listen();
    const { signal } = new AbortController();
    tell();
    await expect(unlisted.expectAsker("the peer", signal)).rejects.toEqual(unreachable);
    connect();
    tell();
    await unlisted.expectAsker("the peer", signal);
  });
});
