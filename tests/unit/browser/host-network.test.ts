/** What a page takes from /shoal.json, whose host may be of another version, or hostile. */
import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { parseHostNetwork } from "../../../src/browser/network/host-network.ts";
import { hostNodeId } from "../../../src/browser/network/shoal-json.ts";
import type { Log } from "../../../src/sharing/ports.ts";

const NODE_ID = "12D3KooWBYPhozq88rBjw3jZH6UWeddZK8fHBnWTQdDFmDCTiBWR";
const ADDRESS = `/ip4/192.0.2.7/tcp/4402/ws/p2p/${NODE_ID}`;
const ORIGIN = new URL("http://localhost:8080");

describe("what a page takes from its host", () => {
  it("is the swarm, the host's id, every address once, the ICE servers, and whether to search by meaning", () => {
    const told = {
      swarm: "friends",
      node_id: NODE_ID,
      bootstrap: [ADDRESS],
      relays: [ADDRESS],
      ice_servers: [{ urls: "stun:192.0.2.7:3478" }],
      search: false,
    };
    expect(parseHostNetwork(told, ORIGIN)).toEqual({
      swarm: "friends",
      nodeId: NODE_ID,
      bootstrap: [ADDRESS, `/dns4/localhost/tcp/8080/ws/p2p/${NODE_ID}`],
      iceServers: ["stun:192.0.2.7:3478"],
      hasSearch: false,
    });
  });

  it.each([
    ["http://localhost:8080", "/dns4/localhost/tcp/8080/ws"],
    ["http://192.0.2.7:8080", "/ip4/192.0.2.7/tcp/8080/ws"],
    ["https://share.example", "/dns4/share.example/tcp/443/tls/ws"],
    ["http://[2001:db8::1]", "/ip6/2001:db8::1/tcp/80/ws"],
  ])("has the port of the page itself, %s, which takes WebSockets too", (origin, address) => {
    const { bootstrap } = parseHostNetwork({ node_id: NODE_ID }, new URL(origin));
    expect(bootstrap).toEqual([`${address}/p2p/${NODE_ID}`]);
  });

  it("leaves out what is no multiaddr, no text, no ICE server", () => {
    const told = {
      swarm: 7,
      node_id: "nobody/at/all",
      bootstrap: ["http://example.org", 1, null, ADDRESS],
      relays: "all",
      ice_servers: [null, { urls: "https://example.org" }, { urls: ["stun:a"] }],
    };
    expect(parseHostNetwork(told, ORIGIN)).toEqual({
      swarm: undefined,
      bootstrap: [ADDRESS],
      iceServers: [],
    });
    expect(parseHostNetwork({ node_id: "nobody" }, ORIGIN)).toEqual(parseHostNetwork({}, ORIGIN));
  });

  it("takes any JSON whatever without an error, and few addresses of it", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.array(fc.string()), (json, texts) => {
        parseHostNetwork(json, ORIGIN);
        const many = Array.from({ length: 100 }, (_, i) => ADDRESS.replace("4402", String(4000 + i)));
        const { bootstrap } = parseHostNetwork({ bootstrap: [...texts, ...many] }, ORIGIN);
        expect(bootstrap.length).toBeLessThanOrEqual(16);
      }),
    );
  });
});

describe("the id of the node of the host", () => {
  it.each([
    { told: Response.json({ node_id: NODE_ID, relays: [] }), id: NODE_ID, host: "says it" },
    { told: new Response("", { status: 404 }), id: undefined, host: "only serves files" },
    { told: Response.json(null), id: undefined, host: "tells nothing" },
    { told: Response.json({ node_id: 1 }), id: undefined, host: "tells something else" },
    { told: new Response("", { status: 503 }), id: undefined, host: "is down" },
  ])("where the host $host is $id", async ({ told, id }) => {
    vi.stubGlobal("fetch", async () => told);
    const info = vi.fn();
    expect(await hostNodeId(ORIGIN, { info } as unknown as Log)).toBe(id);
    expect(info).toHaveBeenCalledTimes(told.status === 503 ? 1 : 0);
  });
});
