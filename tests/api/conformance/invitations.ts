/** Asking a peer to download a file. What peers ask is in tests/unit/sharing and tests/network. Part of the conformance suite. */
import { describe, expect, it } from "vitest";
import { type Caller, nodeError } from "./caller.ts";
import { HELLO } from "./known.ts";

export function describeInvitations({ call, post, share, documented, refused, host }: Caller): void {
  describe("invitations", () => {
    it("ask a connected peer to download a file that is here", async () => {
      const { body: peer } = await documented(
        "POST /api/v1/node/peers",
        post("/api/v1/node/peers", { address: host().peerAddress }),
      );
      const file_id = await share("for-one.txt", new TextEncoder().encode("for one alone"));
      const asked = await documented(
        "POST /api/v1/invitations",
        post("/api/v1/invitations", { peer_id: peer.id, file_id }),
      );
      expect(asked).toMatchObject({ status: 200, body: { success: true } });
      const sent = await documented("GET /api/v1/invitations/sent", call("/api/v1/invitations/sent"));
      const { invitations } = sent.body as { invitations?: unknown[] };
      expect(invitations).toContainEqual(
        expect.objectContaining({
          peer_id: peer.id,
          file_id,
          name: "for-one.txt",
          size: 13,
          status: "sent",
          sent_at: expect.stringMatching(/Z$/),
        }),
      );
      expect(await refused(call("/api/v1/invitations/sent?limit=x"))).toMatchObject(nodeError(400));
    });

    it("are refused for a file that is not here, and without a peer", async () => {
      const request = { peer_id: "12D3KooWGzxzKZYveHXtpG6AsrUJBcWxHBFS2HsEoGTxrMLvKXtf", file_id: HELLO.id };
      const absent = "bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy";
      expect(await refused(post("/api/v1/invitations", { ...request, file_id: absent }))).toMatchObject(
        nodeError(404),
      );
      for (const wrong of [
        { file_id: HELLO.id },
        { ...request, peer_id: "" },
        { ...request, peer_id: "nobody" },
        { ...request, file_id: "x" },
      ])
        expect(await refused(post("/api/v1/invitations", wrong))).toMatchObject(nodeError(400));
    });

    it("of others are listed and dismissed", async () => {
      const { status, body } = await documented("GET /api/v1/invitations", call("/api/v1/invitations"));
      expect(status).toBe(200);
      expect(body).toEqual({ invitations: [], total: 0 });
      const unknown = "/api/v1/invitations/0b0d6b1e-0000-4000-8000-000000000000";
      expect(await refused(call(unknown, { method: "DELETE" }))).toMatchObject(nodeError(404));
    });
  });
}
