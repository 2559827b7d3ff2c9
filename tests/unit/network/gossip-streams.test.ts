/** Of whom is told that gossip can be sent to it: src/network/announcing/gossip-streams. */
import type { Connection, PeerId } from "@libp2p/interface";
import { peerIdFromString } from "@libp2p/peer-id";
import { expect, it } from "vitest";
import { mendStreams, type OpenGossip } from "../../../src/network/announcing/gossip-streams.ts";
import type { Libp2pNode } from "../../../src/network/libp2p-node.ts";
import { settled } from "../hand-clock.ts";

const PEER = peerIdFromString("12D3KooWGRUaQnVUpk3tWkYmhrGCqZSdrfTdAWRNgR2NrjVKVVvS");

it("tells once of a peer that can be sent to, and again only after its stream has ended", async () => {
  const streamsOutbound = new Map<string, object>();
  let status = "open";
  const gossip = {
    streamsOutbound,
    createOutboundStream: async (peerId: PeerId) => {
      if (!streamsOutbound.has(peerId.toString()))
        streamsOutbound.set(peerId.toString(), { rawStream: { status } });
    },
  } as unknown as OpenGossip;
  const told: string[] = [];
  mendStreams(gossip, new EventTarget() as Libp2pNode, (peerId) => told.push(peerId.toString()));
  const open = async () => {
    await gossip.createOutboundStream(PEER, {} as Connection);
    await settled(1);
    return told.length;
  };
  status = "reset";
  expect([await open(), streamsOutbound.size]).toEqual([0, 0]);
  status = "open";
  expect([await open(), await open()]).toEqual([1, 1]);
  streamsOutbound.clear();
  expect(await open()).toBe(2);
});
