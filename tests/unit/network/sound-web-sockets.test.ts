/** What a WebSocket between nodes makes of what it is given to send, and when a full one goes on. */
import "../../../src/headless/node20-shims.ts";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import type { Logger, MultiaddrConnection } from "@libp2p/interface";
import { multiaddr } from "@multiformats/multiaddr";
import { Uint8ArrayList } from "uint8arraylist";
import { expect, it, onTestFinished } from "vitest";
import { type WebSocket, WebSocketServer } from "ws";
import { soundWebSockets } from "../../../src/network/libp2p/sound-web-sockets.ts";

const MAX_BYTES = 256 * 1024;

const silent: Logger = Object.assign(() => {}, {
  error() {},
  trace() {},
  newScope: () => silent,
  enabled: false,
});

/** Both ends: libp2p's connection before it is upgraded, and the bare socket. */
async function connect(): Promise<{ connection: MultiaddrConnection; peer: WebSocket }> {
  const server = new WebSocketServer({ host: "127.0.0.1", port: 0 });
  onTestFinished(() => {
    for (const client of server.clients) client.terminate();
    server.close();
  });
  await once(server, "listening");
  const accepted = once(server, "connection") as Promise<[WebSocket]>;
  const transport = soundWebSockets({ maxBufferedAmount: MAX_BYTES })({
    logger: { forComponent: () => silent },
  } as never);
  const address = multiaddr(`/ip4/127.0.0.1/tcp/${(server.address() as AddressInfo).port}/ws`);
  const connection = (await transport.dial(address, {
    upgrader: { upgradeOutbound: async (it: unknown) => it },
  } as never)) as unknown as MultiaddrConnection;
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
