/** The peers that a download asks: src/sharing/download/peers-in-use. */
import { expect, it } from "vitest";
import { ActivePeer } from "../../../src/sharing/download/active-peer.ts";
import { PeersInUse } from "../../../src/sharing/download/peers-in-use.ts";
import { HandClock } from "../hand-clock.ts";
import { freeTurns, silentSession } from "./silent-session.ts";

it("a peer that has left is not in use, though it has come again", () => {
  const peers = new PeersInUse();
  const [left, back] = [1, 2].map(() => new ActivePeer(silentSession("a"), new HandClock(), freeTurns())) as [
    ActivePeer,
    ActivePeer,
  ];
  peers.add(left);
  peers.remove(left);
  peers.add(back);
  expect([peers.has(left), peers.has(back), [...peers]]).toEqual([false, true, [back]]);
});
