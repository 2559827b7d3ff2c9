/** Of whom it is told that they speak a protocol, and when. */
import { expect, it } from "vitest";
import { onSpeaker } from "../../../src/network/connecting/speakers.ts";
import { OnePeerNode } from "./one-peer-node.ts";

async function listen() {
  const peer = new OnePeerNode();
  const told: string[] = [];
  await onSpeaker(peer.ports.node, "/spoken/1.0.0", (peerId) => told.push(peerId));
  return { peer, told };
}

it("tells of a peer once for each connection, however often it says something of itself", async () => {
  const { peer, told } = await listen();
  peer.meet();
  peer.hearAgain();
  expect(told).toEqual([peer.peer.toString()]);
  peer.meet();
  expect(told).toHaveLength(2);
});

it("tells of no peer that has gone, and of one that is back", async () => {
  const { peer, told } = await listen();
  peer.isConnected = false;
  peer.meet();
  expect(told).toEqual([]);
  peer.isConnected = true;
  peer.hearAgain();
  expect(told).toHaveLength(1);
});
