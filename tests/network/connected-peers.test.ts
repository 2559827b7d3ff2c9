/**
 * What is said of a peer's address where its connection does not tell it, and which connections end:
 * src/network/connecting/connected-peers.
 */
import type { Connection } from "@libp2p/interface";
import { peerIdFromString } from "@libp2p/peer-id";
import { type Multiaddr, multiaddr } from "@multiformats/multiaddr";
import { describe, expect, it, vi } from "vitest";
import { ConnectedPeers } from "../../src/network/connecting/connected-peers.ts";
import { REBORN_PING_TIMEOUT_MS, SILENT_PING_TIMEOUT_MS } from "../../src/network/connecting/limits.ts";
import type { Libp2pNode } from "../../src/network/libp2p-node.ts";
import { eventually } from "../eventually.ts";

const PEER = peerIdFromString("12D3KooWKPAtK5j9JNVq86nN3Ab6MMkJGT5CoMGGhCoS9wDjhTTb");
const RELAYED = multiaddr(`/ip4/192.0.2.1/tcp/443/ws/p2p-circuit/webrtc/p2p/${PEER}`);
/** What libp2p's own ping tells. */
const PING_MS = 7;

function peersOf(connections: Connection[], told: Multiaddr[] = []) {
  const services = { ping: { ping: async () => PING_MS } };
  const node = Object.assign(new EventTarget(), { getConnections: () => connections, services });
  const peers = new ConnectedPeers({
    node: node as unknown as Libp2pNode,
    nameOf: () => undefined,
    fileCount: () => 0,
    isInSwarm: () => true,
    addresses: () => told,
    emit: () => undefined,
    log: () => undefined,
  });
  return { node, peers };
}

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
  return peersOf([connection], told).peers.get(PEER)?.address;
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

it("says how long the first ping to a peer took, until the peer has gone", async () => {
  const remoteAddr = multiaddr(`/ip4/192.0.2.7/tcp/4001/p2p/${PEER}`);
  const connection = { status: "open", direct: true, remotePeer: PEER, remoteAddr, timeline: { open: 0 } };
  const connections = [connection as unknown as Connection];
  const { node, peers } = peersOf(connections);
  node.dispatchEvent(new CustomEvent("peer:connect", { detail: PEER }));
  await eventually(() => expect(peers.get(PEER)?.latencyMs).toBe(PING_MS));
  const gone = connections.splice(0);
  node.dispatchEvent(new CustomEvent("peer:disconnect", { detail: PEER }));
  connections.push(...gone);
  expect(peers.get(PEER)).toMatchObject({ peerId: PEER.toString(), latencyMs: undefined });
});

/** A connection on which pings are answered, or nothing is; `isLive`: it was not ended; `streams`: those left open. */
function lineOf({ answers }: { answers: boolean }) {
  const line = { isLive: true, pings: 0, streams: 0 };
  const newStream = async (_: string, { signal }: { signal: AbortSignal }) => {
    line.pings += 1;
    if (!answers) return new Promise((_, reject) => onAbort(signal, () => reject(signal.reason)));
    line.streams += 1;
    const stream = new EventTarget();
    const send = () => queueMicrotask(() => stream.dispatchEvent(new Event("message")));
    const close = async () => {
      line.streams -= 1;
    };
    return Object.assign(stream, { send, close });
  };
  const abort = () => {
    line.isLive = false;
  };
  const connection = { remotePeer: PEER, remoteAddr: RELAYED, direct: true, newStream, abort };
  return { line, connection: connection as unknown as Connection };
}

function onAbort(signal: AbortSignal, then: () => void): void {
  signal.addEventListener("abort", then, { once: true });
}

/** Time limits that end when the test says so. */
function limitsByHand() {
  const limits: { ms: number; end: () => void }[] = [];
  vi.spyOn(AbortSignal, "timeout").mockImplementation((ms) => {
    const limit = new AbortController();
    limits.push({ ms, end: () => limit.abort(new Error("too late")) });
    return limit.signal;
  });
  return limits;
}

describe("connections to a peer that owes an answer and is silent", () => {
  it("end where nobody answers in time, and stay where somebody does", async () => {
    const limits = limitsByHand();
    const [dead, alive] = [lineOf({ answers: false }), lineOf({ answers: true })];
    const { peers } = peersOf([dead.connection, alive.connection]);
    const checked = peers.checkSilent(PEER.toString());
    await peers.checkSilent(PEER.toString());
    for (const { end } of limits) end();
    await checked;
    expect(limits.map(({ ms }) => ms)).toEqual([SILENT_PING_TIMEOUT_MS, SILENT_PING_TIMEOUT_MS]);
    expect([dead.line, alive.line]).toEqual([
      { isLive: false, pings: 1, streams: 0 },
      { isLive: true, pings: 1, streams: 0 },
    ]);
  });

  it("end sooner where the peer comes anew meanwhile", async () => {
    const limits = limitsByHand();
    const [dead, newest] = [lineOf({ answers: false }), lineOf({ answers: true })];
    const { node, peers } = peersOf([dead.connection, newest.connection]);
    const checked = peers.checkSilent(PEER.toString());
    node.dispatchEvent(new CustomEvent("connection:open", { detail: newest.connection }));
    limits.find(({ ms }) => ms === REBORN_PING_TIMEOUT_MS)?.end();
    await eventually(() => expect(dead.line.isLive).toBe(false));
    for (const { end } of limits) end();
    await checked;
  });
});
