import type { MultiaddrConnection, PeerId } from "@libp2p/interface";
import { multiaddr } from "@multiformats/multiaddr";
import { describe, expect, it } from "vitest";
import { Bans, createGater } from "../../../src/network/gater.ts";
import {
  MAX_BANS,
  MAX_CONNECTIONS_PER_HOST,
  MAX_PENDING_PER_HOST,
  MAX_PENDING_PER_RELAY,
} from "../../../src/network/limits.ts";
import { HandClock } from "../hand-clock.ts";

const HOUR_MS = 3_600_000;

describe("bans", () => {
  it("end when their time is over", async () => {
    const clock = new HandClock();
    const bans = new Bans(clock);
    bans.add("p", 1_000);
    expect(bans.has("p")).toBe(true);
    await clock.pass(1_000);
    expect(bans.has("p")).toBe(false);
  });

  it.each([HOUR_MS, -24 * HOUR_MS])("last as long when the clock is set by %i ms", async (byMs) => {
    const clock = new HandClock();
    const bans = new Bans(clock);
    bans.add("p", 1_000);
    clock.set(byMs);
    expect(bans.has("p")).toBe(true);
    await clock.pass(1_000);
    expect(bans.has("p")).toBe(false);
  });

  it("beyond the cap push out the one that ends first", () => {
    const clock = new HandClock();
    const bans = new Bans(clock);
    for (let i = 0; i <= MAX_BANS; i++) bans.add(`peer ${i}`, 1_000 + i);
    expect(bans.has("peer 0")).toBe(false);
    expect(bans.has("peer 1")).toBe(true);
    expect(bans.has(`peer ${MAX_BANS}`)).toBe(true);
  });
});

const RELAY = "12D3KooWDpJ7As7BWAwRMfu1VU2WCqNjvq387JEYKDBj4kx6nXTN";
const OTHER = "12D3KooWEqepq9kW1BdTYRA1CJjCdm9WrpNiLs2ebywKFhcMV8dB";

/** A connection that comes in from there. */
function from(address: string): MultiaddrConnection {
  return Object.assign(new EventTarget(), { remoteAddr: multiaddr(address) }) as never;
}

describe("connections that come in", () => {
  it("are counted together from all IPv6 addresses of one subscriber, and each for itself on a local network", () => {
    const gater = createGater(new Bans(new HandClock()));
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
      const gater = createGater(new Bans(new HandClock()));
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
});
