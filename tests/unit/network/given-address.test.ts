/** Which texts are addresses to dial. */
import { expect, it } from "vitest";
import { isAddress, parseAddress } from "../../../src/network/connecting/given-address.ts";

const PEER = "12D3KooWBYPhozq88rBjw3jZH6UWeddZK8fHBnWTQdDFmDCTiBWR";
const RSA_PEER = "QmbLHAnMoJPWSCR5Zhtx6BHJX9KiKNN6tpvbUcqanj75Nb";

it.each([
  "/ip4/192.0.2.7/tcp/4401",
  `/ip4/192.0.2.7/tcp/4401/p2p/${PEER}`,
  `/dns4/relay.example/tcp/443/tls/ws/p2p/${RSA_PEER}/p2p-circuit/p2p/${PEER}`,
])("takes %s", (text) => {
  expect(isAddress(text)).toBe(true);
  expect(parseAddress(text).toString()).toBe(text);
});

it.each([
  "",
  "nonsense",
  "/ip4/192.0.2.7/tcp/4401/p2p",
  "/ip4/192.0.2.7/tcp/4401/p2p/nobody",
  `/ip4/192.0.2.7/tcp/4401/p2p/${PEER.slice(0, -1)}`,
  `/ip4/192.0.2.7/tcp/4401/p2p/nobody/p2p-circuit/p2p/${PEER}`,
])("refuses %j", (text) => {
  expect(isAddress(text)).toBe(false);
  expect(() => parseAddress(text, "the bootstrap address")).toThrowError(
    expect.objectContaining({
      name: "bad_request",
      message: `the bootstrap address ${text} is no multiaddr`,
    }),
  );
});
