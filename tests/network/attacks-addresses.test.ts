/** Attack 17 by addresses: who tells where it is means a web server that this node reaches and the stranger does not. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { generateKeyPair } from "@libp2p/crypto/keys";
import { peerIdFromPrivateKey } from "@libp2p/peer-id";
import { multiaddr } from "@multiformats/multiaddr";
import { expect, it, onTestFinished } from "vitest";
import { until } from "../interop/until.ts";
import { HostilePeer } from "./hostile-peer.ts";
import { join } from "./swarm-of-nodes.ts";

/** A web server of this machine; gives the paths that it is asked for. */
async function startServer(): Promise<{ port: number; asked: string[] }> {
  const asked: string[] = [];
  const server = createServer();
  server.on("upgrade", ({ url = "" }, socket) => {
    asked.push(url);
    socket.destroy();
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => void server.close());
  return { port: (server.address() as AddressInfo).port, asked };
}

it("asks a web server for no path that a stranger's address holds", async () => {
  const { port, asked } = await startServer();
  const hostile = await HostilePeer.join(await join());
  const key = await generateKeyPair("Ed25519");
  hostile.speakFor(key);
  const hosts = [
    `dns4/127.0.0.1:${port}\\restart?now=`,
    `dns/127.0.0.1:${port}?restart=`,
    // The last to be dialled.
    "ip4/127.0.0.1",
  ];
  const addresses = hosts.map(
    (host) => multiaddr(`/${host}/tcp/${port}/ws/p2p/${peerIdFromPrivateKey(key)}`).bytes,
  );
  await hostile.say({ kind: "hello", epoch: Date.now(), seq: 1, revision: 0, addresses });
  await until("all are dialled", () => asked.includes("/"));
  expect(asked).toEqual(["/"]);
});
