/** Attack 12 on a running node: webhooks that knock on private doors, lead elsewhere, or never stop answering. */
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { MAX_WEBHOOK_SENDS } from "../../src/api/limits.ts";
import { type ShoalProcess, Shoals } from "../interop/shoal-process.ts";
import { until } from "../interop/until.ts";
import { expectUnharmed } from "./unharmed.ts";

/** More than anyone may take of an answer to a webhook. */
const MAX_SENT_BYTES = 32 * 1024 * 1024;

/** A receiver on loopback and the requests that reached it. */
async function startReceiver(answer: (request: IncomingMessage, response: ServerResponse) => void) {
  const requests: string[] = [];
  const server: Server = createServer((request, response) => {
    requests.push(request.url ?? "");
    answer(request, response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { requests, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server };
}

const debug = ["--log-level", "debug"];

async function startNode(...flags: string[]): Promise<ShoalProcess> {
  const shoals = new Shoals();
  onTestFinished(() => shoals[Symbol.asyncDispose]());
  return shoals.start({ flags: [...debug, ...flags] });
}

let sharedCount = 0;
/** Makes an event that every webhook is told of. */
async function share(node: ShoalProcess) {
  sharedCount += 1;
  await node.client.upload(new TextEncoder().encode(`file ${sharedCount}`), { name: "event.txt" });
}

function logged(node: ShoalProcess, text: string | RegExp): string[] {
  return node.log.filter((line) => (typeof text === "string" ? line.includes(text) : text.test(line)));
}

describe("a webhook set over the API", () => {
  const shoals = new Shoals();
  let node: ShoalProcess;
  beforeAll(async () => {
    const nodeFlags = ["--import", join(import.meta.dirname, "hostile-names.mjs")];
    node = await shoals.start({ flags: debug, nodeFlags });
  });
  afterEach(() => expectUnharmed(node));
  afterAll(() => shoals[Symbol.asyncDispose]());

  it("is refused where its address is private in any spelling, or no web address at all", async () => {
    for (const url of [
      node.url,
      "http://localhost/",
      "http://LOCALHOST./",
      "http://sub.localhost/",
      "http://printer.local/",
      "http://router/",
      "http://127.1/",
      "http://2130706433/",
      "http://0x7f.0.0.1/",
      "http://0177.0.0.1/",
      "http://0/",
      "http://[::1]/",
      "http://[::ffff:127.0.0.1]/",
      "http://[64:ff9b::7f00:1]/",
      "http://[fe80::1]/",
      "http://[fd00::1]/",
      "http://169.254.169.254/latest/meta-data/",
      "http://10.0.0.1/",
      "http://172.16.0.1/",
      "http://192.168.1.1/",
      "http://100.64.0.1/",
      "http://224.0.0.1/",
      "http://127.0.0.1.:80/",
      "http://①②⑦.0.0.1/",
      "file:///etc/passwd",
      "ftp://files.example/",
      "gopher://files.example/",
      "javascript:alert(1)",
      "http://",
      "not a url",
    ]) {
      const refusal = await node.client.addWebhook(url).catch((error: unknown) => error);
      expect([400, 403], url).toContain((refusal as { status?: number }).status);
    }
    expect((await node.client.webhooks()).webhooks).toEqual([]);
  });

  it("never reaches a private address that its name resolves to at delivery, alone or behind a public one", async () => {
    const { requests, url } = await startReceiver((_request, response) => response.end());
    const port = new URL(url).port;
    const names = ["loopback", "mapped", "metadata", "mixed"].map((name) => `${name}.attacker.test`);
    for (const name of names) await node.client.addWebhook(`http://${name}:${port}/`);
    await share(node);
    await until(
      "every name was looked up and its address refused",
      () =>
        names.every((name) => logged(node, `looked up ${name}`).length > 0) &&
        logged(node, "is not a public address").length >= names.length,
    );
    expect(requests).toEqual([]);
  });
});

describe("a webhook that the user set", () => {
  it("follows no redirect: it counts as a failure and is tried again", async () => {
    const door = await startReceiver((_request, response) => response.end("inside"));
    const { url, requests } = await startReceiver((_request, response) =>
      response.writeHead(307, { location: `${door.url}/admin` }).end(),
    );
    const node = await startNode("--webhook-url", url, "--webhook-events", "file_shared");
    await share(node);
    await until("the redirect was seen", () => logged(node, /"status":307/).length > 0);
    await until("the delivery is tried again", () => requests.length >= 2);
    expect(door.requests).toEqual([]);
    await expectUnharmed(node);
  });

  it("is cut off where its receiver answers without end, and nothing of it is kept", async () => {
    let sentBytes = 0;
    let isCut = false;
    const { url } = await startReceiver((request, response) => {
      request.socket.on("close", () => {
        isCut = true;
      });
      response.writeHead(200);
      const piece = Buffer.alloc(64 * 1024, "x");
      const flood = () => {
        let isRoom = true;
        while (isRoom && !response.destroyed && sentBytes < MAX_SENT_BYTES) {
          isRoom = response.write(piece);
          sentBytes += piece.length;
        }
        response.once("drain", flood);
      };
      flood();
    });
    const node = await startNode("--webhook-url", url, "--webhook-events", "file_shared");
    await share(node);
    await until("the connection is cut", () => isCut);
    expect(sentBytes).toBeLessThan(MAX_SENT_BYTES);
    await expectUnharmed(node);
  });

  it("that answers nothing holds up neither the node nor other webhooks' events", async () => {
    const silent = await startReceiver(() => undefined);
    const node = await startNode("--webhook-url", silent.url, "--webhook-events", "file_shared");
    for (let index = 0; index < 8; index++) await share(node);
    await until("deliveries wait at the receiver", () => silent.requests.length > 0);
    expect((await node.client.files()).files).toHaveLength(8);
    await share(node);
    expect(silent.requests.length).toBeLessThanOrEqual(MAX_WEBHOOK_SENDS);
    await expectUnharmed(node);
  });
});
