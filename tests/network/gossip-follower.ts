/** When what a bare libp2p node publishes begins to be heard. Waited for by hostile nodes, which gossip by hand. */
import type { GossipSub } from "@libp2p/gossipsub";
import type { Libp2pNode } from "../../src/network/libp2p-node.ts";
import { until } from "../interop/until.ts";

/** Follows the topic and settles once a peer that follows it too can be sent to; to be called before one connects. */
export async function untilFollowed(node: Libp2pNode, topicName: string): Promise<void> {
  const gossip = node.services.gossip as GossipSub & { streamsOutbound: Map<string, unknown> };
  gossip.subscribe(topicName);
  const follower = await new Promise<string>((resolve) => {
    gossip.addEventListener("subscription-change", ({ detail }) => {
      const follows = detail.subscriptions.some(({ topic, subscribe }) => topic === topicName && subscribe);
      if (follows) resolve(detail.peerId.toString());
    });
  });
  await until("there is a stream to publish on", () => gossip.streamsOutbound.has(follower));
}
