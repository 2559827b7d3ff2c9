/** Attack 16 by those who would be introduced for WebRTC, which any peer may ask for, and at the port for WebRTC-direct. */
import "../../src/headless/node20-shims.ts";
import { setImmediate as turn } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { Connection, Stream } from "@libp2p/interface";
import { type LengthPrefixedStream, lpStream } from "@libp2p/utils";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { boundIncoming, type DirectListener } from "../../src/headless/network/bounded-webrtc-direct.ts";
import { MAX_SIGNALLING_BYTES } from "../../src/network/libp2p/limits.ts";
import type { Libp2pNode } from "../../src/network/libp2p-node.ts";
import {
  ICE_ANSWER_MS,
  MAX_PENDING_CONNECTIONS,
  MAX_PENDING_PER_HOST,
  MAX_PENDING_PER_RELAY,
} from "../../src/network/limits.ts";
import { eventually } from "../eventually.ts";
import { startBareNode } from "./bare-node.ts";
import { field, varint } from "./protocol-buffers.ts";
import { soon } from "./sooner.ts";

setFlagsFromString("--expose-gc");
const collect: () => void = runInNewContext("gc");

const SIGNALLING = "/webrtc-signaling/0.0.1";
const SDP_OFFER = 0;

const OFFER = [
  "v=0",
  "o=- 1 0 IN IP4 127.0.0.1",
  "s=-",
  "t=0 0",
  "m=application 9 UDP/DTLS/SCTP webrtc-datachannel",
  "c=IN IP4 127.0.0.1",
  "a=mid:0",
  "a=setup:actpass",
  "a=ice-ufrag:abcdefgh",
  "a=ice-pwd:abcdefghabcdefghabcdefgh",
  `a=fingerprint:sha-256 ${Array(32).fill("AB").join(":")}`,
  "a=sctp-port:5000",
  "",
].join("\r\n");

async function connected(): Promise<{ victim: Libp2pNode; hostile: Libp2pNode; connection: Connection }> {
  const victim = await startBareNode(["/ip4/127.0.0.1/tcp/0"]);
  const hostile = await startBareNode();
  const connection = await hostile.dial(victim.getMultiaddrs());
  return { victim, hostile, connection };
}

/** Settles once the node has answered with a message. */
async function introduce(messages: LengthPrefixedStream): Promise<void> {
  await messages.write(Buffer.concat([Uint8Array.of(8, SDP_OFFER), field(2, Buffer.from(OFFER))]));
  await messages.read();
}

function untilEnded(stream: Stream): Promise<void> {
  return new Promise((resolve) => stream.addEventListener("close", () => resolve(), { once: true }));
}

it("hanging up after an offer makes no connection", async () => {
  const { victim, hostile, connection } = await connected();
  const stream = await connection.newStream(SIGNALLING);
  await introduce(lpStream(stream));
  await stream.close();
  for (let round = 0; round < 20; round++) await hostile.services.ping.ping(connection.remotePeer);
  expect(victim.getConnections().map(({ remoteAddr }) => `${remoteAddr}`)).toEqual([
    expect.stringContaining("/tcp/"),
  ]);
});

it("an offer of megabytes is not read to its end", async () => {
  const { connection } = await connected();
  const stream = await connection.newStream(SIGNALLING);
  const ended = untilEnded(stream);
  stream.send(Buffer.concat([Uint8Array.from(varint(4_000_000)), new Uint8Array(MAX_SIGNALLING_BYTES)]));
  await soon(ended);
});

it("who asks to be introduced again and again has few that wait", async () => {
  const { connection } = await connected();
  const streams = await Promise.all(
    Array.from({ length: MAX_PENDING_PER_RELAY }, () => connection.newStream(SIGNALLING)),
  );
  const more = await connection.newStream(SIGNALLING);
  if (more.status === "open") await soon(untilEnded(more));
  expect(streams.filter(({ status }) => status === "open")).toHaveLength(MAX_PENDING_PER_RELAY);
  for (const stream of streams) stream.abort(new Error("not wanted any more"));
  await eventually(async () => introduce(lpStream(await connection.newStream(SIGNALLING))));
});

it("datagrams with made-up users make few peer connections of a host, and some in all", async () => {
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const listener: DirectListener = {
    incomingConnection(user, host) {
      begun.push(`${host} ${user}`);
      return new Promise((resolve) => ends.push(resolve));
    },
    connections: new Map(),
  };
  boundIncoming(listener);
  const knock = (host: string, user: number) =>
    listener.incomingConnection(`${user}`, host, 1, new AbortController().signal);
  const first = Array.from({ length: 100 }, (_, user) => knock("127.0.0.2", user));
  expect(begun).toHaveLength(MAX_PENDING_PER_HOST);
  for (let host = 3; host < 100; host++) void knock(`127.0.0.${host}`, 0);
  expect(begun).toHaveLength(MAX_PENDING_CONNECTIONS);
  for (const end of ends.slice(0, MAX_PENDING_PER_HOST)) end();
  await Promise.all(first);
  void knock("127.0.0.2", 100);
  expect(begun.at(-1)).toBe("127.0.0.2 100");
  for (const end of ends.splice(0)) end();
  await Promise.resolve();
  for (let host = 1; host < 100; host++) void knock(`2001:db8::${host}`, 0);
  expect(begun.filter((one) => one.startsWith("2001:db8::"))).toHaveLength(MAX_PENDING_PER_HOST);
});

describe("a connection at the port for WebRTC-direct", () => {
  const given: AbortSignal[] = [];
  const held: WeakRef<object>[] = [];
  const own = new AbortController();

  /** As the library leaves it: with a listener, which knows the connection. */
  function connectAs(user: string): Promise<void> {
    const listener: DirectListener = {
      incomingConnection(_user, _host, _port, signal) {
        const connection = {};
        signal.addEventListener("abort", () => connection);
        given.push(signal);
        held.push(new WeakRef(connection));
        return user === "waits" ? new Promise(() => {}) : Promise.resolve();
      },
      connections: new Map(),
    };
    boundIncoming(listener);
    return listener.incomingConnection(user, "192.0.2.1", 1, own.signal);
  }

  it("is not kept by its signal once it is over", async () => {
    await connectAs("is soon over");
    given.length = 0;
    await turn();
    collect();
    expect(held.map((connection) => connection.deref())).toEqual([undefined]);
  });

  it("that is still being made ends with the listener", () => {
    void connectAs("waits");
    own.abort("closed");
    void connectAs("waits");
    expect(given.map(({ reason }) => reason)).toEqual(["closed", "closed"]);
  });
});

describe("datagrams with forged senders", () => {
  const passed = { ms: 0 };
  let connections: Map<string, { iceConnectionState: string }>;
  let listener: DirectListener;

  beforeEach(() => {
    vi.spyOn(performance, "now").mockImplementation(() => passed.ms);
    connections = new Map();
    listener = {
      connections,
      incomingConnection: (user, host, port, signal) =>
        new Promise((_, reject) => {
          const key = `${host}:${port}:${user}`;
          const answers = host.startsWith("192.0.2.");
          connections.set(key, { iceConnectionState: answers ? "connected" : "checking" });
          signal.addEventListener("abort", () => {
            connections.delete(key);
            reject(signal.reason);
          });
        }),
    };
    boundIncoming(listener);
  });

  const hasPlace = (host: string, user = "0") => connections.has(`${host}:1:${user}`);

  /** Whether who comes has a place, or is to come again. */
  async function knock(host: string, user = "0"): Promise<boolean> {
    void listener.incomingConnection(user, host, 1, new AbortController().signal).catch(() => undefined);
    await new Promise(setImmediate);
    return hasPlace(host, user);
  }

  it("keep nobody out for longer than whoever is there takes to answer", async () => {
    await knock("192.0.2.1");
    for (let host = 1; host < MAX_PENDING_CONNECTIONS; host++) await knock(`10.0.0.${host}`);
    expect([await knock("192.0.2.2"), await knock("192.0.2.2")]).toEqual([false, false]);
    passed.ms += ICE_ANSWER_MS;
    expect([await knock("192.0.2.2"), await knock("192.0.2.2")]).toEqual([false, true]);
    expect(["192.0.2.1", "10.0.0.1", "10.0.0.2"].map((host) => hasPlace(host))).toEqual([true, false, true]);
  });

  it("keep out nobody whose address they bear, and take no other's place for it", async () => {
    await knock("10.0.0.1");
    for (let user = 0; user < MAX_PENDING_PER_HOST; user++) await knock("10.0.0.2", `${user}`);
    passed.ms += ICE_ANSWER_MS;
    expect([await knock("10.0.0.2", "real"), await knock("10.0.0.2", "real")]).toEqual([false, true]);
    expect([hasPlace("10.0.0.1"), hasPlace("10.0.0.2"), connections.size]).toEqual([
      true,
      false,
      1 + MAX_PENDING_PER_HOST,
    ]);
  });
});
