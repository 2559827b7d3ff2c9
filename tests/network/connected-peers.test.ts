/** What is said of a peer's address where its connection does not tell it: src/network/connected-peers. */
import type { Connection } from "@libp2p/interface";
import { peerIdFromString } from "@libp2p/peer-id";
import { type Multiaddr, multiaddr } from "@multiformats/multiaddr";
import { describe, expect, it } from "vitest";
import { ConnectedPeers } from "../../src/network/connected-peers.ts";
import type { Libp2pNode } from "../../src/network/libp2p-node.ts";

const PEER = peerIdFromString("12D3KooWKPAtK5j9JNVq86nN3Ab6MMkJGT5CoMGGhCoS9wDjhTTb");
const RELAYED = multiaddr(`/ip4/192.0.2.1/tcp/443/ws/p2p-circuit/webrtc/p2p/${PEER}`);

/** The one connection is WebRTC, and its engine tells this of the candidate that ICE chose. */
function addressOf(remote: { address: string; port: number }, told: Multiaddr[] = []): string | undefined {
  const iceTransport = { getSelectedCandidatePair: () => ({ remote }) };
  const connection = {
    status: "open",
    direct: true,
    remotePeer: PEER,
    remoteAddr: RELAYED,
    timeline: { open: 0 },
    maConn: { peerConnection: { sctp: { transport: { iceTransport } } } },
  } as unknown as Connection;
  const node = Object.assign(new EventTarget(), { getConnections: () => [connection] });
  const peers = new ConnectedPeers({
    node: node as unknown as Libp2pNode,
    nameOf: () => undefined,
    fileCount: () => 0,
    addresses: () => told,
    emit: () => undefined,
    log: () => undefined,
  });
  return peers.get(PEER)?.address;
}

describe("the address of a peer by WebRTC", () => {
  it("is the chosen candidate's", () => {
    expect(addressOf({ address: "192.0.2.7", port: 4001 })).toBe("192.0.2.7:4001");
  });

  it.each(["redacted-ip.invalid", "1f4712db-ea17-4bcf-a596-105139dfd8bf.local"])(
    "is said to be hidden where the browser tells %s, and is not that of the relay by which they met",
    (address) => {
      expect(addressOf({ address, port: 4001 }, [RELAYED])).toBe("redacted-ip.invalid:0");
    },
  );

  it("is one that the peer tells of itself where the candidate is hidden", () => {
    const told = multiaddr(`/ip4/192.0.2.9/tcp/4001/p2p/${PEER}`);
    expect(addressOf({ address: "redacted-ip.invalid", port: 4001 }, [RELAYED, told])).toBe("192.0.2.9:4001");
  });
});
