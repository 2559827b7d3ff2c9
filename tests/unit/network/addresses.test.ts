/** The addresses that an author tells of itself: src/network/announcing/author-addresses. */
import { multiaddr } from "@multiformats/multiaddr";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  readAuthorAddresses,
  writeAuthorAddresses,
} from "../../../src/network/announcing/author-addresses.ts";
import { MAX_AUTHOR_ADDRESSES } from "../../../src/network/announcing/limits.ts";
import {
  hostOf,
  hostPortOf,
  namesHosts,
  transportOf,
} from "../../../src/network/connecting/remote-address.ts";

const AUTHOR = "12D3KooWQYhTNQdmr3ArTeUHRYzFg94BKyTkoWBDWez9kSCVe2Xo";
const OTHER = "12D3KooWEyoppNCUx8Yx66oV9fJnriXwCcXwDDUA2kj6vnc6iDEp";
const read = (...texts: string[]) =>
  readAuthorAddresses(
    AUTHOR,
    texts.map((text) => multiaddr(text).bytes),
  ).map(String);

describe("addresses that an author tells", () => {
  it("are kept when they lead to the author, also through a relay", () => {
    const good = [
      `/ip4/10.0.0.1/tcp/4401/p2p/${AUTHOR}`,
      `/dns4/example.org/tcp/443/tls/ws/p2p/${AUTHOR}`,
      `/ip4/10.0.0.1/tcp/4402/ws/p2p/${OTHER}/p2p-circuit/p2p/${AUTHOR}`,
      `/ip4/10.0.0.1/tcp/4402/ws/p2p/${OTHER}/p2p-circuit/webrtc/p2p/${AUTHOR}`,
    ];
    expect(read(...good)).toEqual(good);
  });

  it("are left out when they lead elsewhere or name what no transport dials", () => {
    expect(
      read(
        `/ip4/10.0.0.1/tcp/4401/p2p/${OTHER}`,
        "/ip4/10.0.0.1/tcp/4401",
        `/unix/%2Ftmp%2Fsocket/p2p/${AUTHOR}`,
        `/memory/1/p2p/${AUTHOR}`,
        `/p2p/${AUTHOR}`,
        `/ip4/10.0.0.1/tcp/1/p2p/${OTHER}/p2p-circuit/p2p/${OTHER}/p2p-circuit/p2p/${AUTHOR}`,
      ),
    ).toEqual([]);
  });

  it("are never an error, whatever the bytes, and never more than the cap", () => {
    const bytes = fc.array(fc.uint8Array({ maxLength: 64 }), { maxLength: 40 });
    fc.assert(
      fc.property(bytes, (addresses) => {
        expect(readAuthorAddresses(AUTHOR, addresses).length).toBeLessThanOrEqual(MAX_AUTHOR_ADDRESSES);
      }),
    );
  });

  it("of this node are told the most direct first", () => {
    const texts = [
      `/ip4/10.0.0.1/tcp/1/p2p/${OTHER}/p2p-circuit/p2p/${AUTHOR}`,
      `/ip4/10.0.0.1/tcp/2/ws/p2p/${AUTHOR}`,
      `/ip4/10.0.0.1/tcp/3/p2p/${AUTHOR}`,
    ];
    const written = writeAuthorAddresses(texts.map((text) => multiaddr(text)));
    expect(readAuthorAddresses(AUTHOR, written).map(String)).toEqual([texts[2], texts[1], texts[0]]);
  });
});

describe("an address to dial", () => {
  it.each([
    "/dns4/relay.example/tcp/443/tls/ws",
    "/dns4/b\u00fccher.example/tcp/443/wss",
    "/ip4/192.0.2.7/tcp/443/tls/sni/relay.example/ws",
    "/ip6/2001:db8::1/tcp/4401",
    "/ip6zone/eth0/ip6/fe80::1/tcp/4401",
  ])("names hosts alone in %s", (text) => {
    expect(namesHosts(multiaddr(text))).toBe(true);
  });

  it.each([
    "/dns4/192.168.0.1\\restart?now=/tcp/80/ws",
    "/dns/192.168.0.1?restart=/tcp/80/ws",
    "/dns6/192.168.0.1#/tcp/80/ws",
    "/dns4/name@192.168.0.1/tcp/80/ws",
    "/dns4/192.168.0.1:8080/tcp/80/ws",
    "/dns4/a b/tcp/80/ws",
    "/dns4/a\r\nb/udp/80/webrtc-direct",
    "/ip4/192.0.2.7/tcp/443/tls/sni/192.168.0.1?restart=/ws",
    "/unix/%2Frun%2Fservice.sock",
    `/dns4/192.168.0.1?restart=/tcp/80/ws/p2p/${OTHER}/p2p-circuit/p2p/${AUTHOR}`,
  ])("says more in %j", (text) => {
    expect(namesHosts(multiaddr(text))).toBe(false);
  });
});

describe("a connection's remote address", () => {
  it.each([
    ["/ip4/1.2.3.4/tcp/5", "tcp", "1.2.3.4:5", "1.2.3.4"],
    ["/ip6/2001:db8::1/tcp/5/ws", "websocket", "[2001:db8::1]:5", "2001:db8::1"],
    ["/ip4/1.2.3.4/udp/5/webrtc-direct", "webrtc-direct", "1.2.3.4:5", "1.2.3.4"],
    [`/ip4/1.2.3.4/tcp/5/p2p/${OTHER}/p2p-circuit/p2p/${AUTHOR}`, "relay", "1.2.3.4:5", undefined],
    [`/ip4/1.2.3.4/tcp/5/p2p/${OTHER}/p2p-circuit/webrtc/p2p/${AUTHOR}`, "webrtc", "1.2.3.4:5", undefined],
    [`/webrtc/p2p/${AUTHOR}`, "webrtc", undefined, undefined],
  ])("%s is %s at %s", (text, transport, hostPort, host) => {
    const address = multiaddr(text);
    expect([transportOf(address), hostPortOf(address), hostOf(address)]).toEqual([transport, hostPort, host]);
  });
});
