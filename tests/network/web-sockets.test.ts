/** What becomes of WebSockets when a node will have no more of the other end, and attack 16 on the port where it takes them. */
import { createHash } from "node:crypto";
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import type { Connection } from "@libp2p/interface";
import { multiaddr } from "@multiformats/multiaddr";
import { describe, expect, it, onTestFinished } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import { answer } from "../../src/network/connecting/answer.ts";
import type { Libp2pNode } from "../../src/network/libp2p-node.ts";
import { MAX_PENDING_PER_HOST, MAX_TAKEN_WEB_SOCKET_MESSAGE_BYTES } from "../../src/network/limits.ts";
import type { Network } from "../../src/network/network.ts";
import { dial, startBareNode } from "./bare-node.ts";
import { holdHandshakeTime } from "./handshake-time.ts";
import { soon } from "./sooner.ts";
import { close, join } from "./swarm-of-nodes.ts";

const UPGRADE = [
  "GET / HTTP/1.1",
  "Host: x",
  "Upgrade: websocket",
  "Connection: Upgrade",
  "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
  "Sec-WebSocket-Version: 13",
  "\r\n",
].join("\r\n");

const LISTEN = ["/ip4/127.0.0.1/tcp/0/ws"];

/** The longest that pages of 2026-11-22 were seen to send as one message. */
const FORMER_MESSAGE_BYTES = 524_508;

/** Closed as refused for its length; anything else is said of what is in it. */
const TOO_LONG = 1009;

/** Settles with the address of its next connection that ends; it asks nobody whether they are still there. */
function lost(node: Libp2pNode): Promise<string> {
  return new Promise((resolve) => {
    node.addEventListener("connection:close", ({ detail }) => resolve(detail.remoteAddr.toString()));
  });
}

describe("a peer that is banned loses its WebSocket at once", () => {
  it("when it was the one that dialled", async () => {
    const banning = await join({ listen: LISTEN });
    const banned = await startBareNode();
    const end = lost(banned);
    await dial(banned, banning);
    banning.swarm.ban(banned.peerId.toString(), 60_000);
    expect(await soon(end)).toContain("/ws");
  });

  it("when it was dialled", async () => {
    const banning = await join({ listen: [] });
    const banned = await startBareNode(LISTEN);
    const end = lost(banned);
    await banning.swarm.connect(`${banned.getMultiaddrs()[0]}`, AbortSignal.timeout(10_000));
    banning.swarm.ban(banned.peerId.toString(), 60_000);
    expect(await soon(end)).toContain("/tcp/");
  });
});

function portOf(victim: Network): number {
  return Number(/\/tcp\/(\d+)\/ws/.exec(victim.swarm.addresses()[0] ?? "")?.[1]);
}

/** So many sockets from another address, which say this and no more. */
async function flood(
  victim: Network,
  count: number,
  text: string,
  localAddress = "127.0.0.2",
): Promise<Socket[]> {
  const port = portOf(victim);
  const sockets = Array.from({ length: count }, () => connect({ host: "127.0.0.1", port, localAddress }));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
  });
  for (const socket of sockets) socket.on("error", () => undefined).resume();
  await Promise.all(sockets.map((socket) => once(socket, "connect")));
  for (const socket of sockets) if (text !== "") socket.write(text);
  return sockets;
}

/** Those of them that are open, once so many are. */
async function untilOpen(sockets: Socket[], count: number): Promise<Socket[]> {
  const open = () => sockets.filter(({ closed }) => !closed);
  await expect.poll(() => open().length).toBeLessThanOrEqual(count);
  expect(open()).toHaveLength(count);
  return open();
}

describe("a port for WebSockets", () => {
  it("has few of a host's connections that say nothing, or never end their request, for a while, and room for others", async () => {
    const timeIsOver = holdHandshakeTime();
    const victim = await join({ listen: LISTEN });
    const floods = await Promise.all([
      flood(victim, 60, "", "127.0.0.2"),
      flood(victim, 60, "GET / HTTP/1.1\r\nHost: x\r\nX-Slow: ", "127.0.0.3"),
    ]);
    const kept = await Promise.all(floods.map((sockets) => untilOpen(sockets, MAX_PENDING_PER_HOST)));
    const honest = await startBareNode();
    await dial(honest, victim);
    const [connection] = honest.getConnections() as [Connection];
    await answer(connection, AbortSignal.timeout(5_000));
    timeIsOver();
    await Promise.all(kept.map((sockets) => untilOpen(sockets, 0)));
    await answer(connection, AbortSignal.timeout(5_000));
  });

  it("closes at once, though some connections say nothing", async () => {
    const victim = await join({ listen: LISTEN });
    const sockets = await flood(victim, 3, "");
    // Connections are taken in the order that they come.
    await dial(await startBareNode(), victim);
    await soon(close(victim));
    await untilOpen(sockets, 0);
  });

  it("ends at once those that the node refuses, whose other end bids no farewell", async () => {
    const victim = await join({ listen: LISTEN });
    const sockets = await flood(victim, MAX_PENDING_PER_HOST, UPGRADE);
    await Promise.all(sockets.map((socket) => once(socket, "data")));
    const more = await flood(victim, 1, UPGRADE);
    await untilOpen(more, 0);
  });

  /** How it closes the socket of who sends it so many zeros, which are no handshake, as one message. */
  async function codeFor(sizeBytes: number): Promise<number> {
    const victim = await join({ listen: LISTEN });
    const socket = new WebSocket(`ws://127.0.0.1:${portOf(victim)}`);
    await once(socket, "open");
    const closed = once(socket, "close");
    socket.send(new Uint8Array(sizeBytes));
    return (await closed)[0];
  }

  it("reads no longer messages than nodes send", async () => {
    expect(await codeFor(MAX_TAKEN_WEB_SOCKET_MESSAGE_BYTES + 1)).toBe(TOO_LONG);
  });

  it("reads messages as long as those of pages that stayed open since before there was a bound", async () => {
    expect(await codeFor(FORMER_MESSAGE_BYTES)).not.toBe(TOO_LONG);
  });

  it.each([
    ["are no frame", [0xf2, 0x80, 1, 2, 3, 4]],
    ["are not masked", [0x82, 1, 7]],
    ["are text that is none", [0x81, 0x82, 0, 0, 0, 0, 255, 255]],
  ])("outlives bytes that %s, which end their own connection alone", async (_what, bytes) => {
    const victim = await join({ listen: LISTEN });
    const [socket] = (await flood(victim, 1, UPGRADE)) as [Socket];
    await once(socket, "data");
    socket.write(Uint8Array.from(bytes));
    await untilOpen([socket], 0);
    await dial(await startBareNode(), victim);
  });
});

it.each([
  [
    "no longer messages of one that it dials than nodes send",
    MAX_TAKEN_WEB_SOCKET_MESSAGE_BYTES + 1,
    TOO_LONG,
  ],
  ["messages of one that it dials as long as former nodes send", FORMER_MESSAGE_BYTES, "read"],
])("a node reads %s", async (_what, sizeBytes, outcome) => {
  const server = new WebSocketServer({ host: "127.0.0.1", port: 0 });
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const taken = once(server, "connection") as Promise<[WebSocket]>;
  const dialling = await startBareNode();
  const dialled = dialling.dial(multiaddr(`/ip4/127.0.0.1/tcp/${port}/ws`));
  const refused = expect(dialled).rejects.toThrow();
  const [socket] = await taken;
  const closed = once(socket, "close");
  socket.send(new Uint8Array(sizeBytes));
  socket.ping();
  const read = once(socket, "pong").then(() => ["read"]);
  expect((await Promise.race([read, closed]))[0]).toBe(outcome);
  socket.terminate();
  await refused;
});

it("a node outlives one that it dials and that answers with what is no frame", async () => {
  const server = createServer((socket) => {
    socket.once("data", (request) => {
      const key = /Sec-WebSocket-Key: (\S+)/i.exec(String(request))?.[1] ?? "";
      const accept = createHash("sha1").update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest("base64");
      const head = `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`;
      socket.write(Buffer.concat([Buffer.from(head), Uint8Array.of(0xf2, 1, 7)]));
    });
  });
  onTestFinished(() => void server.close());
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const dialling = await startBareNode();
  await expect(dialling.dial(multiaddr(`/ip4/127.0.0.1/tcp/${port}/ws`))).rejects.toThrow();
});
