/** Gossipsub's streams to peers, where connections end as these open, or peers don't answer. */
import "../../src/headless/node20-shims.ts";
import type { GossipSub } from "@libp2p/gossipsub";
import type { Connection } from "@libp2p/interface";
import { expect, it } from "vitest";
import { Gossip } from "../../src/network/announcing/gossip.ts";
import type { Libp2pNode } from "../../src/network/libp2p-node.ts";
import { announceTopic } from "../../src/network/swarm-name.ts";
import { systemClock } from "../../src/sharing/system-clock.ts";
import { until } from "../interop/until.ts";
import { startBareNode } from "./bare-node.ts";

/** A part of it that its types don't tell. */
type Inside = GossipSub & { peers: Map<string, unknown> };

const inside = (node: Libp2pNode) => node.services.gossip as Inside;

/**
 * The next connection ends when a stream for gossip has just been opened on it, and is forgotten before whoever opened
 * it goes on. Settles then.
 */
function breakNext(node: Libp2pNode): Promise<void> {
  return new Promise((resolve) => {
    const onOpen = ({ detail: connection }: CustomEvent<Connection>) => {
      const newStream = connection.newStream;
      connection.newStream = async (...wanted) => {
        const stream = await newStream(...wanted);
        if (!stream.protocol.startsWith("/meshsub/")) return stream;
        connection.abort(new Error("the line is cut"));
        await until("it is forgotten", () => !inside(node).peers.has(connection.remotePeer.toString()));
        resolve();
        return stream;
      };
    };
    node.addEventListener("connection:open", onOpen, { once: true });
  });
}

/** Streams for gossip on the next connection are never negotiated. Settles when one is asked for. */
function silenceNext(node: Libp2pNode): Promise<void> {
  return new Promise((resolve) => {
    const onOpen = ({ detail: connection }: CustomEvent<Connection>) => {
      const newStream = connection.newStream;
      connection.newStream = async (protocols, ...wanted) => {
        if (!String(protocols).includes("/meshsub/")) return newStream(protocols, ...wanted);
        resolve();
        return new Promise(() => undefined);
      };
    };
    node.addEventListener("connection:open", onOpen, { once: true });
  });
}

/** Its peers, as they can be sent to. */
function startGossip(node: Libp2pNode): { gossip: Gossip; followers: string[] } {
  const followers: string[] = [];
  const gossip = new Gossip({
    node,
    swarm: "test",
    clock: systemClock,
    isBanned: () => false,
    isOld: () => false,
    onMessage: () => undefined,
    onFollower: (peerId) => followers.push(peerId),
  });
  gossip.start();
  return { gossip, followers };
}

it("a peer whose connection ended as its stream opened hears what is published when it is back", async () => {
  const here = await startBareNode(["/ip4/127.0.0.1/tcp/0"]);
  const visitor = await startBareNode();
  const { gossip, followers } = startGossip(here);
  inside(visitor).subscribe(announceTopic("test"));
  const broken = breakNext(here);
  await visitor.dial(here.getMultiaddrs());
  await broken;
  await until("the connection has ended", () => visitor.getConnections().length === 0);
  await visitor.dial(here.getMultiaddrs());
  await until("it can be sent to", () => followers.includes(visitor.peerId.toString()));
  expect(await gossip.publish(new Uint8Array(1))).toEqual({ reached: 1, missed: 0 });
});

it("a peer that is silent as its stream opens keeps gossip from nobody who comes after it", async () => {
  const here = await startBareNode(["/ip4/127.0.0.1/tcp/0"]);
  const [silent, visitor] = [await startBareNode(), await startBareNode()];
  const { gossip, followers } = startGossip(here);
  for (const node of [silent, visitor]) inside(node).subscribe(announceTopic("test"));
  const silenced = silenceNext(here);
  await silent.dial(here.getMultiaddrs());
  await silenced;
  await visitor.dial(here.getMultiaddrs());
  await until("it can be sent to", () => followers.includes(visitor.peerId.toString()));
  expect((await gossip.publish(new Uint8Array(1))).reached).toBe(1);
});
