/** TLS over the bare socket, between real nodes on loopback, and against @libp2p/tls, which is the specification's. */
import "../../../src/headless/node20-shims.ts";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { type AddressInfo, connect as connectTcp, createServer, Socket } from "node:net";
import { connect as connectTls, TLSSocket } from "node:tls";
import { generateKeyPair } from "@libp2p/crypto/keys";
import type { Libp2p, Stream } from "@libp2p/interface";
import { noise } from "@libp2p/noise";
import { peerIdFromPrivateKey } from "@libp2p/peer-id";
import { tls } from "@libp2p/tls";
import { yamux } from "@libp2p/yamux";
import { multiaddr } from "@multiformats/multiaddr";
import { createLibp2p, type Libp2pInit } from "libp2p";
import type { Uint8ArrayList } from "uint8arraylist";
import { describe, expect, it, onTestFinished } from "vitest";
import { gatheringTcp } from "../../../src/headless/network/gathering-tcp.ts";
import { nativeTls } from "../../../src/headless/network/native-tls.ts";
import { deferred } from "../../deferred.ts";

const PROTOCOL = "/echo/1.0.0";
const RECORD_BYTES = 16 * 1024;

type Encrypters = NonNullable<Libp2pInit["connectionEncrypters"]>;

function start(...encrypters: Encrypters): Promise<Libp2p> {
  return startWith(encrypters);
}

/** `connectionManager`: of libp2p, which by default leaves a handshake ten seconds. */
async function startWith(
  encrypters: Encrypters,
  connectionManager: Libp2pInit["connectionManager"] = {},
): Promise<Libp2p> {
  const node = await createLibp2p({
    addresses: { listen: ["/ip4/127.0.0.1/tcp/0"] },
    transports: [gatheringTcp({})],
    connectionEncrypters: encrypters,
    streamMuxers: [yamux()],
    connectionManager,
  });
  onTestFinished(() => node.stop());
  await node.handle(PROTOCOL, (stream: Stream) => {
    stream.addEventListener("message", ({ data }) => void stream.send(data));
    stream.addEventListener("remoteCloseWrite", () => void stream.close());
  });
  return node;
}

/** A connection on which TLS is to come next. */
async function greeted(server: Libp2p): Promise<Socket> {
  const socket = connectTcp(port(server), "127.0.0.1");
  socket.write(GREETING);
  for (let got = ""; got.length < GREETING.length; ) got += String((await once(socket, "data"))[0]);
  return socket;
}

async function echoed(from: Libp2p, to: Libp2p, bytes: Uint8Array): Promise<Buffer> {
  const stream = await from.dialProtocol(to.getMultiaddrs(), PROTOCOL);
  const pieces: Uint8Array[] = [];
  stream.addEventListener("message", ({ data }) => void pieces.push(data.subarray()));
  const ended = once(stream, "remoteCloseWrite");
  for (let at = 0; at < bytes.length; at += 100_000) {
    if (!stream.send(bytes.subarray(at, at + 100_000))) await stream.onDrain();
  }
  await stream.close();
  await ended;
  return Buffer.concat(pieces);
}

/** Of the pieces in which so many bytes came back, sent at once. */
async function longestPiece(sentBytes: number): Promise<number> {
  const [client, server] = [await start(nativeTls()), await start(nativeTls())];
  const stream = await client.dialProtocol(server.getMultiaddrs(), PROTOCOL);
  const ended = once(stream, "remoteCloseWrite");
  const lengths: number[] = [];
  stream.addEventListener("message", ({ data }) => {
    for (const piece of data as Uint8ArrayList) lengths.push(piece.length);
  });
  stream.send(randomBytes(sentBytes));
  await stream.close();
  await ended;
  expect(lengths.reduce((sum, length) => sum + length, 0)).toBe(sentBytes);
  return Math.max(...lengths);
}

/** A line of multistream-select. */
const line = (text: string) => `${String.fromCharCode(text.length + 1)}${text}\n`;
const GREETING = line("/multistream/1.0.0") + line("/tls/1.0.0");

const port = (node: Libp2p) => Number(/tcp\/(\d+)/.exec(String(node.getMultiaddrs()[0]))?.[1]);

describe("TLS on the bare socket", () => {
  const pairs: [string, () => Promise<Libp2p>, () => Promise<Libp2p>][] = [
    ["itself", () => start(nativeTls()), () => start(nativeTls())],
    ["a server with @libp2p/tls", () => start(nativeTls()), () => start(tls())],
    ["a client with @libp2p/tls", () => start(tls()), () => start(nativeTls())],
  ];
  it.each(pairs)("carries megabytes both ways with %s, and knows who is there", async (_name, from, to) => {
    const [client, server] = [await from(), await to()];
    const bytes = randomBytes(3_000_000);
    expect((await echoed(client, server, bytes)).equals(bytes)).toBe(true);
    const [connection] = client.getConnections();
    expect(connection?.encryption).toBe("/tls/1.0.0");
    expect(connection?.remotePeer.equals(server.peerId)).toBe(true);
    expect(server.getConnections()[0]?.remotePeer.equals(client.peerId)).toBe(true);
  });

  it("hands on what came together as one piece, longer than a record", async () => {
    expect(await longestPiece(250_000)).toBeGreaterThan(RECORD_BYTES);
  });

  it("carries records where Node.js keeps its option `onread` elsewhere", async () => {
    const { _handle } = new TLSSocket(new Socket()) as unknown as { _handle: object };
    const inside = Object.getPrototypeOf(_handle) as object;
    const own = Object.getOwnPropertyDescriptor(inside, "useUserBuffer");
    Object.defineProperty(inside, "useUserBuffer", { value: undefined, configurable: true });
    onTestFinished(() => {
      Reflect.deleteProperty(inside, "useUserBuffer");
      if (own !== undefined) Object.defineProperty(inside, "useUserBuffer", own);
    });
    expect(await longestPiece(250_000)).toBeLessThanOrEqual(RECORD_BYTES);
  });

  it("leaves a peer that has noise alone to noise", async () => {
    const [client, server] = [await start(noise()), await start(nativeTls(), noise())];
    expect((await echoed(client, server, randomBytes(100))).length).toBe(100);
    expect(client.getConnections()[0]?.encryption).toBe("/noise");
  });

  it("refuses a peer that is another than the one dialled", async () => {
    const [client, server] = [await start(nativeTls()), await start(nativeTls())];
    const other = peerIdFromPrivateKey(await generateKeyPair("Ed25519"));
    const [address] = server.getMultiaddrs();
    const lie = address?.decapsulateCode(421).encapsulate(`/p2p/${other}`);
    await expect(client.dial(lie as NonNullable<typeof lie>)).rejects.toThrow();
    expect(client.getConnections()).toEqual([]);
  });

  it("refuses itself, dialled by an address that does not say whom, and lives", async () => {
    const node = await start(nativeTls());
    const address = multiaddr(`/ip4/127.0.0.1/tcp/${port(node)}`);
    await expect(node.dial(address)).rejects.toThrow("dial self");
    expect(node.getConnections()).toEqual([]);
  });

  it("refuses a client without a certificate, and one that never ends its handshake", async () => {
    const server = await startWith([nativeTls()], { inboundUpgradeTimeout: 1000 });
    const anonymous = await greeted(server);
    const secured = connectTls({ socket: anonymous, rejectUnauthorized: false, ALPNProtocols: ["libp2p"] });
    secured.on("error", () => undefined);
    const silent = await greeted(server);
    silent.on("error", () => undefined);
    await Promise.all([anonymous, silent].map((socket) => socket.closed || once(socket.resume(), "close")));
    expect(server.getConnections()).toEqual([]);
  });

  // What a callback chooses of its own ended the process, in Node.js before 20.20.
  it("refuses a client that asks for another protocol by an alert, as the system's library does", async () => {
    const server = await start(nativeTls());
    const socket = await greeted(server);
    const stranger = connectTls({ socket, rejectUnauthorized: false, ALPNProtocols: ["h2"] });
    const [refusal] = await once(stranger, "error");
    expect(refusal.code).toBe("ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL");
  });

  it("gives up a server that never ends its handshake, and lives", async () => {
    const client = await start(nativeTls());
    const [waiting, ended] = [new AbortController(), deferred()];
    const server = createServer((socket) => {
      socket.write(GREETING);
      socket.on("error", () => undefined).on("close", () => ended.resolve());
      let comeBytes = 0;
      // What comes after its greeting is the beginning of its handshake.
      socket.on("data", ({ length }) => {
        comeBytes += length;
        if (comeBytes > GREETING.length) waiting.abort();
      });
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const dialled = client.dial(multiaddr(`/ip4/127.0.0.1/tcp/${port}`), { signal: waiting.signal });
    await expect(dialled).rejects.toThrow();
    await ended.promise;
    expect(client.getConnections()).toEqual([]);
  });
});
