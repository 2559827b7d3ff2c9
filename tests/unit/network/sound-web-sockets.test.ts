/** What a WebSocket between nodes makes of what it is given to send, when a full one goes on, and what ends one in vain. */
import "../../../src/headless/node20-shims.ts";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import type { Logger, MultiaddrConnection } from "@libp2p/interface";
import { multiaddr } from "@multiformats/multiaddr";
import { Uint8ArrayList } from "uint8arraylist";
import { expect, it, onTestFinished, vi } from "vitest";
import { type WebSocket, WebSocketServer } from "ws";
import { soundWebSockets } from "../../../src/network/libp2p/sound-web-sockets.ts";

const MAX_BYTES = 256 * 1024;

const silent: Logger = Object.assign(() => {}, {
  error() {},
  trace() {},
  newScope: () => silent,
  enabled: false,
});

/** Gives what `upgrade` makes of the connection. */
async function dial(
  server: { address(): unknown },
  upgrade: (connection: MultiaddrConnection) => Promise<unknown>,
  signal = new AbortController().signal,
): Promise<MultiaddrConnection> {
  const transport = soundWebSockets({ maxBufferedAmount: MAX_BYTES })({
    logger: { forComponent: () => silent },
  } as never);
  const address = multiaddr(`/ip4/127.0.0.1/tcp/${(server.address() as AddressInfo).port}/ws`);
  const dialled = transport.dial(address, { upgrader: { upgradeOutbound: upgrade }, signal } as never);
  return (await dialled) as unknown as MultiaddrConnection;
}

/** Both ends: libp2p's connection before it is upgraded, and the bare socket. */
async function connect(): Promise<{ connection: MultiaddrConnection; peer: WebSocket }> {
  const server = new WebSocketServer({ host: "127.0.0.1", port: 0 });
  onTestFinished(() => {
    for (const client of server.clients) client.terminate();
    server.close();
  });
  await once(server, "listening");
  const accepted = once(server, "connection") as Promise<[WebSocket]>;
  const connection = await dial(server, async (it) => it);
  const [peer] = await accepted;
  return { connection, peer };
}

it("what is sent together is one message", async () => {
  const { connection, peer } = await connect();
  const received: Buffer[] = [];
  peer.on("message", (data: Buffer) => received.push(data));
  connection.send(new Uint8ArrayList(Uint8Array.of(0, 3), Uint8Array.of(1, 2, 3), new Uint8Array(70_000)));
  connection.send(Uint8Array.of(9));
  while (received.length < 2) await once(peer, "message");
  expect(received.map(({ length }) => length)).toEqual([70_005, 1]);
  expect([...(received[0] as Buffer).subarray(0, 5)]).toEqual([0, 3, 1, 2, 3]);
});

it("a full socket goes on once half of its bytes are gone", async () => {
  const { connection, peer } = await connect();
  peer.pause();
  const { websocket } = connection as unknown as { websocket: { bufferedAmount: number } };
  // The system takes some by itself.
  while (connection.send(new Uint8Array(64 * 1024))) expect(websocket.bufferedAmount).toBeLessThan(MAX_BYTES);
  const drained = once(connection as unknown as EventTarget, "drain");
  expect(websocket.bufferedAmount).toBeGreaterThan(MAX_BYTES / 2);
  peer.resume();
  await drained;
  expect(websocket.bufferedAmount).toBeLessThanOrEqual(MAX_BYTES / 2);
});

it("one that is given up while it opens is not opened any further", async () => {
  const opened: globalThis.WebSocket[] = [];
  const Native = globalThis.WebSocket;
  vi.stubGlobal(
    "WebSocket",
    class extends Native {
      constructor(url: string) {
        super(url);
        opened.push(this);
      }
    },
  );
  const server = createServer((socket) => socket.on("error", () => undefined));
  onTestFinished(() => {
    vi.unstubAllGlobals();
    server.close();
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const asked = once(server, "connection");
  const giveUp = new AbortController();
  const dialled = dial(server, async (it) => it, giveUp.signal);
  await asked;
  giveUp.abort(new Error("given up"));
  await expect(dialled).rejects.toThrow();
  expect(opened.map(({ readyState }) => readyState)).not.toContain(Native.CONNECTING);
});

it("one whose other end is not who was wanted is ended", async () => {
  const server = new WebSocketServer({ host: "127.0.0.1", port: 0 });
  onTestFinished(() => void server.close());
  await once(server, "listening");
  let refused: MultiaddrConnection | undefined;
  const dialled = dial(server, async (connection) => {
    refused = connection;
    throw new Error("somebody else");
  });
  await expect(dialled).rejects.toThrow("somebody else");
  expect(refused?.status).toBe("aborted");
});
