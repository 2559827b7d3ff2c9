/** Attack 16 below the exchange: connections, handshakes and streams, with real sockets on loopback. */
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import type { StreamMuxer } from "@libp2p/interface";
import { afterEach, describe, expect, it } from "vitest";
import { CATALOGUE_PROTOCOL } from "../../src/network/announcing/catalogue-protocol.ts";
import { MAX_CATALOGUE_FRAME_BYTES } from "../../src/network/announcing/limits.ts";
import { EXCERPT_PROTOCOL } from "../../src/network/excerpts/excerpt-protocol.ts";
import { MAX_HANDSHAKE_BYTES, MAX_NEGOTIATION_BYTES } from "../../src/network/libp2p/limits.ts";
import { MAX_INBOUND_STREAMS_PER_PROTOCOL, MAX_PENDING_PER_HOST } from "../../src/network/limits.ts";
import type { Network } from "../../src/network/network.ts";
import { NOTE_PROTOCOL } from "../../src/network/notes/note-messages.ts";
import { UNLISTED_PROTOCOL } from "../../src/network/providers/unlisted-messages.ts";
import { eventually } from "../eventually.ts";
import { holdHandshakeTime } from "./handshake-time.ts";
import { HostilePeer } from "./hostile-peer.ts";
import { varint } from "./protocol-buffers.ts";
import { someFile } from "./some-file.ts";
import { soon } from "./sooner.ts";
import { holdersOf, join, until } from "./swarm-of-nodes.ts";

const sockets: Socket[] = [];

afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});

/** A bare TCP connection from another loopback address. */
async function openSocket(victim: Network): Promise<Socket> {
  const port = Number(/\/tcp\/(\d+)/.exec(victim.swarm.addresses()[0] ?? "")?.[1]);
  const socket = connect({ host: "127.0.0.1", port, localAddress: "127.0.0.2" });
  sockets.push(socket);
  socket.on("error", () => undefined);
  await once(socket, "connect");
  return socket;
}

async function honestPeerIsServed(victim: Network): Promise<void> {
  const file = someFile("honest");
  const honest = await join({ bootstrap: victim.swarm.addresses() });
  honest.swarm.announce(file);
  await until(victim.swarm, () => holdersOf(victim, file).length === 1);
}

/** A connection of the host that floods the node is answered. */
async function isHeard(victim: Network): Promise<void> {
  const polite = await openSocket(victim);
  polite.write("\x13/multistream/1.0.0\n");
  const [answer] = await Promise.race([once(polite, "data"), once(polite, "close")]);
  expect(String(answer)).toContain("/multistream/1.0.0");
}

describe("a node under a flood", () => {
  it("of connections that never begin a handshake keeps few of one host, for a while, and serves others", async () => {
    const timeIsOver = holdHandshakeTime();
    const victim = await join();
    const flood = await Promise.all(Array.from({ length: 60 }, () => openSocket(victim)));
    // Half of them say nothing, and the others a length that does not end.
    for (const [at, socket] of flood.entries()) if (at % 2 === 0) socket.write(new Uint8Array(64).fill(0xff));
    for (const socket of flood) socket.resume();
    const open = () => [...flood.keys()].filter((at) => flood[at]?.closed === false);
    await expect.poll(() => open().length).toBeLessThanOrEqual(MAX_PENDING_PER_HOST);
    // Those that came last would be left where nothing but the time for a handshake ended any.
    expect(open()).toEqual([...Array(MAX_PENDING_PER_HOST).keys()]);
    await honestPeerIsServed(victim);
    expect(open()).toHaveLength(MAX_PENDING_PER_HOST);
    timeIsOver();
    await expect.poll(() => open().length).toBe(0);
    // Once the second is over in which it began as many as a host may.
    await eventually(() => isHeard(victim));
  });

  it("of bytes that are no handshake closes those connections, and holds none against their host", async () => {
    const victim = await join();
    const flood = await Promise.all(Array.from({ length: MAX_PENDING_PER_HOST }, () => openSocket(victim)));
    const closed = flood.map((socket) => new Promise((resolve) => socket.resume().on("close", resolve)));
    for (const socket of flood) socket.write(new Uint8Array(4096).fill(1));
    await Promise.all(closed);
    await isHeard(victim);
    await honestPeerIsServed(victim);
  });

  it.each([
    ["protocols that it does not know", "", MAX_NEGOTIATION_BYTES],
    ["bytes that are no message of noise", "\x07/noise\n\xff\xff", MAX_HANDSHAKE_BYTES],
  ])("of %s ends a connection before that is known", async (_what, begin, maxBytes) => {
    const victim = await join();
    const socket = await openSocket(victim);
    const closed = new Promise((resolve) => socket.resume().on("close", resolve));
    socket.write(Buffer.from(`\x13/multistream/1.0.0\n${begin}`, "latin1"));
    socket.write("\x03/x\n".repeat(maxBytes / 4));
    await soon(closed);
    await honestPeerIsServed(victim);
  });

  it("of protocols that it does not know ends the stream that they come on", async () => {
    const victim = await join();
    const hostile = await HostilePeer.join(victim);
    const [connection] = hostile.node.getConnections() as unknown as [{ muxer: StreamMuxer }];
    const stream = await connection.muxer.createStream();
    const closed = new Promise((resolve) => stream.addEventListener("close", resolve));
    stream.send(Buffer.from("\x13/multistream/1.0.0\n"));
    stream.send(Buffer.from("\x03/x\n".repeat(MAX_NEGOTIATION_BYTES / 4)));
    await soon(closed);
    await honestPeerIsServed(victim);
  });

  it("of streams lets one connection hold only so many of a protocol", async () => {
    const victim = await join();
    const hostile = await HostilePeer.join(victim);
    const [connection] = hostile.node.getConnections();
    if (connection === undefined) throw new Error("not connected");
    const attempts = 40;
    let ended = 0;
    const refused = new Promise<void>((resolve) => {
      const end = () => {
        ended += 1;
        if (ended >= attempts - MAX_INBOUND_STREAMS_PER_PROTOCOL) resolve();
      };
      for (let i = 0; i < attempts; i++) {
        void connection
          .newStream(CATALOGUE_PROTOCOL)
          .then((stream) => (stream.status === "open" ? stream.addEventListener("close", end) : end()), end);
      }
    });
    await refused;
    await honestPeerIsServed(victim);
  });

  it.each([CATALOGUE_PROTOCOL, EXCERPT_PROTOCOL, NOTE_PROTOCOL, UNLISTED_PROTOCOL])(
    "resets a stream of %s whose frame claims megabytes",
    async (protocol) => {
      const victim = await join();
      const hostile = await HostilePeer.join(victim);
      const [connection] = hostile.node.getConnections();
      if (connection === undefined) throw new Error("not connected");
      const stream = await connection.newStream(protocol);
      const closed = new Promise((resolve) => stream.addEventListener("close", resolve));
      stream.send(Uint8Array.from(varint(3_000_000)));
      await soon(closed);
      expect(stream.status).toMatch(/reset|aborted|closed/);
      await honestPeerIsServed(victim);
    },
  );

  it("takes no catalogue from a peer whose frames are too long or never end", async () => {
    const victim = await join();
    const hostile = await HostilePeer.join(victim);
    let asked = 0;
    const twice = new Promise<void>((resolve) => {
      void hostile.node.handle(CATALOGUE_PROTOCOL, (stream) => {
        asked += 1;
        const bytes = new Uint8Array(MAX_CATALOGUE_FRAME_BYTES + 5);
        bytes.set([0x81, 0x80, 0x04]);
        stream.send(bytes);
        if (asked === 2) resolve();
      });
    });
    await hostile.say({ kind: "alive", epoch: 1, seq: 1, revision: 7, addresses: [] });
    await until(victim.swarm, () => victim.swarm.peers().length === 1);
    await hostile.say({ kind: "alive", epoch: 1, seq: 2, revision: 8, addresses: [] });
    await twice;
    expect(victim.swarm.offers()).toEqual([]);
    await honestPeerIsServed(victim);
  });
});
