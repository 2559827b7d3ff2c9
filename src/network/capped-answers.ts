/**
 * Takes no more of an answer of the DHT than an honest node gives. Lookups of libp2p go on with every peer that an answer names,
 * and dial it: one that named a thousand held up a node for a quarter of a minute, and each answer may. Put between libp2p's
 * DHT and its lookups by libp2p-node.
 */
import type { PeerInfo } from "@libp2p/interface";
import type { KadDHT } from "@libp2p/kad-dht";
import { peerIdFromMultihash } from "@libp2p/peer-id";
import { multiaddr } from "@multiformats/multiaddr";
import { decode as decodeDigest } from "multiformats/hashes/digest";
import { MAX_ADDRESSES_PER_PEER, MAX_CLOSER_PEERS, MAX_PROVIDERS_PER_ANSWER } from "./limits.ts";

/** As it comes over the wire. */
interface NamedPeer {
  id: Uint8Array;
  multiaddrs: Uint8Array[];
}

interface Answer {
  closer: NamedPeer[];
  providers: NamedPeer[];
}

/** What libp2p's DHT sends its requests by, of which its types don't tell. */
interface Requests {
  _writeReadMessage(...request: unknown[]): Promise<Answer>;
  safeDispatchEvent(name: string, init: { detail: unknown }): boolean;
}

export function capAnswers(dht: KadDHT): void {
  const { network } = dht as unknown as { network: Requests };
  const request = network._writeReadMessage.bind(network);
  const dispatch = network.safeDispatchEvent.bind(network);
  // Called for each peer that an answer names, before the answer is given.
  network.safeDispatchEvent = (name, init) => name === "peer" || dispatch(name, init);
  network._writeReadMessage = async (...args) => {
    const answer = await request(...args);
    const closer = capped(answer.closer, MAX_CLOSER_PEERS);
    const providers = capped(answer.providers, MAX_PROVIDERS_PER_ANSWER);
    for (const peer of [...closer, ...providers]) dispatch("peer", { detail: toPeerInfo(peer) });
    return { ...answer, closer, providers };
  };
}

function capped(peers: NamedPeer[], count: number): NamedPeer[] {
  return peers.slice(0, count).map((peer) => ({
    ...peer,
    multiaddrs: peer.multiaddrs.slice(0, MAX_ADDRESSES_PER_PEER),
  }));
}

function toPeerInfo({ id, multiaddrs }: NamedPeer): PeerInfo {
  return {
    id: peerIdFromMultihash(decodeDigest(id)),
    multiaddrs: multiaddrs.map((bytes) => multiaddr(bytes)),
  };
}
