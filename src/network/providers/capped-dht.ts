/**
 * Takes no more of the DHT's messages than an honest node sends. Lookups of libp2p go on with every peer that an answer
 * names, and dial it: one that named a thousand held up a node for a quarter of a minute, and each answer may. It notes
 * the addresses of whoever tells that it holds a file as often as one request names it. And it answers all that have
 * come on a stream before it does anything else: a thousand requests of 40 bytes held up a node for 4 s, and a stream
 * may bring thirteen thousand. Put between libp2p's DHT and its streams and lookups by libp2p-node, before the DHT
 * starts.
 */
import type { PeerId, PeerInfo, Stream } from "@libp2p/interface";
import type { KadDHT } from "@libp2p/kad-dht";
import { peerIdFromMultihash } from "@libp2p/peer-id";
import { multiaddr } from "@multiformats/multiaddr";
import { decode as decodeDigest } from "multiformats/hashes/digest";
import { SharingError } from "../../sharing/errors.ts";
import { systemClock } from "../../sharing/system-clock.ts";
import { isLookedUp } from "../connecting/remote-address.ts";
import { Counts } from "../counts.ts";
import { HostTurns } from "../host-turns.ts";
import { cappedStream } from "../libp2p/capped-streams.ts";
import { MAX_ADDRESSES_PER_PEER, MAX_CONNECTIONS } from "../limits.ts";
import { MessageRate } from "../message-rate.ts";
import {
  DHT_ANSWER_BURST,
  DHT_ANSWERS_PER_SECOND,
  DHT_REQUEST_BURST,
  DHT_REQUESTS_PER_SECOND,
  MAX_CLOSER_PEERS,
  MAX_DHT_REQUESTS_WAITING,
  MAX_DHT_STREAM_BYTES,
  MAX_PROVIDERS_PER_ANSWER,
  MAX_PROVIDERS_PER_REQUEST,
} from "./limits.ts";

/** As it comes over the wire. */
interface NamedPeer {
  id: Uint8Array;
  multiaddrs: Uint8Array[];
}

interface Message {
  closer: NamedPeer[];
  providers: NamedPeer[];
}

/** What libp2p's DHT sends requests by, and answers them, of which its types don't tell. */
interface Parts {
  network: {
    _writeReadMessage(stream: Stream, ...request: unknown[]): Promise<Message>;
    safeDispatchEvent(name: string, init: { detail: unknown }): boolean;
  };
  rpc: {
    onIncomingStream(stream: Stream, ...from: unknown[]): Promise<void>;
    handleMessage(from: PeerId, request: Message): Promise<unknown>;
  };
}

/** `originOf`: from where a peer comes that is connected. */
export function capDht(dht: KadDHT, originOf: (peerId: string) => string | undefined): void {
  const { network, rpc } = dht as unknown as Parts;
  const answerTo = rpc.onIncomingStream.bind(rpc);
  rpc.onIncomingStream = (stream, ...from) => answerTo(cappedStream(stream, MAX_DHT_STREAM_BYTES), ...from);
  const handle = rpc.handleMessage.bind(rpc);
  const requests = new MessageRate(systemClock, {
    burst: DHT_REQUEST_BURST,
    perSecond: DHT_REQUESTS_PER_SECOND,
    maxKeys: MAX_CONNECTIONS,
  });
  const hosts = new HostTurns(systemClock, { burst: DHT_ANSWER_BURST, perSecond: DHT_ANSWERS_PER_SECOND });
  /** By peer: the library tells of no stream that was reset meanwhile, and a peer may reset thousands. */
  const waiting = new Counts();
  rpc.handleMessage = async (from, request) => {
    const peerId = from.toString();
    if (waiting.of(peerId) >= MAX_DHT_REQUESTS_WAITING) throw tooMany();
    waiting.change(peerId, 1);
    const origin = originOf(peerId) ?? peerId;
    await turnOf(peerId, requests);
    await hosts.next(origin, peerId).finally(() => waiting.change(peerId, -1));
    return await handle(from, {
      ...request,
      providers: firstOf(request.providers, MAX_PROVIDERS_PER_REQUEST),
    });
  };
  const request = network._writeReadMessage.bind(network);
  const dispatch = network.safeDispatchEvent.bind(network);
  // Called for each peer that an answer names, before the answer is given.
  network.safeDispatchEvent = (name, init) => name === "peer" || dispatch(name, init);
  network._writeReadMessage = async (stream, ...message) => {
    const answer = await request(cappedStream(stream, MAX_DHT_STREAM_BYTES), ...message);
    const closer = dialable(answer.closer, MAX_CLOSER_PEERS);
    const providers = dialable(answer.providers, MAX_PROVIDERS_PER_ANSWER);
    for (const peer of [...closer, ...providers]) dispatch("peer", { detail: toPeerInfo(peer) });
    return { ...answer, closer, providers };
  };
}

/** In another turn of the event loop in any case. */
async function turnOf(peerId: string, requests: MessageRate): Promise<void> {
  do await new Promise((resolve) => setTimeout(resolve, requests.waitMs(peerId)));
  while (!requests.take(peerId));
}

function tooMany(): SharingError {
  return new SharingError("protocol_error", "too many requests of this peer wait");
}

function firstOf(peers: NamedPeer[], count: number): NamedPeer[] {
  return peers
    .slice(0, count)
    .map((peer) => ({ ...peer, multiaddrs: peer.multiaddrs.slice(0, MAX_ADDRESSES_PER_PEER) }));
}

/** Those of them, without the addresses that would be looked up. */
function dialable(peers: NamedPeer[], count: number): NamedPeer[] {
  return firstOf(peers, count).map((peer) => ({
    ...peer,
    multiaddrs: peer.multiaddrs.filter((bytes) => !isLookedUp(multiaddr(bytes))),
  }));
}

function toPeerInfo({ id, multiaddrs }: NamedPeer): PeerInfo {
  return {
    id: peerIdFromMultihash(decodeDigest(id)),
    multiaddrs: multiaddrs.map((bytes) => multiaddr(bytes)),
  };
}
