/** What the API answers while the index is loading, on a host that serves before it is. */
import { describe, expect, it, onTestFinished } from "vitest";
import { ShoalClient } from "../../../src/client/client.ts";
import { Client } from "../../../src/client/vx-client.ts";
import { BASE_URL, KEY, openInProcess } from "../in-process.ts";
import { openVx } from "../open-vx.ts";

const REFUSAL = { error: { code: "unavailable", message: "The index is loading" } };

async function openLoading() {
  const vx = await openVx();
  onTestFinished(() => vx.close());
  let isLoading = true;
  const { app, call } = openInProcess({ vx: { ...vx, isLoading: () => isLoading } });
  const options = {
    apiKey: KEY,
    fetch: (request: Request) => app.fetch(request, { address: "127.0.0.1" }),
  };
  const loaded = () => {
    isLoading = false;
  };
  return { call, loaded, node: new ShoalClient(BASE_URL, options), index: new Client(BASE_URL, options) };
}

interface Document {
  paths: Record<string, Record<string, { responses: Record<string, unknown> }>>;
}

describe("while the index is loading", () => {
  it("every route of the index is refused with 503 and Retry-After, as the document says", async () => {
    const { call } = await openLoading();
    const { paths } = (await (await call("/api/v1/openapi.json")).json()) as Document;
    const own = Object.entries(paths).filter(
      ([path]) => !path.startsWith("/api/") && path !== "/health" && path !== "/metrics",
    );
    expect(own.length).toBeGreaterThan(10);
    for (const [path, methods] of own) {
      for (const [method, { responses }] of Object.entries(methods)) {
        const answer = await call(path.replace(/\{\w+\}/, "1"), { method: method.toUpperCase() });
        expect([answer.status, await answer.json()], `${method} ${path}`).toEqual([503, REFUSAL]);
        expect(answer.headers.get("retry-after")).toBe("1");
        expect(Object.keys(responses), `${method} ${path}`).toContain("503");
      }
    }
  });

  it("what is wrong with a request is told first", async () => {
    const { call } = await openLoading();
    expect((await call("/search", { method: "POST", headers: { authorization: "Bearer no" } })).status).toBe(
      401,
    );
    expect((await call("/search/none", { method: "POST" })).status).toBe(404);
    expect((await call("/search", { method: "GET" })).status).toBe(405);
  });

  it("/health says so, and ok once it is loaded", async () => {
    const { call, loaded } = await openLoading();
    const answer = await call("/health");
    expect([answer.status, await answer.json()]).toEqual([
      503,
      { status: "loading", version: "0.1.0", uptime: 0, ...REFUSAL },
    ]);
    expect(answer.headers.get("retry-after")).toBe("1");
    loaded();
    expect(await (await call("/health")).json()).toMatchObject({ status: "ok" });
    expect((await call("/admin/metrics")).status).toBe(200);
  });

  it("the node's routes and its metrics are there", async () => {
    const { node, loaded } = await openLoading();
    expect((await node.files()).files).toEqual([]);
    const metrics = await node.metrics();
    expect(metrics).toMatch(/^shoal_peers_connected /m);
    expect(metrics).toMatch(/^shoal_vx_up 0$/m);
    loaded();
    expect(await node.metrics()).toMatch(/^shoal_vx_up 1$/m);
  });

  it("the clients say when to ask again", async () => {
    const { node, index } = await openLoading();
    const refused = { status: 503, code: "unavailable", retryAfterSeconds: 1 };
    await expect(node.health()).rejects.toMatchObject(refused);
    await expect(index.health()).rejects.toMatchObject(refused);
    await expect(index.search([1, 0, 0])).rejects.toMatchObject(refused);
  });
});
