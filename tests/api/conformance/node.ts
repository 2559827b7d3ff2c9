/** The node itself: who it is, its peers, its load. Part of the conformance suite. */
import { describe, expect, it } from "vitest";
import { type Caller, nodeError } from "./caller.ts";
import { ISO_UTC } from "./known.ts";

export function describeNode({ call, post, documented, refused, host }: Caller): void {
  describe("the node", () => {
    it("tells who it is", async () => {
      const { status, body } = await documented("GET /api/v1/node/info", call("/api/v1/node/info"));
      expect(status).toBe(200);
      expect(Object.keys(body)).toEqual(
        expect.arrayContaining([
          "node_id",
          "version",
          "uptime",
          "peers_connected",
          "storage_used",
          "storage_available",
        ]),
      );
    });

    it("connects to a peer by its address and lists it", async () => {
      const connected = await documented(
        "POST /api/v1/node/peers",
        post("/api/v1/node/peers", { address: host().peerAddress }),
      );
      expect(connected.status).toBe(200);
      const { body } = await documented("GET /api/v1/node/peers", call("/api/v1/node/peers"));
      const peers = body.peers;
      const peer = peers.find(({ id }) => id === connected.body.id);
      expect(peer?.address).toMatch(/:\d+$/);
      expect(peer?.connected_since).toMatch(ISO_UTC);
      expect(peer).toMatchObject({
        relay: false,
        uploaded: expect.any(Number),
        downloaded: expect.any(Number),
      });
    });

    it("refuses an address that is none with 400", async () => {
      expect(await refused(post("/api/v1/node/peers", { address: "example.org" }))).toMatchObject(
        nodeError(400),
      );
    });

    it("tells its load", async () => {
      const { status, body } = await documented("GET /api/v1/system/stats", call("/api/v1/system/stats"));
      expect(status).toBe(200);
      expect(body.cpu_usage).toBeGreaterThanOrEqual(0);
      expect(body.cpu_usage).toBeLessThanOrEqual(1);
    });

    it("gives metrics as Prometheus text", async () => {
      const response = await call("/metrics");
      expect(response.headers.get("content-type")).toMatch(/^text\/plain; version=0\.0\.4/);
      expect(await response.text()).toMatch(/^shoal_peers_connected \d+$/m);
    });
  });
}
