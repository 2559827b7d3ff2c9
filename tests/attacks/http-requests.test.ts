/** Attacks 1, 2, 3, 5 and 8 on a running node: requests that only a socket can send. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type ShoalProcess, Shoals } from "../interop/shoal-process.ts";
import { until } from "../interop/until.ts";
import { openRaw, sendRaw } from "./raw-http.ts";
import { expectUnharmed } from "./unharmed.ts";

const MAX_BODY_BYTES = 100_000;
const LISTED = "https://listed.example";

let shoals: Shoals;
let node: ShoalProcess;
let port: string;
let auth: string;

beforeAll(async () => {
  shoals = new Shoals();
  node = await shoals.start({
    flags: [
      ...["--max-body", String(MAX_BODY_BYTES), "--host-name", "shoal.example"],
      ...["--cors-origin", LISTED],
    ],
  });
  port = new URL(node.url).port;
  auth = `Authorization: Bearer ${node.apiKey}`;
});
afterAll(() => shoals[Symbol.asyncDispose]());
afterEach(() => expectUnharmed(node));

/** Refused means: the contract's shape, and nothing was shared or started. */
async function expectRefusal({ status, body }: { status: number; body: string }, expected: number) {
  expect(status).toBe(expected);
  expect(JSON.parse(body)).toEqual({ error: true, code: expected, message: expect.any(String) });
  expect((await node.client.files()).files).toEqual([]);
  expect((await node.client.transfers({ all: true })).transfers).toEqual([]);
}

describe("a Host that a stranger's name brought here", () => {
  it.each([
    "127.0.0.1:PORT",
    "localhost:PORT",
    "LocalHost",
    "[::1]:PORT",
    "192.168.7.7:80",
    "shoal.example:PORT",
  ])("is none for %s", async (host) => {
    const answer = await sendRaw(node.url, [
      "GET /api/v1/files HTTP/1.1",
      `Host: ${host.replace("PORT", port)}`,
      auth,
    ]);
    expect(answer.status).toBe(200);
  });

  it.each([
    "Host: evil.example",
    "Host: evil.example:PORT",
    "Host: 127.0.0.1.evil.example:PORT",
    "Host: localhost.evil.example",
    "Host: evil.example@127.0.0.1:PORT",
    "Host: 127.0.0.1:PORT@evil.example",
    "Host: 127.0.0.1:PORT:80",
    "Host: 2130706433:PORT",
    "Host: 0x7f000001",
    "Host: 127.1",
    "Host: [::1",
    "Host: [evil.example]:PORT",
    "Host: 127.0.0.1/evil.example",
    "Host:",
    "Host: 127.0.0.1:PORT\r\nHost: evil.example",
    "Host: evil.example\r\nHost: 127.0.0.1:PORT",
    "X-Forwarded-Host: 127.0.0.1",
  ])("is refused, key or no key: %j", async (line) => {
    for (const path of ["/health", "/api/v1/files"]) {
      const answer = await sendRaw(node.url, [`GET ${path} HTTP/1.1`, line.replaceAll("PORT", port), auth]);
      await expectRefusalOfHost(answer, path);
    }
  });

  async function expectRefusalOfHost({ status, body }: { status: number; body: string }, path: string) {
    expect(status, path).toBe(403);
    expect(JSON.parse(body)).toMatchObject({ error: expect.anything() });
    expect(body).not.toContain("version");
  }

  it.each(["http://evil.example", "http://127.0.0.1@evil.example", "http://evil.example@127.0.0.1"])(
    "does not hide in the request target, beneath %j",
    async (origin) => {
      for (const path of ["/health", "/api/v1/files"]) {
        const lines = [`GET ${origin}${path} HTTP/1.1`, `Host: 127.0.0.1:${port}`, auth];
        await expectRefusalOfHost(await sendRaw(node.url, lines), path);
      }
    },
  );

  it("is passed over where the request target names ours", async () => {
    const lines = [`GET http://127.0.0.1:${port}/api/v1/files HTTP/1.1`, "Host: evil.example", auth];
    expect((await sendRaw(node.url, lines)).status).toBe(200);
  });

  it("is not looked for in a request target that is no URL", async () => {
    expect((await sendRaw(node.url, ["GET *  HTTP/1.1", `Host: 127.0.0.1:${port}`, auth])).status).toBe(400);
  });

  it("is refused in HTTP/1.0 too, where Host may be left out", async () => {
    expect((await sendRaw(node.url, ["GET /health HTTP/1.0"])).status).toBe(403);
  });
});

describe("an Authorization header", () => {
  it.each([
    ["sent twice, both right", () => [auth, auth]],
    ["sent twice, the second right", () => ["Authorization: Bearer wrong", auth]],
    ["sent twice, the first right", () => [auth, "Authorization: Bearer wrong"]],
    ["sent empty and right", () => ["Authorization:", auth]],
    ["of another scheme", () => [`Authorization: Basic ${btoa(`key:${node.apiKey}`)}`]],
    ["in a proxy's name", () => [`Proxy-Authorization: Bearer ${node.apiKey}`]],
    ["in a cookie", () => [`Cookie: authorization=${node.apiKey}; api_key=${node.apiKey}`]],
  ])("%s opens nothing", async (_how, lines) => {
    const answer = await sendRaw(node.url, [
      "GET /api/v1/files HTTP/1.1",
      `Host: 127.0.0.1:${port}`,
      ...lines(),
    ]);
    expect(answer.status).toBe(401);
    expect(answer.head).toMatch(/^www-authenticate: Bearer/im);
    expect(answer.head).not.toMatch(/^set-cookie/im);
  });

  it("folded over two lines is no header at all", async () => {
    const lines = ["GET /api/v1/files HTTP/1.1", `Host: 127.0.0.1:${port}`, "Authorization: Bearer"];
    expect((await sendRaw(node.url, [...lines, ` ${node.apiKey}`])).status).toBe(400);
  });
});

describe("a page of another site", () => {
  const post = (...lines: string[]) =>
    sendRaw(
      node.url,
      ["POST /api/v1/transfers/download HTTP/1.1", `Host: 127.0.0.1:${port}`, "Content-Length: 75", ...lines],
      JSON.stringify({ file_id: "bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e" }).padEnd(75),
    );

  it.each([
    ["Origin: https://evil.example"],
    ["Origin: null"],
    ["Origin: http://127.0.0.1:1"],
    ["Origin: http://127.0.0.1:PORT.evil.example"],
    ["Origin: https://listed.example.evil.example"],
    ["Origin: https://listed.example\r\nOrigin: https://evil.example"],
    ["Sec-Fetch-Site: cross-site"],
    ["Sec-Fetch-Site: same-origin\r\nSec-Fetch-Site: cross-site\r\nOrigin: https://evil.example"],
  ])("changes nothing, even with the key: %j", async (lines) => {
    const answer = await post(auth, "Content-Type: application/json", lines.replaceAll("PORT", port));
    await expectRefusal(answer, 403);
    expect(answer.head).not.toMatch(/^access-control-allow/im);
  });

  it.each([
    "text/plain",
    "application/x-www-form-urlencoded",
    "application/json, text/plain",
    "text/plain; application/json",
  ])("changes nothing by a simple post of %s", async (type) => {
    await expectRefusal(await post(auth, `Content-Type: ${type}`), 415);
  });

  it("is told in a preflight that only the listed origin may call", async () => {
    const preflight = (origin: string) =>
      sendRaw(node.url, [
        "OPTIONS /api/v1/files/share HTTP/1.1",
        `Host: 127.0.0.1:${port}`,
        `Origin: ${origin}`,
        "Access-Control-Request-Method: POST",
      ]);
    const allowed = await preflight(LISTED);
    expect(allowed.status).toBe(204);
    expect(allowed.head).toMatch(/^access-control-allow-origin: https:\/\/listed\.example\r?$/im);
    expect(allowed.head).not.toMatch(/^access-control-allow-credentials/im);
    const refused = await preflight("https://evil.example");
    expect(refused.status).toBe(403);
    expect(refused.head).not.toMatch(/^access-control-allow/im);
  });
});

describe("a body", () => {
  const head = (...lines: string[]) => [
    "POST /api/v1/files/share HTTP/1.1",
    `Host: 127.0.0.1:${port}`,
    auth,
    "Content-Type: application/json",
    ...lines,
  ];
  const chunk = (bytes: number) => `${bytes.toString(16)}\r\n${" ".repeat(bytes)}\r\n`;

  it("over the limit in chunks is refused while it streams, and the connection serves the next request", async () => {
    const client = await openRaw(node.url);
    client.send(`${head("Transfer-Encoding: chunked").join("\r\n")}\r\n\r\n`);
    client.send(chunk(MAX_BODY_BYTES) + chunk(1));
    await expectRefusal(await client.answer(), 413);
    client.send(`${chunk(50_000)}0\r\n\r\n`);
    client.send(`GET /health HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`);
    expect((await client.answer()).status).toBe(200);
  });

  it("that never ends after its refusal is cut off", async () => {
    const client = await openRaw(node.url);
    client.send(`${head("Transfer-Encoding: chunked").join("\r\n")}\r\n\r\n`);
    client.send(chunk(MAX_BODY_BYTES + 1));
    await expectRefusal(await client.answer(), 413);
    let chunksLeft = 16_384;
    const flood = () => {
      while (!client.socket.destroyed && chunksLeft-- > 0 && client.socket.write(chunk(64 * 1024)));
    };
    client.socket.on("drain", flood);
    flood();
    await client.closed;
  });

  it("of exactly the limit is taken", async () => {
    const client = await openRaw(node.url);
    client.send(`${head("Transfer-Encoding: chunked").join("\r\n")}\r\n\r\n`);
    client.send(`${chunk(MAX_BODY_BYTES - 2)}2\r\n{}\r\n0\r\n\r\n`);
    await expectRefusal(await client.answer(), 400);
  });

  it("that claims more than the limit is refused before any of it is sent", async () => {
    const client = await openRaw(node.url);
    client.send(`${head("Content-Length: 99999999999").join("\r\n")}\r\n\r\n`);
    await expectRefusal(await client.answer(), 413);
  });

  it.each([
    ["two lengths", ["Content-Length: 2", "Content-Length: 3"]],
    ["a length and chunks", ["Content-Length: 2", "Transfer-Encoding: chunked"]],
    ["chunks that are not the last coding", ["Transfer-Encoding: chunked, identity"]],
    ["a negative length", ["Content-Length: -1"]],
    ["a length in hexadecimal", ["Content-Length: 0x2"]],
    ["a length beyond numbers", [`Content-Length: ${"9".repeat(30)}`]],
  ])("with %s smuggles no second request", async (_what, lines) => {
    const client = await openRaw(node.url);
    client.send(
      `${head(...lines).join("\r\n")}\r\n\r\n{}GET /health HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`,
    );
    const answer = await client.answer();
    expect([400, 413]).toContain(answer.status);
    expect(answer.body).not.toContain("version");
    await client.closed;
    await expect(client.answer()).rejects.toThrow("ended");
  });

  it.each([
    ["nested deeper than allowed", `{"file_path":${"[".repeat(70)}${"]".repeat(70)}}`, 400],
    ["nested without end", "[".repeat(90_000), 400],
    ["with __proto__", '{"file_path":"x","__proto__":{"polluted":true}}', 400],
    ["with a key twice", '{"file_path":"x","file_path":"/etc/passwd"}', 400],
    ["with NUL in a path", '{"file_path":"shared\\u0000/etc/passwd"}', 400],
    ["with a number out of range", '{"file_path":1e999}', 400],
    ["with half a surrogate", '{"file_path":"\\ud800"}', 404],
  ])("%s is refused", async (_what, json, status) => {
    await expectRefusal(
      await sendRaw(node.url, head(`Content-Length: ${Buffer.byteLength(json)}`), json),
      status,
    );
  });

  it("in bad UTF-8 is refused", async () => {
    const bytes = Buffer.concat([
      Buffer.from('{"file_path":"'),
      Buffer.from([0xc3, 0x28]),
      Buffer.from('"}'),
    ]);
    await expectRefusal(await sendRaw(node.url, head(`Content-Length: ${bytes.length}`), bytes), 400);
  });
});

describe("headers", () => {
  it("of 16 KiB and more are refused, in one and in many", async () => {
    const many = Array.from({ length: 3000 }, (_, index) => `X-${index}: ${index}`);
    for (const lines of [[`X: ${"y".repeat(20_000)}`], many]) {
      const answer = await sendRaw(node.url, ["GET /health HTTP/1.1", `Host: 127.0.0.1:${port}`, ...lines]);
      expect(answer.status).toBe(431);
    }
  });

  it("split by bare line feeds or carriage returns smuggle nothing into an answer", async () => {
    const path = "/api/v1/files/x%0d%0aSet-Cookie:%20a=b/content";
    const answer = await sendRaw(node.url, [`GET ${path} HTTP/1.1`, `Host: 127.0.0.1:${port}`, auth]);
    expect(answer.status).toBe(404);
    expect(answer.head).not.toMatch(/^set-cookie/im);
  });
});

describe("requests sent ahead of their answers", () => {
  const request = (path: string) => `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n${auth}\r\n\r\n`;

  it("are answered in order", async () => {
    const client = await openRaw(node.url);
    client.send((request("/api/v1/node/info") + request("/nowhere")).repeat(50));
    for (let pair = 0; pair < 50; pair++) {
      expect((await client.answer()).status).toBe(200);
      expect((await client.answer()).status).toBe(404);
    }
  });

  it("cost their client the connection where they are hundreds, and the node no memory", async () => {
    const { socket } = await openRaw(node.url);
    socket.on("error", () => undefined);
    socket.write(request("/api/v1/openapi.json").repeat(200_000));
    await until("it is cut off", () => socket.destroyed);
  });
});

describe("a method that no path takes", () => {
  it("is refused with 405 and those that the path takes, TRACE as any other, once the key is right", async () => {
    const trace = (...headers: string[]) =>
      sendRaw(node.url, ["TRACE /api/v1/files HTTP/1.1", "Host: localhost", ...headers]);
    const answer = await trace(auth);
    await expectRefusal(answer, 405);
    expect(answer.head).toMatch(/^Allow: GET, HEAD, POST\r?$/im);
    await expectRefusal(await trace(), 401);
  });
});
