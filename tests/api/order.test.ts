/** The order of refusal: each step wins over all later ones, which the same request breaks too. */
import { describe, expect, it } from "vitest";
import { KEY, openInProcess } from "./in-process.ts";

const LONG = " ".repeat(5000);

/** A request that breaks every rule; each step mends one thing more. */
const broken = {
  path: "/api/v1/nowhere",
  method: "POST",
  body: `${LONG}{`,
  host: "evil.example",
  origin: "https://evil.example",
  authorization: "",
  "content-type": "text/plain",
};

const steps: [status: number, mend: Partial<typeof broken>][] = [
  [403, {}],
  [429, { host: "127.0.0.1:8081" }],
  [403, {}],
  [401, { origin: "http://127.0.0.1:8081" }],
  [404, { authorization: `Bearer ${KEY}` }],
  [405, { path: "/api/v1/node/info" }],
  [415, { path: "/api/v1/files/share" }],
  [413, { "content-type": "application/json" }],
  [400, { body: "{" }],
  [403, { body: '{"file_path":"/etc/passwd"}' }],
];

describe("the order of refusal", () => {
  it("is host, rate, origin, key, path, method, media type, length, syntax", async () => {
    const exhausted = openInProcess({ limits: { requestsPerMinute: 1, maxBodyBytes: 1000 } });
    await exhausted.call("/api/v1/node/info");
    const free = openInProcess({ limits: { requestsPerMinute: 0, maxBodyBytes: 1000 } });
    const request = { ...broken };
    const statuses: number[] = [];
    for (const [index, [, mend]] of steps.entries()) {
      Object.assign(request, mend);
      const { path, method, body, ...headers } = request;
      const { call } = index === 1 ? exhausted : free;
      statuses.push((await call(path, { method, body, headers })).status);
    }
    expect(statuses).toEqual(steps.map(([status]) => status));
  });

  it("answers a preflight before it counts, and a foreign host before that", async () => {
    const access = { hostNames: [], corsOrigins: ["https://listed.example"] };
    const { call } = openInProcess({ access, limits: { requestsPerMinute: 1, maxBodyBytes: 1000 } });
    const headers = { origin: "https://listed.example", "access-control-request-method": "POST" };
    const ask = (host: string) => call("/api/v1/files", { method: "OPTIONS", headers: { ...headers, host } });
    expect((await ask("127.0.0.1")).status).toBe(204);
    expect((await ask("127.0.0.1")).status).toBe(204);
    expect((await ask("evil.example")).status).toBe(403);
    expect((await call("/api/v1/node/info")).status).toBe(200);
  });
});
