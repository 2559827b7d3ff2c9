/** The rate limit, on a host that allows few requests. Part of the conformance suite. */
import { describe, expect, it } from "vitest";
import { type Caller, nodeError } from "./caller.ts";

export function describeRateLimit({ refused, host }: Caller): void {
  describe("the rate limit", () => {
    it("serves so many requests in a minute and then says when to come back", async () => {
      const { limited } = host();
      const ask = () => limited.fetch(new Request(`${host().baseUrl}/api/v1/node/info`));
      for (let left = limited.requestsPerMinute - 1; left >= 0; left -= 1) {
        const { status, headers } = await ask();
        expect(status).toBe(401);
        expect(headers.get("ratelimit")).toMatch(new RegExp(`^"default";r=${left};t=\\d+$`));
        expect(headers.get("ratelimit-policy")).toBe(`"default";q=${limited.requestsPerMinute};w=60`);
      }
      const refusal = await ask();
      expect(Number(refusal.headers.get("retry-after"))).toBeGreaterThan(0);
      expect(await refused(Promise.resolve(refusal))).toMatchObject(nodeError(429));
      expect((await limited.fetch(new Request(`${host().baseUrl}/health`))).status).toBe(200);
    });
  });
}
