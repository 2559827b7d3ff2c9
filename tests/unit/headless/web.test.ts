/** What the web port answers: which addresses a page is told, files with their encodings, TLS. */
import { once } from "node:events";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { request } from "node:https";
import { connect } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { gzipSync } from "node:zlib";
import { describe, expect, it, onTestFinished } from "vitest";
import { ExpectedPosts } from "../../../src/exchange/asking/expected-posts.ts";
import { OfferedSides } from "../../../src/exchange/serving/offered-sides.ts";
import { type HttpServer, openHttpServer } from "../../../src/headless/http/server.ts";
import { openPageFiles } from "../../../src/headless/web/page-files.ts";
import { type ReachableNode, shoalJson } from "../../../src/headless/web/shoal-json.ts";
import { createWebApp } from "../../../src/headless/web/web-app.ts";
import { systemClock } from "../../../src/sharing/system-clock.ts";
import { processorMs } from "../../processor-time.ts";
import { temporaryFolder } from "../../temporary-folder.ts";
import { fixture } from "./fixture.ts";

const NODE_ID = "12D3KooWBYPhozq88rBjw3jZH6UWeddZK8fHBnWTQdDFmDCTiBWR";
const ws = (host: string) => `/ip4/${host}/tcp/4402/ws/p2p/${NODE_ID}`;
const CERTHASH = "uEiC6S1WuSDxgvKFkDVQs4aomEF1lb45PMU_OhAdrCJo6og";
const direct = (host: string) => `/ip4/${host}/udp/4403/webrtc-direct/certhash/${CERTHASH}/p2p/${NODE_ID}`;

const node: ReachableNode = {
  swarm: "main",
  nodeId: NODE_ID,
  addresses: () => [
    `/ip4/127.0.0.1/tcp/4401/p2p/${NODE_ID}`,
    ws("127.0.0.1"),
    ws("192.0.2.7"),
    direct("192.0.2.7"),
    `${ws("198.51.100.1")}/p2p-circuit/p2p/${NODE_ID}`,
  ],
  isRelay: true,
  hasSearch: true,
  iceServers: ["stun:stun.example:3478"],
  stun: { host: "0.0.0.0", port: 3478 },
};

describe("what a page is told of the swarm", () => {
  it("names the addresses that pages dial, those of the page's host first", () => {
    const { bootstrap, relays } = shoalJson(node, "192.0.2.7");
    expect(bootstrap).toEqual([ws("192.0.2.7"), direct("192.0.2.7"), ws("127.0.0.1")]);
    expect(relays).toEqual(bootstrap);
  });

  it("puts loopback first for a page on this machine", () => {
    expect(shoalJson(node, "localhost").bootstrap[0]).toBe(ws("127.0.0.1"));
    expect(shoalJson(node, "[::1]").bootstrap[0]).toBe(ws("127.0.0.1"));
  });

  it("names no relay where the node is none", () => {
    expect(shoalJson({ ...node, isRelay: false }, "192.0.2.7").relays).toEqual([]);
    expect(shoalJson({ ...node, hasSearch: false }, "192.0.2.7").search).toBe(false);
  });

  it("names the node's own STUN by the page's host, but not to a page on this machine", () => {
    const given = { urls: "stun:stun.example:3478" };
    expect(shoalJson(node, "192.0.2.7").ice_servers).toEqual([{ urls: "stun:192.0.2.7:3478" }, given]);
    expect(shoalJson(node, "relay.example").ice_servers).toEqual([
      { urls: "stun:relay.example:3478" },
      given,
    ]);
    expect(shoalJson(node, "127.0.0.1").ice_servers).toEqual([given]);
    const bound = { ...node, stun: { host: "2001:db8::1", port: 9 } };
    expect(shoalJson(bound, "relay.example").ice_servers[0]).toEqual({ urls: "stun:[2001:db8::1]:9" });
  });
});

async function webApp(files: Record<string, string | Uint8Array>, hostNames: string[] = []) {
  const folder = await temporaryFolder();
  for (const [name, content] of Object.entries({ "index.html": "<p>page</p>", ...files })) {
    await mkdir(join(folder, name, ".."), { recursive: true });
    await writeFile(join(folder, name), content);
  }
  const log = { debug: () => undefined, info: () => undefined, warn: () => undefined };
  const sides = new OfferedSides(systemClock);
  const posts = new ExpectedPosts();
  const app = createWebApp({ files: await openPageFiles(folder), node, sides, posts, hostNames, log });
  const get = (path: string, headers: Record<string, string> = {}) =>
    app.fetch(new Request(new URL(path, "http://localhost:8080"), { headers }));
  return Object.assign(get, { folder });
}

describe("the page's files", () => {
  it("are sent as they stand, with their type and length", async () => {
    const get = await webApp({ "assets/a-1.js": "let a;" });
    const response = await get("/assets/a-1.js");
    expect(await response.text()).toBe("let a;");
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "content-type": "text/javascript; charset=utf-8",
      "content-length": "6",
      "cache-control": "public, max-age=31536000, immutable",
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
    });
    expect(await (await get("/")).text()).toBe("<p>page</p>");
  });

  it("are sent compressed to who takes that, and are no files by themselves", async () => {
    const packed = gzipSync("let a;");
    const get = await webApp({ "a.js": "let a;", "a.js.gz": packed });
    const response = await get("/a.js", { "Accept-Encoding": "gzip;q=0.5, br" });
    expect(response.headers.get("content-encoding")).toBe("gzip");
    expect(Buffer.from(await response.arrayBuffer())).toEqual(packed);
    const refused = await get("/a.js", { "Accept-Encoding": "gzip;q=0" });
    expect(refused.headers.get("content-encoding")).toBeNull();
    expect((await get("/a.js.gz")).status).toBe(404);
  });

  it("are sent at once, however many blanks are among the encodings that are taken", async () => {
    const get = await webApp({ "a.js": "let a;", "a.js.gz": gzipSync("let a;") });
    const tookMs = await processorMs(async () => {
      const response = await get("/a.js", { "Accept-Encoding": `x${" ".repeat(50_000)}y, gzip ; q=1` });
      expect(response.headers.get("content-encoding")).toBe("gzip");
    });
    expect(tookMs).toBeLessThan(1000);
  });

  it("are not sent again to who has them", async () => {
    const get = await webApp({});
    const etag = (await get("/")).headers.get("etag") ?? "";
    expect((await get("/", { "If-None-Match": etag })).status).toBe(304);
  });

  it("are refused to a Host that a stranger's name server could have brought here", async () => {
    const get = await webApp({}, ["own.example"]);
    expect((await get("http://own.example:8080/")).status).toBe(200);
    expect((await get("http://evil.example/")).status).toBe(403);
    expect((await get("http://evil.example/shoal.json")).status).toBe(403);
  });

  it("are those of a build made since the start", async () => {
    const get = await webApp({ "old.js": "1" });
    const etag = (await get("/")).headers.get("etag") ?? "";
    await rm(join(get.folder, "old.js"));
    await writeFile(join(get.folder, "index.html"), "<p>another page</p>");
    await writeFile(join(get.folder, "new.js"), "let b;");
    const response = await get("/", { "If-None-Match": etag });
    expect(response.headers.get("content-length")).toBe("19");
    expect(await response.text()).toBe("<p>another page</p>");
    expect(await (await get("/new.js")).text()).toBe("let b;");
    expect((await get("/old.js")).status).toBe(404);
  });

  it("are no folders, and nothing outside of theirs", async () => {
    const get = await webApp({ "assets/a.js": "", ".hidden": "" });
    for (const path of [
      "/assets",
      "/assets/",
      "/index.html/a",
      "/.hidden",
      "/..%2Fassets%2Fa.js",
      "//assets/a.js",
    ])
      expect((await get(`http://localhost:8080${path}`)).status, path).toBe(404);
    expect(await (await get("/assets/a.js")).text()).toBe("");
  });

  it("have to be built first", async () => {
    await expect(openPageFiles(await temporaryFolder())).rejects.toThrow("npm run build");
  });
});

describe("the web port over TLS", () => {
  const serve = async (headersTimeoutMs?: number) =>
    openHttpServer({
      app: { fetch: async ({ url }) => new Response(url) },
      host: "127.0.0.1",
      port: 0,
      tls: {
        cert: await fixture("tls/localhost-cert.pem"),
        key: await fixture("tls/localhost-key.pem"),
      },
      trustedProxies: [],
      log: { error: () => undefined, warn: () => undefined },
      ...(headersTimeoutMs && { headersTimeoutMs }),
    });

  /** One that says nothing, not even TLS. */
  const silent = async ({ url }: HttpServer) => {
    const socket = connect(Number(new URL(url).port), "127.0.0.1");
    socket.on("error", () => undefined);
    onTestFinished(() => void socket.destroy());
    await once(socket, "connect");
    return socket.resume();
  };

  it("keeps no connection that begins no TLS longer than one that begins no request", async () => {
    const server = await serve(50);
    onTestFinished(() => server.stop());
    await once(await silent(server), "close");
  });

  it("stops, whatever connections there are", async () => {
    const server = await serve();
    const socket = await silent(server);
    await Promise.all([server.stop(), once(socket, "close")]);
  });

  it("answers by https, and tells the app so", async () => {
    const cert = await fixture("tls/localhost-cert.pem");
    const server = await serve();
    onTestFinished(() => server.stop());
    expect(server.url).toMatch(/^https:/);
    const answer = await new Promise<string>((resolve, reject) => {
      request(server.url, { ca: cert, agent: false }, (incoming) => resolve(text(incoming)))
        .once("error", reject)
        .end();
    });
    expect(answer).toBe(`${server.url}/`);
  });
});
