/** Webhooks go where they may and nowhere else. */
import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import { type AddressInfo, createServer as createTcpServer } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { deliverWebhook } from "../../../src/headless/deliver-webhook.ts";

const INIT = {
  method: "POST",
  headers: { "content-type": "application/json" },
  body: '{"é":1}',
  redirect: "manual",
} as const;
const signal = new AbortController().signal;

describe("delivering a webhook", () => {
  it("posts the body and gives status and body of the answer", async () => {
    const { url, received } = await receiver(202, { body: "thanks" });
    const response = await deliverWebhook(url, INIT, { signal, allowPrivate: true });
    expect(response.status).toBe(202);
    expect(await response.text()).toBe("thanks");
    expect(received).toMatchObject([{ method: "POST", type: "application/json", body: '{"é":1}' }]);
  });

  it("follows no redirect", async () => {
    const elsewhere = await receiver(200);
    const { url } = await receiver(302, { location: elsewhere.url });
    expect((await deliverWebhook(url, INIT, { signal, allowPrivate: true })).status).toBe(302);
    expect(elsewhere.received).toEqual([]);
  });

  it.each([200, 204, 205, 304, 410, 599])("gives an answer of status %d", async (status) => {
    const { url } = await receiver(status);
    expect((await deliverWebhook(url, INIT, { signal, allowPrivate: true })).status).toBe(status);
  });

  it.each(["000", "099", "600", "999"])(
    "fails for an answer of status %s, which HTTP has not",
    async (status) => {
      const url = await rawReceiver(`HTTP/1.1 ${status} Odd\r\nContent-Length: 0\r\n\r\n`);
      await expect(deliverWebhook(url, INIT, { signal, allowPrivate: true })).rejects.toThrow(
        "which is no status of HTTP",
      );
    },
  );

  it("fails for an answer that would go on in another protocol", async () => {
    const url = await rawReceiver(
      "HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: other\r\n\r\n",
    );
    await expect(deliverWebhook(url, INIT, { signal, allowPrivate: true })).rejects.toThrow(
      "the connection ended without an answer",
    );
  });

  it.each([
    "127.0.0.1",
    "localhost",
    "[::1]",
    "[::ffff:127.0.0.1]",
    "2130706433",
    "0x7f.1",
    "169.254.169.254",
    "10.0.0.1",
  ])("refuses the private target %s before it connects", async (host) => {
    const { url, connections } = await receiver(200);
    const target = url.replace("127.0.0.1", host);
    await expect(deliverWebhook(target, INIT, { signal, allowPrivate: false })).rejects.toThrow(
      "not a public address",
    );
    expect(connections()).toBe(0);
  });

  it("ends when its signal aborts", async () => {
    const { url } = await receiver("never");
    const abort = new AbortController();
    const delivering = deliverWebhook(url, INIT, { signal: abort.signal, allowPrivate: true });
    abort.abort();
    await expect(delivering).rejects.toThrow();
  });
});

interface Received {
  method: string | undefined;
  type: string | undefined;
  body: string;
}

async function receiver(status: number | "never", { location = "", body = "" } = {}) {
  const received: Received[] = [];
  let connections = 0;
  const server = createServer(async (incoming, outgoing) => {
    received.push({
      method: incoming.method,
      type: incoming.headers["content-type"],
      body: await textOf(incoming),
    });
    if (status === "never") return;
    outgoing.writeHead(status, location === "" ? {} : { location });
    outgoing.end(body);
  });
  server.on("connection", () => {
    connections += 1;
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/hook`, received, connections: () => connections };
}

/** Answers with these bytes, which a server of Node.js would not send. */
async function rawReceiver(answer: string): Promise<string> {
  const server = createTcpServer((socket) => {
    socket.on("error", () => socket.destroy());
    socket.once("data", () => socket.end(answer));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
}

async function textOf(incoming: IncomingMessage): Promise<string> {
  let text = "";
  for await (const piece of incoming.setEncoding("utf8")) text += piece;
  return text;
}
