/** Which web pages may join by a WebSocket: src/headless/network/foreign-pages. */
import { expect, it } from "vitest";
import { isForeignPage } from "../../../src/headless/network/foreign-pages.ts";

const access = {
  hostNames: ["Share.example", "192.168.1.7", "localhost"],
  corsOrigins: ["https://listed.example"],
};

it.each([
  ["who is no page", undefined, "127.0.0.1:4402"],
  ["who is no page and was told another name", undefined, "node1:4402"],
  ["a page of this machine", "http://localhost:8080", "127.0.0.1:4402"],
  ["a page of this machine by a name of it", "http://shoal.localhost:8080", "localhost:4402"],
  ["a page of this machine by an address of IPv6", "http://[::1]:8080", "[::1]:4402"],
  ["a page of this machine that asks for another", "http://127.0.0.1:5173", "node1:4402"],
  [
    "a page that asks for a name of this host, whatever proxy ends its TLS",
    "https://page.example",
    "share.example",
  ],
  ["a page that asks for a name of this host at a port", "https://page.example", "SHARE.example:443"],
  ["a page of this host, of whose name the proxy tells nothing", "https://share.example", "127.0.0.1:8080"],
  ["a page of the address that it asks for", "https://192.0.2.7", "192.0.2.7:443"],
  ["a page of a listed site", "https://listed.example", "127.0.0.1:4402"],
])("takes %s", (_who, origin, host) => {
  expect(isForeignPage({ ...(origin && { origin }), host }, access)).toBe(false);
});

it.each([
  ["of a stranger that asks for this machine", "https://evil.example", "127.0.0.1:4402"],
  ["of a stranger that asks for localhost", "https://evil.example", "localhost:4402"],
  ["of a stranger that asks for an address in the network", "http://evil.example", "192.168.1.5:4402"],
  ["of a stranger whose own name leads here", "http://evil.example:4402", "evil.example:4402"],
  [
    "of a stranger whose name only begins like one of ours",
    "http://localhost.evil.example",
    "localhost:4402",
  ],
  ["of a stranger without TLS that asks for a name of this host", "http://evil.example", "share.example"],
  ["of a stranger without TLS that asks for an address that is named", "http://evil.example", "192.168.1.7"],
  ["of a listed site at another port", "https://listed.example:444", "127.0.0.1:4402"],
  ["of another address", "http://198.51.100.1", "192.168.1.5:4402"],
  ["without an origin to be told", "null", "127.0.0.1:4402"],
  ["that asks for no host", "http://localhost.", ""],
])("refuses a page %s", (_which, origin, host) => {
  expect(isForeignPage({ origin, host }, access)).toBe(true);
});
