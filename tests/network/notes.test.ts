/** Names and invitations between nodes on loopback: src/network/notes. */
import { generateKeyPair } from "@libp2p/crypto/keys";
import type { Stream } from "@libp2p/interface";
import { lpStream } from "@libp2p/utils";
import { describe, expect, it } from "vitest";
import type { Network } from "../../src/network/network.ts";
import { NOTE_BURST } from "../../src/network/notes/limits.ts";
import { encodeNote, NOTE_PROTOCOL } from "../../src/network/notes/note-messages.ts";
import type { SwarmEvent } from "../../src/sharing/ports.ts";
import { HandClock } from "../unit/hand-clock.ts";
import { dial, startBareNode } from "./bare-node.ts";
import { someFile } from "./some-file.ts";
import { close, idOf, join, until, untilConnected } from "./swarm-of-nodes.ts";

const forever = new AbortController().signal;
const unreachable = expect.objectContaining({ name: "peer_unreachable" });

async function pair(
  options: { first?: Parameters<typeof join>[0]; second?: Parameters<typeof join>[0] } = {},
) {
  const first = await join(options.first);
  const second = await join({ bootstrap: first.swarm.addresses(), ...options.second });
  await untilConnected(first, second);
  return { first, second };
}

/** No event tells of a name. */
function untilCalled(by: Network, whom: Network, name: string | undefined): Promise<void> {
  return expect.poll(() => by.swarm.peers().find(({ peerId }) => peerId === idOf(whom))?.name).toBe(name);
}

/** A node of libp2p alone that is connected; `handler` is called with each stream for notes. */
async function bareNode(network: Network, handler?: (stream: Stream) => void) {
  const node = await startBareNode();
  if (handler) await node.handle(NOTE_PROTOCOL, handler);
  await dial(node, network);
  const peerId = node.peerId.toString();
  await until(network.swarm, () => network.swarm.peers().some((peer) => peer.peerId === peerId));
  return peerId;
}

function heard(network: Network) {
  const invitations: Extract<SwarmEvent, { type: "invited" }>[] = [];
  network.swarm.subscribe((event) => {
    if (event.type === "invited") invitations.push(event);
  });
  return invitations;
}

describe("names of nodes", () => {
  it("are told to whoever connects, and again when they change", async () => {
    const first = await join();
    first.swarm.rename("Ada's laptop");
    const second = await join({ bootstrap: first.swarm.addresses() });
    await untilCalled(second, first, "Ada's laptop");
    expect(first.swarm.peers()[0]?.name).toBeUndefined();
    second.swarm.rename("Attic");
    await untilCalled(first, second, "Attic");
    for (const name of ["Loft", "Cellar", ""]) second.swarm.rename(name);
    await untilCalled(first, second, undefined);
  });

  it("are forgotten with the connection", async () => {
    const privateKey = await generateKeyPair("Ed25519");
    const { first, second } = await pair({ second: { privateKey } });
    second.swarm.rename("Attic");
    await untilCalled(first, second, "Attic");
    await close(second);
    await until(first.swarm, () => first.swarm.peers().length === 0);
    const again = await join({ privateKey, bootstrap: first.swarm.addresses() });
    await untilConnected(first, again);
    expect(first.swarm.peers()[0]?.name).toBeUndefined();
  });
});

describe("invitations", () => {
  const file = someFile("minutes.md");

  it("reach the peer alone that they are meant for", async () => {
    const { first, second } = await pair();
    const third = await join({ bootstrap: first.swarm.addresses() });
    await untilConnected(first, third);
    const [atSecond, atThird] = [heard(second), heard(third)];
    await first.swarm.invite(idOf(second), file, forever);
    expect(atSecond).toEqual([{ type: "invited", peerId: idOf(first), file }]);
    expect(atThird).toEqual([]);
  });

  it("are refused by a peer that wants none, whose name comes all the same", async () => {
    const { first, second } = await pair();
    second.swarm.takeInvitations(false);
    await expect(first.swarm.invite(idOf(second), file, forever)).rejects.toEqual(unreachable);
    first.swarm.rename("Loft");
    await untilCalled(second, first, "Loft");
    second.swarm.takeInvitations(true);
    await first.swarm.invite(idOf(second), file, forever);
  });

  it("are refused by a peer of another swarm, and by one that had many of late", async () => {
    const clock = new HandClock();
    const { first, second } = await pair({ second: { clock } });
    const invitations = heard(second);
    for (let count = 0; count < NOTE_BURST; count++)
      await first.swarm.invite(idOf(second), someFile(`${count}`), forever);
    await expect(first.swarm.invite(idOf(second), file, forever)).rejects.toEqual(unreachable);
    expect(invitations).toHaveLength(NOTE_BURST);
    const stranger = await join({ bootstrap: first.swarm.addresses(), swarmName: "other" });
    await untilConnected(first, stranger);
    await expect(stranger.swarm.invite(idOf(first), file, forever)).rejects.toEqual(unreachable);
  });

  it("fail where the peer is gone, knows none, or breaks off", async () => {
    const { first, second } = await pair();
    await close(second);
    await expect(first.swarm.invite(idOf(second), file, forever)).rejects.toEqual(unreachable);
    const old = await bareNode(first);
    const refused = first.swarm.invite(old, file, forever);
    await expect(refused).rejects.toMatchObject({
      name: "peer_unreachable",
      message: "The peer's version takes no invitations",
    });
    const rude = await bareNode(first, (stream) => stream.abort(new Error("no")));
    await expect(first.swarm.invite(rude, file, forever)).rejects.toEqual(unreachable);
  });

  it("end with the signal of who waits", async () => {
    const first = await join();
    const gone = new AbortController();
    const silent = await bareNode(first, () => gone.abort(new Error("left")));
    await expect(first.swarm.invite(silent, file, gone.signal)).rejects.toThrow("left");
  });

  it("that are no notes end their stream, and nothing else", async () => {
    const { first, second } = await pair();
    const invitations = heard(second);
    for (const garbage of [Uint8Array.of(9), encodeNote({ swarm: "test", kind: "name", name: "a\nb" })]) {
      const stream = await first.openStream(idOf(second), NOTE_PROTOCOL, forever);
      const frames = lpStream(stream);
      await frames.write(garbage);
      await expect(frames.read()).rejects.toThrow();
    }
    await first.swarm.invite(idOf(second), file, forever);
    expect(invitations).toHaveLength(1);
    expect(second.swarm.peers()[0]?.name).toBeUndefined();
  });
});
