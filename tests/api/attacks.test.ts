/** Attacks on the REST API that the app itself must withstand, one line of the list after the other. */
import { describe, expect, it, onTestFinished } from "vitest";
import { gatewayRoutes } from "../../src/api/gateway.ts";
import type { ApiPorts } from "../../src/api/ports.ts";
import { SharingError } from "../../src/sharing/errors.ts";
import { VxError } from "../../src/vx/errors.ts";
import type { OpenApiDocument } from "./conformance/documented.ts";
import { KEY, openInProcess } from "./in-process.ts";
import { memoryIdentity } from "./memory-host.ts";
import { openVx } from "./open-vx.ts";

async function statusOf(answer: Promise<Response>): Promise<number> {
  const response = await answer;
  await response.body?.cancel();
  return response.status;
}

const limits = (requestsPerMinute: number): Pick<ApiPorts, "limits"> => ({
  limits: { requestsPerMinute, maxBodyBytes: 1024 * 1024 },
});

describe("DNS rebinding", () => {
  const { call } = openInProcess({ access: { hostNames: ["Shoal.example"], corsOrigins: [] } });
  const withHost = (host: string, path = "/api/v1/node/info") => statusOf(call(path, { headers: { host } }));

  it.each([
    "localhost",
    "localhost:",
    "LOCALHOST:9",
    "127.0.0.1:8081",
    "192.168.1.7",
    "[::1]:8081",
    "shoal.example:1234",
  ])("serves Host %s", async (host) => {
    expect(await withHost(host)).toBe(200);
  });

  it.each([
    "evil.example",
    "evil.example:8081",
    "localhost.evil.example",
    "127.0.0.1.evil.example",
    "evil.example@localhost",
    "2130706433",
    "0x7f.1",
    "127.1",
    "[evil.example]",
    "[evil.example:80]",
    "[127.0.0.1]",
    "localhost:80:80",
    "evil.example:localhost",
    "",
  ])("refuses Host %j with 403, on open paths too", async (host) => {
    expect(await withHost(host)).toBe(403);
    expect(await withHost(host, "/health")).toBe(403);
  });

  it("looks at the authority of the URL as well", async () => {
    const { app } = openInProcess();
    const request = new Request("http://evil.example/health", { headers: { host: "localhost" } });
    expect(await statusOf(app.fetch(request, { address: "127.0.0.1" }))).toBe(403);
  });
});

describe("cross-site requests", () => {
  const { call } = openInProcess({ access: { hostNames: [], corsOrigins: ["https://listed.example"] } });
  const cancel = (headers: Record<string, string>) =>
    statusOf(call("/api/v1/transfers/none/cancel", { method: "POST", headers }));

  it.each([
    { origin: "https://evil.example" },
    { origin: "null" },
    { origin: "http://127.0.0.1:9999" },
    { origin: "http://127.0.0.1" },
    { origin: "http://127.0.0.1:8081/x" },
    { origin: "evil:http://127.0.0.1:8081" },
    { origin: "https://listed.example.evil.example" },
    { "sec-fetch-site": "cross-site" },
    { origin: "http://127.0.0.1:8081", "sec-fetch-site": "cross-site" },
  ])("refuses a state change from %j", async (headers) => {
    expect(await cancel(headers as Record<string, string>)).toBe(403);
  });

  it.each([
    { origin: "http://127.0.0.1:8081" },
    { origin: "http://localhost:8081", host: "LOCALHOST:8081" },
    { origin: "https://listed.example", "sec-fetch-site": "cross-site" },
    { "sec-fetch-site": "same-origin" },
    {},
  ])("lets through a state change from %j", async (headers) => {
    expect(await cancel(headers as Record<string, string>)).toBe(404);
  });

  it("does nothing for a form or text post, even with a key", async () => {
    const { call: send, fake } = openInProcess();
    fake.place("/shared/a", new Uint8Array(1));
    for (const type of [
      "text/plain",
      "application/x-www-form-urlencoded",
      "multipart/form-data; boundary=b",
    ]) {
      const init = { method: "POST", body: '{"file_path":"/shared/a"}', headers: { "content-type": type } };
      expect(await statusOf(send("/api/v1/files/share", init))).toBe(415);
    }
    expect(fake.node.files()).toEqual([]);
  });

  it("sets no cookie", async () => {
    expect((await call("/api/v1/node/info")).headers.get("set-cookie")).toBeNull();
  });
});

describe("CORS", () => {
  const { call } = openInProcess({ access: { hostNames: [], corsOrigins: ["https://listed.example"] } });
  const asking = { "access-control-request-method": "POST" };
  const preflight = (origin: string, headers = {}) =>
    call("/api/v1/files/share", {
      method: "OPTIONS",
      headers: { origin, ...asking, authorization: "", ...headers },
    });

  it("answers the preflight of a listed origin, without a key", async () => {
    const { status, headers } = await preflight("https://listed.example");
    expect(status).toBe(204);
    expect(headers.get("access-control-allow-origin")).toBe("https://listed.example");
    expect(headers.get("vary")).toBe("Origin");
    expect(headers.get("access-control-allow-methods")).toContain("PATCH");
    // Longer, and the origin would be let in after it was struck off the list.
    expect(headers.get("access-control-max-age")).toBe("600");
  });

  it("lets a listed site send the headers of all routes, and read those of their answers", async () => {
    const access = { hostNames: [], corsOrigins: ["https://listed.example"] };
    const { call: send } = openInProcess({ access, gateway: gatewayRoutes });
    const { paths } = (await (await send("/api/v1/openapi.json")).json()) as OpenApiDocument;
    const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
    const sent = operations.flatMap(({ parameters = [] }) =>
      parameters.filter((one) => one.in === "header").map(({ name }) => name),
    );
    expect(sent.length).toBeGreaterThan(0);
    const allowed = (await preflight("https://listed.example")).headers.get("access-control-allow-headers");
    expect(allowed?.split(", ")).toEqual(
      expect.arrayContaining(["Authorization", "Content-Type", ...new Set(sent)]),
    );

    const told = operations.flatMap(({ responses }) =>
      Object.values(responses).flatMap(({ headers = {} }) => Object.keys(headers)),
    );
    const { headers } = await call("/api/v1/node/info", { headers: { origin: "https://listed.example" } });
    const exposed = headers.get("access-control-expose-headers")?.split(", ") ?? [];
    const kept = new Set(told.filter((name) => !exposed.includes(name)));
    // These are for browsers and proxies.
    expect([...kept].sort()).toEqual([
      "Content-Security-Policy",
      "Cross-Origin-Embedder-Policy",
      "Cross-Origin-Resource-Policy",
      "Vary",
      "X-Accel-Buffering",
    ]);
    expect(exposed).toEqual(
      expect.arrayContaining(["Allow", "Content-Length", "RateLimit", "RateLimit-Policy"]),
    );
  });

  it("opens the private network to a preflight that asks for it", async () => {
    const name = "access-control-allow-private-network";
    expect((await preflight("https://listed.example")).headers.get(name)).toBeNull();
    const asked = await preflight("https://listed.example", {
      "access-control-request-private-network": "true",
    });
    expect(asked.headers.get(name)).toBe("true");
  });

  it.each([
    ["another method", "GET", { origin: "https://listed.example", ...asking }, 200],
    ["no method that is asked for", "OPTIONS", { origin: "https://listed.example" }, 405],
    ["no origin", "OPTIONS", asking, 405],
  ])("takes for no preflight what has %s", async (_what, method, headers, status) => {
    expect(await statusOf(call("/api/v1/node/info", { method, headers }))).toBe(status);
  });

  it("lists no origin that is none, though somebody wrote it down", async () => {
    const { call: send } = openInProcess({ access: { hostNames: [], corsOrigins: ["null"] } });
    const { headers } = await send("/api/v1/node/info", { headers: { origin: "null" } });
    expect(headers.get("access-control-allow-origin")).toBeNull();
  });

  it.each(["https://evil.example", "https://LISTED.example", "https://listed.example:444", "null", "*"])(
    "never allows nor reflects the origin %s",
    async (origin) => {
      const refusal = await preflight(origin);
      expect(refusal.status).toBe(403);
      expect(refusal.headers.get("access-control-allow-origin")).toBeNull();
      const plain = await call("/api/v1/node/info", { headers: { origin } });
      expect(plain.headers.get("access-control-allow-origin")).toBeNull();
    },
  );

  it("lets a listed origin read refusals and the limit's headers", async () => {
    const { headers } = await call("/nowhere", { headers: { origin: "https://listed.example" } });
    expect(headers.get("access-control-allow-origin")).toBe("https://listed.example");
    expect(headers.get("access-control-expose-headers")).toContain("RateLimit");
  });
});

describe("keys", () => {
  const { call } = openInProcess();

  it.each([
    "",
    "Bearer",
    "Bearer ",
    KEY,
    `Basic ${KEY}`,
    `Bearer ${KEY}, Bearer ${KEY}`,
    `Bearer ${KEY} ${KEY}`,
    `Bearer ${KEY}x`,
    `Bearer${KEY}`,
    `Bearer ${"a".repeat(10_000)}`,
  ])("answers 401 to Authorization %j", async (authorization) => {
    const response = await call("/api/v1/node/info", { headers: { authorization } });
    expect(response.status).toBe(401);
    expect(response.headers.get("www-authenticate")).toMatch(/^Bearer/);
  });

  it("takes no key in a URL", async () => {
    const path = `/api/v1/node/info?api_key=${KEY}&access_token=${KEY}`;
    expect(await statusOf(call(path, { headers: { authorization: "" } }))).toBe(401);
  });

  it("opens nothing but the open paths, however they are spelt", async () => {
    const open = ["/health", "/api/v1/openapi.json"];
    const closed = [
      "/Health",
      "/health/",
      "//health",
      "/%68ealth",
      "/metrics",
      "/api/v1/docs",
      "/ipfs/bafkqaaa",
      "/",
    ];
    const anonymous = (path: string) => statusOf(call(path, { headers: { authorization: "" } }));
    for (const path of open) expect(await anonymous(path), path).toBe(200);
    for (const path of closed) expect(await anonymous(path), path).toBe(401);
  });

  it("keeps keys and internals out of what a failing node answers and logs", async () => {
    const logged: unknown[] = [];
    const log = { debug: () => {}, info: () => {}, warn: (...line: unknown[]) => void logged.push(line) };
    const { call: send, fake } = openInProcess({ log });
    fake.node.info = async () => {
      throw new Error("/home/someone/secret.txt");
    };
    const response = await send("/api/v1/node/info");
    expect(response.status).toBe(500);
    expect(await response.json()).toEqual({ error: true, code: 500, message: "Internal server error" });
    expect(logged).toHaveLength(1);
    expect(JSON.stringify(logged)).not.toContain(KEY);
  });

  it("says what the system refuses a failing node, and logs alone the path of it", async () => {
    const logged: unknown[] = [];
    const log = { debug: () => {}, info: () => {}, warn: (...line: unknown[]) => void logged.push(line) };
    const { call: send, fake } = openInProcess({ log });
    const error = new Error("EMFILE: too many open files, open '/home/someone/secret.txt'");
    fake.node.info = () => Promise.reject(error);
    const response = await send("/api/v1/node/info");
    const message =
      "The node may open no more files. Raise its limit of open files (ulimit -n) and restart it, or try again later.";
    expect(await response.json()).toEqual({ error: true, code: 500, message });
    expect(logged).toEqual([[expect.any(String), { path: "/api/v1/node/info", error }]]);
  });

  it("logs why an index is lost, and says no more than that it is", async () => {
    const logged: unknown[] = [];
    const log = { debug: () => {}, info: () => {}, warn: (...line: unknown[]) => void logged.push(line) };
    const reason = new Error("/home/someone/index/snapshot");
    const vx = await openVx();
    onTestFinished(() => vx.close());
    vx.index.collectMetrics = async () => {
      throw new VxError("unavailable", "The index's thread was lost", { cause: reason });
    };
    const { call: send } = openInProcess({ log, vx });
    const response = await send("/admin/metrics");
    expect(response.status).toBe(503);
    expect(await response.text()).not.toContain("someone");
    expect(logged).toMatchObject([["a request failed", { error: { cause: reason } }]]);
  });

  it("logs no failure for a client that left in the middle", async () => {
    const warned: unknown[] = [];
    const log = { debug: () => {}, info: () => {}, warn: (...line: unknown[]) => void warned.push(line) };
    const { call } = openInProcess({ log });
    const leaving = new AbortController();
    const body = new ReadableStream({
      pull(controller) {
        leaving.abort();
        controller.error(new Error("aborted"));
      },
    });
    const init = { method: "POST", body, signal: leaving.signal, duplex: "half" } as RequestInit;
    expect((await call("/api/v1/files", init)).status).toBe(500);
    expect(warned).toEqual([]);
  });
});

describe("the node's private key", () => {
  it("is given with the API key alone, kept by no cache, and changed by no other site", async () => {
    const { call } = openInProcess({ identity: await memoryIdentity() });
    const path = "/api/v1/identity";
    const before = await call(path);
    expect(before.headers.get("cache-control")).toBe("no-store");
    for (const method of ["GET", "PUT"]) {
      expect(await statusOf(call(path, { method, headers: { authorization: "" } }))).toBe(401);
    }
    const foreign = { "content-type": "application/json", origin: "https://evil.example" };
    const init = { method: "PUT", body: '{"private_key":"AAAA"}', headers: foreign };
    expect(await statusOf(call(path, init))).toBe(403);
    expect(await (await call(path)).text()).toBe(await before.text());
  });

  it("is out of reach where the host does not hand it out", async () => {
    const { call } = openInProcess();
    expect(await statusOf(call("/api/v1/identity"))).toBe(404);
  });

  it("is told in no refusal", async () => {
    const { call } = openInProcess({ identity: await memoryIdentity() });
    const secret = "c2VjcmV0IGtleSBvZiBzb21lb25l";
    const headers = { "content-type": "application/json" };
    const body = JSON.stringify({ private_key: secret });
    const refusal = await call("/api/v1/identity", { method: "PUT", body, headers });
    expect(refusal.status).toBe(400);
    expect(await refusal.text()).not.toContain(secret);
  });
});

describe("evading the rate limit", () => {
  const statuses = async (send: (index: number) => Promise<Response>) => {
    const seen: number[] = [];
    for (let index = 0; index < 4; index += 1) seen.push(await statusOf(send(index)));
    return seen;
  };

  it("fails by X-Forwarded-For, and by a wrong key", async () => {
    const { call } = openInProcess(limits(3));
    const headers = (index: number) => ({
      "x-forwarded-for": `198.51.100.${index}`,
      forwarded: `for=${index}`,
    });
    expect(await statuses((index) => call("/api/v1/node/info", { headers: headers(index) }))).toEqual([
      200, 200, 200, 429,
    ]);
    expect(await statusOf(call("/api/v1/node/info", { headers: { authorization: "Bearer other" } }))).toBe(
      429,
    );
  });

  it("fails by the spelling of an IPv6 address and by other addresses of the same /64", async () => {
    const { call } = openInProcess(limits(3));
    const spellings = [
      "2001:db8::1",
      "2001:0DB8:0:0:0:0:0:1",
      "2001:db8::dead:beef",
      "2001:db8:0:0:ffff::%eth0",
    ];
    expect(
      await statuses((index) => call("/api/v1/node/info", {}, { address: spellings[index] ?? "" })),
    ).toEqual([200, 200, 200, 429]);
    expect(await statusOf(call("/api/v1/node/info", {}, { address: "2001:db8:0:1::1" }))).toBe(200);
  });

  it("fails by the IPv6 spelling of an IPv4 address", async () => {
    const { call } = openInProcess(limits(3));
    const spellings = ["192.0.2.1", "::ffff:192.0.2.1", "::FFFF:c000:0201", "0:0:0:0:0:ffff:192.0.2.1"];
    expect(
      await statuses((index) => call("/api/v1/node/info", {}, { address: spellings[index] ?? "" })),
    ).toEqual([200, 200, 200, 429]);
  });

  it("counts neither the index's paths nor calls of the app's own page", async () => {
    const { call } = openInProcess(limits(1));
    const own = { address: "page", inProcess: true };
    expect(await statuses(() => call("/metrics"))).toEqual([200, 200, 200, 200]);
    expect(await statuses(() => call("/api/v1/node/info", {}, own))).toEqual([200, 200, 200, 200]);
  });
});

describe("bodies", () => {
  const { call, fake } = openInProcess();
  const send = (body: string) =>
    call("/api/v1/files/share", { method: "POST", body, headers: { "content-type": "application/json" } });

  it("leaves `constructor` and `prototype` inert", async () => {
    fake.place("/shared/a", new Uint8Array([1]));
    const body = '{"file_path":"/shared/a","constructor":{"prototype":{"polluted":1}},"prototype":1}';
    expect(await statusOf(send(body))).toBe(200);
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
  });

  it("stops reading a stream that is longer than allowed", async () => {
    let pulled = 0;
    let isLeft = false;
    const endless = new ReadableStream<Uint8Array>({
      pull(controller) {
        pulled += 1;
        controller.enqueue(new Uint8Array(64 * 1024).fill(0x20));
      },
      cancel() {
        isLeft = true;
      },
    });
    const headers = { "content-type": "application/json" };
    const init = { method: "POST", body: endless, headers, duplex: "half" } as RequestInit;
    expect(await statusOf(call("/api/v1/files/share", init))).toBe(413);
    expect(pulled).toBeLessThan(40);
    expect(isLeft).toBe(true);
  });

  it.each([
    ["/api/v1/files/share", ['{"file_path":', "", '"/shared/', 'none"}'], "application/json", 403],
    ["/api/v1/transfers/none/cancel", ["", ""], "text/plain", 404],
    ["/api/v1/transfers/none/cancel", ["", "{}"], "text/plain", 415],
  ])("are the same in pieces: to %s in %j", async (path, pieces, type, status) => {
    const body = ReadableStream.from(pieces.map((piece) => new TextEncoder().encode(piece)));
    const init = { method: "POST", body, headers: { "content-type": type }, duplex: "half" };
    expect(await statusOf(call(path, init as RequestInit))).toBe(status);
  });

  it.each(["application/octet-stream", "multipart/form-data; boundary=B"])(
    "takes an upload of %s no faster than it is stored",
    async (type) => {
      const { call: upload, fake: slow } = openInProcess();
      let pulled = 0;
      const endless = new ReadableStream<Uint8Array>({
        pull(controller) {
          const head = '--B\r\nContent-Disposition: form-data; name="f"; filename="f"\r\n\r\n';
          controller.enqueue(pulled === 0 ? new TextEncoder().encode(head) : new Uint8Array(64 * 1024));
          pulled += 1;
        },
      });
      slow.node.share = async (bytes) => {
        const iterator = bytes[Symbol.asyncIterator]();
        await iterator.next();
        await iterator.return?.();
        throw new SharingError("storage_full", "Storage is full");
      };
      const init = { method: "POST", body: endless, headers: { "content-type": type }, duplex: "half" };
      expect(await statusOf(upload("/api/v1/files", init as RequestInit))).toBe(507);
      expect(pulled).toBeLessThan(8);
    },
  );

  it("refuses a length that a header claims, before reading", async () => {
    const headers = { "content-type": "application/json", "content-length": "99999999999" };
    expect(await statusOf(call("/api/v1/files/share", { method: "POST", body: "{}", headers }))).toBe(413);
  });

  it("takes a body that is as long as allowed, and none that is a byte longer", async () => {
    const maxBodyBytes = 100;
    const { call: post } = openInProcess({ limits: { requestsPerMinute: 0, maxBodyBytes } });
    for (const [length, status] of [
      [maxBodyBytes, 403],
      [maxBodyBytes + 1, 413],
    ] as const) {
      const body = '{"file_path":"/shared/none"}'.padEnd(length);
      for (const told of [{}, { "content-length": String(length) }]) {
        const headers = { "content-type": "application/json", ...told };
        expect(await statusOf(post("/api/v1/files/share", { method: "POST", body, headers }))).toBe(status);
      }
    }
  });

  it.each([
    ["application/json", 403],
    ["Application/JSON", 403],
    ["application/json ; charset=utf-8", 403],
    ['application/json; charset="UTF-8"', 403],
    ["application/json; charset=utf8", 403],
    ["application/json; profile=x", 403],
    ["application/json; charset=utf-8x", 415],
    ["application/json; charset=x-utf-8", 415],
    ["application/json; charset=utf-8; charset=latin1", 415],
    ["application/jsonx", 415],
    ["text/x-application/json", 415],
  ])("takes JSON by its media type: %s", async (type, status) => {
    const init = { method: "POST", body: '{"file_path":"/shared/none"}', headers: { "content-type": type } };
    expect(await statusOf(call("/api/v1/files/share", init))).toBe(status);
  });

  it("takes JSON behind one byte order mark, as editors of Windows begin it", async () => {
    const headers = { "content-type": "application/json" };
    const share = (body: string) => call("/api/v1/files/share", { method: "POST", body, headers });
    expect(await statusOf(share('\ufeff{"file_path":"/shared/none"}'))).toBe(403);
    for (const body of ["\ufeff", '\ufeff\ufeff{"file_path":"/shared/none"}'])
      expect(await statusOf(share(body))).toBe(400);
  });

  it("tells a form from raw bytes, however its media type is spelt", async () => {
    const form = '--B\r\nContent-Disposition: form-data; name="f"; filename="f"\r\n\r\nx\r\n--B--\r\n';
    const upload = (type: string) =>
      call("/api/v1/files", { method: "POST", body: form, headers: { "content-type": type } });
    expect(await (await upload("Multipart/Form-Data; boundary=B")).json()).toMatchObject({
      name: "f",
      size: 1,
    });
    expect(await statusOf(upload("Application/X-WWW-Form-URLEncoded"))).toBe(415);
  });

  it("refuses a text body on a route that takes none", async () => {
    const init = { method: "POST", body: "x=1", headers: { "content-type": "text/plain" } };
    expect(await statusOf(call("/api/v1/transfers/none/cancel", init))).toBe(415);
  });
});

describe("hostile names", () => {
  const nasty = 'a"\\\r\nSet-Cookie: x=1;\u0000\u202Egpj.exe/../%22\u{1F600}\ud800.png';

  it("come out of Content-Disposition as one harmless line", async () => {
    const { call, fake } = openInProcess();
    async function* bytes() {
      yield new Uint8Array([1]);
    }
    const { file } = await fake.node.share(bytes(), { name: nasty });
    const { headers } = await call(`/api/v1/files/${file.id}/content`, { method: "HEAD" });
    const disposition = headers.get("content-disposition") ?? "";
    expect(disposition).toMatch(/^inline; filename="[ -~]*"; filename\*=UTF-8''[\w.~%!$&+^`|-]*$/);
    expect(headers.get("set-cookie")).toBeNull();
    const decoded = decodeURIComponent(disposition.split("''")[1] ?? "");
    // biome-ignore lint/suspicious/noControlCharactersInRegex: their absence is the point
    expect(decoded).not.toMatch(/[\u0000-\u001f\u202e/\\]/);
  });

  it.each(["../../etc/passwd", "C:\\temp\\passwd", "/abs/passwd"])(
    "keep only the last step of %j",
    async (name) => {
      const { call } = openInProcess();
      const init = { method: "POST", body: new Uint8Array([1]) };
      const response = await call(`/api/v1/files?name=${encodeURIComponent(name)}`, init);
      expect((await response.json()) as object).toMatchObject({ name: "passwd" });
    },
  );

  it.each(["a\u0000b", "a\nb", "\u007f"])("are refused where they hold controls: %j", async (name) => {
    const { call } = openInProcess();
    const init = { method: "POST", body: new Uint8Array([1]) };
    expect(await statusOf(call(`/api/v1/files?name=${encodeURIComponent(name)}`, init))).toBe(400);
  });

  it.each(["a%00b", "a%0Ab", "a".repeat(1025)])(
    "are refused in a header, before a byte is read: %j",
    async (name) => {
      const { call } = openInProcess();
      let isRead = false;
      const body = new ReadableStream<Uint8Array>(
        {
          pull(controller) {
            isRead = true;
            controller.close();
          },
        },
        { highWaterMark: 0 },
      );
      const headers = { "content-disposition": `attachment; filename*=UTF-8''${name}` };
      const init = { method: "POST", body, headers, duplex: "half" } as RequestInit;
      expect(await statusOf(call("/api/v1/files", init))).toBe(400);
      expect(isRead).toBe(false);
    },
  );
});

describe("answers", () => {
  it("never enter a cache that another could read, and GET changes nothing", async () => {
    const { call, fake } = openInProcess();
    for (const path of ["/health", "/api/v1/node/info", "/nowhere", "/metrics"]) {
      const response = await call(path);
      expect(response.headers.get("cache-control")).toBe("no-store");
      expect(response.headers.get("x-content-type-options")).toBe("nosniff");
    }
    for (const path of ["/api/v1/files/share", "/api/v1/transfers/download", "/api/v1/tickets"]) {
      expect(await statusOf(call(path))).toBe(405);
    }
    expect(fake.node.events.since(0)).toEqual([]);
  });
});
