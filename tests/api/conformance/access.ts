/** Who is let in: open paths, keys, foreign origins. Part of the conformance suite. */
import { describe, expect, it } from "vitest";
import { type Caller, nodeError, vxError } from "./caller.ts";

export function describeAccess({ anonymous, call, documented, refused, host }: Caller): void {
  describe("who is let in", () => {
    it("answers /health to anyone", async () => {
      const { status, body } = await documented("GET /health", anonymous("/health"));
      expect(status).toBe(200);
      expect(body).toMatchObject({ status: "ok", version: expect.any(String), uptime: expect.any(Number) });
    });

    it.each([
      ["no header", {}],
      ["an empty header", { authorization: "" }],
      ["an empty key", { authorization: "Bearer " }],
      ["another scheme", { authorization: "Basic c2hvYWw6c2hvYWw=" }],
      ["a wrong key", { authorization: "Bearer shoal_wrong" }],
    ])("refuses %s with 401 and names the scheme", async (_what, headers) => {
      const response = await anonymous("/api/v1/node/info", { headers: headers as Record<string, string> });
      expect(response.headers.get("www-authenticate")).toMatch(/^Bearer/);
      expect(await refused(Promise.resolve(response))).toMatchObject(nodeError(401));
    });

    it("takes the scheme in any case", async () => {
      const headers = { authorization: `bearer ${host().apiKey}` };
      expect((await anonymous("/api/v1/node/info", { headers })).status).toBe(200);
    });

    it("decides 401 before 404, 405, 415 and 400", async () => {
      const text = { method: "POST", body: "x", headers: { "content-type": "text/plain" } };
      for (const answer of [
        anonymous("/api/v1/nowhere"),
        anonymous("/api/v1/node/info", { method: "DELETE" }),
        anonymous("/api/v1/files/share", text),
        anonymous("/api/v1/files?limit=-1"),
      ]) {
        expect(await refused(answer)).toMatchObject(nodeError(401));
      }
      expect(await refused(anonymous("/admin/nowhere"))).toMatchObject(vxError(401, "unauthorized"));
    });

    it("refuses a state change that another site's page asks for, key or no key", async ({ skip }) => {
      skip(!host().takesAnyOrigin, "its clients can't say where they come from");
      const foreign = { method: "POST", headers: { origin: "https://evil.example" } };
      expect(await refused(call("/api/v1/tickets", foreign))).toMatchObject(nodeError(403));
      expect(await refused(anonymous("/api/v1/tickets", foreign))).toMatchObject(nodeError(403));
    });

    it("sends no CORS header to an origin that is not listed", async ({ skip }) => {
      skip(!host().takesAnyOrigin, "its clients can't say where they come from");
      const response = await call("/api/v1/node/info", { headers: { origin: "https://evil.example" } });
      expect(response.headers.get("access-control-allow-origin")).toBeNull();
    });
  });
}
