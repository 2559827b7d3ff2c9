import type { PeerSession } from "../../../src/sharing/ports.ts";
import { Turns, type TurnsAtPeer } from "../../../src/sharing/transfers/turns.ts";

/** With a peer that never answers. */
export function silentSession(peerId: string): PeerSession {
  return {
    peerId,
    maxInFlight: 16,
    fetch: () => new Promise(() => {}),
    prioritize: () => {},
    async *haves() {},
    close: () => {},
  };
}

/** At a peer of which nobody else asks anything. */
export function freeTurns(): TurnsAtPeer {
  const free = () => new Turns(1).at("peer", () => {});
  return { manifest: free(), short: free(), long: free() };
}
