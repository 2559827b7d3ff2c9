/** What gossipsub remembers of peers that have left, which by its own defaults is all of them for an hour. */
import type { GossipSub } from "@libp2p/gossipsub";
import { expect, it, onTestFinished, vi } from "vitest";
import { SCORE_KEPT_MS } from "../../src/network/limits.ts";
import { announceTopic } from "../../src/network/swarm-name.ts";
import { HostileNode } from "../attacks/hostile-node.ts";
import { until } from "../interop/until.ts";

/** Parts of it that its types don't tell. */
type Inside = GossipSub & { score: { peerStats: Map<string, unknown>; refreshScores(): void } };

it("a peer that left is forgotten within a minute", async () => {
  const [here, visitor] = await Promise.all([
    HostileNode.start(undefined, ["/ip4/127.0.0.1/tcp/0"]),
    HostileNode.start(),
  ]);
  onTestFinished(async () => {
    vi.useRealTimers();
    await Promise.all([here.stop(), visitor.stop()]);
  });
  const { score } = here.node.services.gossip as Inside;
  const followed = here.followed();
  visitor.node.services.gossip.subscribe(announceTopic("main"));
  await visitor.node.dial(here.node.getMultiaddrs());
  await followed;
  expect(score.peerStats.has(visitor.id)).toBe(true);
  await visitor.stop();
  await until("it has left", () => !here.isConnectedTo(visitor.id));
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + SCORE_KEPT_MS + 1_000 });
  score.refreshScores();
  expect(score.peerStats.has(visitor.id)).toBe(false);
});
