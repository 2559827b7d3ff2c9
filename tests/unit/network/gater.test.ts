/** Which dials and connections are refused: src/network/connecting/gater. */
import type { ConnectionGater, MultiaddrConnection, PeerId } from "@libp2p/interface";
import { multiaddr } from "@multiformats/multiaddr";
import { describe, expect, it } from "vitest";
import { BannedPeers } from "../../../src/network/connecting/banned-peers.ts";
import { createGater } from "../../../src/network/connecting/gater.ts";
import { MAX_CONNECTIONS_PER_HOST } from "../../../src/network/connecting/limits.ts";
import { MAX_PENDING_PER_HOST, MAX_PENDING_PER_RELAY } from "../../../src/network/limits.ts";
import { HandClock } from "../hand-clock.ts";

const HOUR_MS = 3_600_000;
const OWN = "12D3KooWPjceQrSwdWXPyLLeABRXmuqt69Rg3sBYbU1Nft9HyQ6X";

describe("a peer that is banned", () => {
  const [banned, other] = ["banned", "other"].map((name) => ({ toString: () => name }) as PeerId) as [
    PeerId,
    PeerId,
  ];
  const connection = {} as MultiaddrConnection;

  it.each<[string, (gater: ConnectionGater, peerId: PeerId) => unknown]>([
    ["dialled", (gater, peerId) => gater.denyDialPeer?.(peerId)],
    ["let in", (gater, peerId) => gater.denyInboundEncryptedConnection?.(peerId, connection)],
    ["connected to", (gater, peerId) => gater.denyOutboundEncryptedConnection?.(peerId, connection)],
    ["relayed for", (gater, peerId) => gater.denyInboundRelayReservation?.(peerId)],
    ["given a circuit", (gater, peerId) => gater.denyOutboundRelayedConnection?.(peerId, other)],
    ["reached through a circuit", (gater, peerId) => gater.denyOutboundRelayedConnection?.(other, peerId)],
    ["let in through a relay", (gater, peerId) => gater.denyInboundRelayedConnection?.(other, peerId)],
  ])("is not %s", (_what, isDenied) => {
    const bans = new BannedPeers(new HandClock());
    bans.add("banned", HOUR_MS);
    const gater = createGater(bans, OWN);
    expect([isDenied(gater, banned), isDenied(gater, other)]).toEqual([true, false]);
  });
});

const RELAY = "12D3KooWDpJ7As7BWAwRMfu1VU2WCqNjvq387JEYKDBj4kx6nXTN";
const OTHER = "12D3KooWEqepq9kW1BdTYRA1CJjCdm9WrpNiLs2ebywKFhcMV8dB";

it("an address is not dialled if it leads through this node itself", () => {
  const gater = createGater(new BannedPeers(new HandClock()), OWN);
  const isDenied = (address: string) => gater.denyDialMultiaddr?.(multiaddr(address));
  const through = (relay: string) => `/ip4/192.0.2.1/tcp/1/p2p/${relay}/p2p-circuit/p2p/${OTHER}`;
  expect([OWN, RELAY].map((relay) => isDenied(through(relay)))).toEqual([true, false]);
});

/** A connection that comes in from there. */
function from(address: string): MultiaddrConnection {
  return Object.assign(new EventTarget(), { remoteAddr: multiaddr(address) }) as never;
}

describe("connections that come in", () => {
  it("are counted together from all IPv6 addresses of one subscriber, and each for itself on a local network", () => {
    const gater = createGater(new BannedPeers(new HandClock()), OWN);
    const denied = (address: (host: number) => string) =>
      Array.from({ length: 2 * MAX_PENDING_PER_HOST }, (_, host) =>
        gater.denyInboundConnection?.(from(address(host))),
      ).filter(Boolean).length;
    expect(denied((host) => `/ip6/2001:db8:0:1::${host + 1}/tcp/1`)).toBe(MAX_PENDING_PER_HOST);
    expect(denied((host) => `/ip6/2001:db8:0:${host + 2}::1/tcp/1`)).toBe(0);
    expect(denied((host) => `/ip6/fe80::${host + 1}/tcp/1`)).toBe(0);
    expect(denied((host) => `/ip6/::ffff:192.0.2.${host + 1}/tcp/1`)).toBe(0);
  });

  it.each([
    ["from one host", "/ip4/192.0.2.1/tcp/1", "/ip4/192.0.2.2/tcp/1", MAX_PENDING_PER_HOST],
    [
      "by one relay",
      `/ip4/192.0.2.1/tcp/1/p2p/${RELAY}/p2p-circuit/p2p/${OTHER}`,
      `/ip4/192.0.2.1/tcp/1/p2p/${OTHER}/p2p-circuit`,
      MAX_PENDING_PER_RELAY,
    ],
    ["from one that was introduced", `/webrtc/p2p/${RELAY}`, `/webrtc/p2p/${OTHER}`, MAX_PENDING_PER_RELAY],
  ])(
    "%s are few until they are finished, and leave room for others then",
    (_whence, address, other, maxPending) => {
      const gater = createGater(new BannedPeers(new HandClock()), OWN);
      const isDenied = (connection: MultiaddrConnection) => gater.denyInboundConnection?.(connection);
      for (let open = 0; open < MAX_CONNECTIONS_PER_HOST; ) {
        const begun = Array.from({ length: Math.min(maxPending, MAX_CONNECTIONS_PER_HOST - open) }, () =>
          from(address),
        );
        expect(begun.map(isDenied)).not.toContain(true);
        open += begun.length;
        expect(isDenied(from(address))).toBe(true);
        for (const connection of begun) gater.denyInboundUpgradedConnection?.({} as PeerId, connection);
      }
      expect(isDenied(from(address))).toBe(true);
      expect(isDenied(from(other))).toBe(false);
    },
  );

  it("leave their places when they close, each its own", () => {
    const gater = createGater(new BannedPeers(new HandClock()), OWN);
    const admitted = (count: number) => {
      const all = Array.from({ length: count }, () => from("/ip4/192.0.2.1/tcp/1"));
      return all.filter((connection) => !gater.denyInboundConnection?.(connection));
    };
    const finish = (connection: MultiaddrConnection) =>
      gater.denyInboundUpgradedConnection?.({} as PeerId, connection);
    const close = (connection: MultiaddrConnection) => connection.dispatchEvent(new Event("close"));
    const open: MultiaddrConnection[] = [];
    while (open.length < MAX_CONNECTIONS_PER_HOST) {
      const begun = admitted(MAX_PENDING_PER_HOST);
      for (const connection of [...begun, ...begun]) finish(connection);
      open.push(...begun);
    }
    for (const connection of open.slice(0, MAX_PENDING_PER_HOST + 2)) {
      close(connection);
      close(connection);
    }
    const begun = admitted(2 * MAX_PENDING_PER_HOST);
    expect(begun).toHaveLength(MAX_PENDING_PER_HOST);
    for (const connection of begun.splice(0, 8)) close(connection);
    begun.push(...admitted(MAX_PENDING_PER_HOST));
    expect(begun).toHaveLength(MAX_PENDING_PER_HOST);
    for (const connection of begun) finish(connection);
    expect(admitted(MAX_PENDING_PER_HOST)).toHaveLength(2);
  });
});
