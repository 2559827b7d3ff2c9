/** Side streams between headless nodes over TLS at the swarm's own port: whole, cut off, and with strangers at the door. */
import { once } from "node:events";
import { type AddressInfo, connect as connectTcp, createServer, type Socket } from "node:net";
import { type ConnectionOptions, connect as connectTls, DEFAULT_CIPHERS, type TLSSocket } from "node:tls";
import { generateKeyPair } from "@libp2p/crypto/keys";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { CLOSE_TIMEOUT_MS, TICKET_BYTES } from "../../../src/exchange/limits.ts";
import { OfferedSides } from "../../../src/exchange/serving/offered-sides.ts";
import { Watchdog } from "../../../src/exchange/watchdog.ts";
import { MAX_WAITING_SIDES, SIDE_WORTH_BYTES } from "../../../src/headless/limits.ts";
import { PEER_TLS, SIDE_ALPN } from "../../../src/headless/network/peer-tls.ts";
import { SideDoor } from "../../../src/headless/network/side-door.ts";
import { createTlsSidePath } from "../../../src/headless/network/tls-side-path.ts";
import type { PeerSession } from "../../../src/sharing/ports.ts";
import { systemClock } from "../../../src/sharing/system-clock.ts";
import { deferred } from "../../deferred.ts";
import { untilConnected } from "../../network/swarm-of-nodes.ts";
import { type Block, MIB, makeBlocks, sourceOf, wanted } from "../exchange/loopback.ts";
import { expectEqual } from "../exchange/side-path.ts";
import { fetchAll } from "../exchange/test-node.ts";
import { type SideNode, sideNode } from "./side-node.ts";

const never = new AbortController().signal;

/** Who serves the blocks, and who asks; `dials`: which of the two opened the connection. */
async function pair(blocks: Block[], { dials = "asker", asker = sideNode() } = {}) {
  const nodes = { server: await sideNode(), asker: await asker };
  nodes.server.exchange.serve(sourceOf(blocks));
  const [from, to] = dials === "asker" ? [nodes.asker, nodes.server] : [nodes.server, nodes.asker];
  await from.network.swarm.connect(to.network.swarm.addresses()[0] as string, never);
  await untilConnected(to.network, from.network);
  return { ...nodes, session: await nodes.asker.exchange.openSession(nodes.server.peerId, never) };
}

type Pair = Awaited<ReturnType<typeof pair>>;

/** Fetches until a side stream is worth it. */
async function untilOpened({ aside }: SideNode, session: PeerSession, blocks: Block[]): Promise<void> {
  for (let tries = 0; aside.opened === 0; tries += 1) {
    if (tries === 100) throw new Error("no side stream is opened");
    await fetchAll(session, blocks);
  }
}

/** Fetches until answers come on the side stream. */
async function untilAside({ asker, session }: Pair, blocks: Block[]): Promise<void> {
  await untilOpened(asker, session, blocks);
  // However long that takes, what is fetched meanwhile would come on the stream.
  await expect.poll(() => asker.aside.bytes).toBeGreaterThan(0);
  for (let tries = 0; asker.aside.bytes < MIB; tries += 1) {
    if (tries === 100) throw new Error("nothing comes on the side stream");
    await fetchAll(session, blocks);
  }
}

/** A stranger at the node's port; ended with the test. */
function stranger({ port }: Pick<SideNode, "port">, options: ConnectionOptions = {}): TLSSocket {
  const socket = connectTls({
    ...{ host: "127.0.0.1", port, rejectUnauthorized: false, ALPNProtocols: [SIDE_ALPN] },
    ...PEER_TLS,
    ...options,
  });
  return ended(socket.on("error", () => undefined));
}

function ended<T extends Socket>(socket: T): T {
  onTestFinished(() => void socket.destroy());
  return socket;
}

/** However it ends. */
function closed(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    if (socket.closed) resolve();
    else socket.resume().once("close", () => resolve());
  });
}

function newTicket({ sides }: SideNode): Uint8Array {
  return sides.offer(new Watchdog(systemClock), () => {}).ticket;
}

describe("between two headless nodes", () => {
  it.each(["asker", "server"])("answers come whole over TLS, when the %s has dialled", async (dials) => {
    const blocks = await makeBlocks(8, MIB);
    const both = await pair(blocks, { dials });
    await untilAside(both, blocks);
    const { session, asker, server } = both;
    const receivedBytes = () => asker.exchange.traffic().downloadedBytes;
    const [aside, received] = [asker.aside.bytes, receivedBytes()];
    expectEqual(await fetchAll(session, blocks), blocks);
    expect(asker.aside.bytes - aside).toBeGreaterThan(8 * MIB);
    expect(receivedBytes() - received).toBe(8 * MIB);
    expect(server.exchange.trafficOf(asker.peerId).uploadedBytes).toBe(receivedBytes());
    expect([...asker.aside.lost, ...server.refused]).toEqual([]);
  });

  it("a few blocks are not worth it, however often one asks", async () => {
    const [block] = (await makeBlocks(1, SIDE_WORTH_BYTES / 256)) as [Block];
    const both = await pair([block]);
    const { session, asker } = both;
    while (asker.exchange.traffic().downloadedBytes < SIDE_WORTH_BYTES)
      expectEqual([await session.fetch(wanted(block))], [block]);
    expect(asker.aside.opened).toBe(0);
    await untilAside(both, [block]);
    expect(asker.aside.opened).toBe(1);
  });

  it("both ends of a conversation may be asked at once", async () => {
    const blocks = await makeBlocks(6, MIB);
    const both = await pair(blocks);
    const { server, asker } = both;
    asker.exchange.serve(sourceOf(blocks));
    const back = { ...both, server: asker, asker: server };
    back.session = await server.exchange.openSession(asker.peerId, never);
    await Promise.all([untilAside(both, blocks), untilAside(back, blocks)]);
    const [there, here] = await Promise.all([fetchAll(both.session, blocks), fetchAll(back.session, blocks)]);
    expectEqual(there, blocks);
    expectEqual(here, blocks);
  });

  it("what was under way when the door fell shut comes on the stream", async () => {
    const blocks = await makeBlocks(12, MIB);
    const both = await pair(blocks);
    await untilAside(both, blocks);
    const { session, server, asker } = both;
    const fetches = blocks.map((block) => session.fetch(wanted(block)));
    await fetches[2];
    server.door.stop();
    expectEqual(await Promise.all(fetches), blocks);
    expect(asker.aside.lost).toHaveLength(1);
    expectEqual(await fetchAll(session, blocks), blocks);
  });

  it("a side stream ends with its conversation", async () => {
    const blocks = await makeBlocks(6, MIB);
    const both = await pair(blocks);
    await untilAside(both, blocks);
    expect(both.asker.aside.open).toBe(1);
    both.server.exchange.stop();
    await expect(both.session.fetch(wanted(blocks[0] as Block))).rejects.toMatchObject({ name: "peer_lost" });
    await expect.poll(() => both.asker.aside.open).toBe(0);
    expect(both.asker.aside.lost).toEqual([]);
  });

  it("who else answers where the peer should is not shown the ticket", async () => {
    const blocks = await makeBlocks(6, MIB);
    const other = await sideNode();
    const asker = sideNode((network) =>
      createTlsSidePath({
        transportOf: () => "tcp",
        tcpSocketOf: async (peerId) => {
          const place = await network.tcpSocketOf(peerId);
          return place && { ...place, port: other.port };
        },
      }),
    );
    const { session, asker: asking } = await pair(blocks, { asker });
    await untilOpened(asking, session, blocks);
    await expect.poll(() => asking.aside.lost).toHaveLength(1);
    expect(asking.aside).toMatchObject({ bytes: 0, lost: [{ name: "UnexpectedPeerError" }] });
    await expect.poll(() => other.refused).toHaveLength(1);
    expectEqual(await fetchAll(session, blocks), blocks);
  });
});

describe("at the door", () => {
  it("a ticket opens once", async () => {
    const node = await sideNode();
    const ticket = newTicket(node);
    const first = stranger(node);
    first.write(ticket);
    expect([...((await once(first, "data"))[0] as Uint8Array)]).toEqual([0x01, 0x92]);
    const second = stranger(node);
    second.write(ticket);
    await closed(second);
    expect(node.refused).toMatchObject([{ message: "no such ticket" }]);
    expect(first.closed).toBe(false);
  });

  it.each([
    ["the quickest AES", undefined, "TLS_AES_128_GCM_SHA256"],
    ["ChaCha20, for who has nothing else", "TLS_CHACHA20_POLY1305_SHA256", "TLS_CHACHA20_POLY1305_SHA256"],
  ])("%s is spoken", async (_, ciphers, spoken) => {
    const node = await sideNode();
    const socket = stranger(node, ciphers === undefined ? {} : { ciphers });
    await once(socket, "secureConnect");
    expect(socket.getCipher().standardName).toBe(spoken);
    expect(socket.alpnProtocol).toBe(SIDE_ALPN);
  });

  it("a ticket may come in pieces, and nothing may come after it", async () => {
    const node = await sideNode();
    const ticket = newTicket(node);
    const socket = stranger(node);
    await once(socket, "secureConnect");
    for (const byte of ticket) {
      socket.write(Uint8Array.of(byte));
      await new Promise(setImmediate);
    }
    await once(socket, "data");
    socket.write("more");
    await closed(socket);
  });

  it.each<[string, (node: SideNode) => Socket]>([
    ["with a ticket that nobody gave out", (node) => stranger(node).end(new Uint8Array(TICKET_BYTES))],
    ["with half a ticket", (node) => stranger(node).end(newTicket(node).subarray(1))],
    ["for something else", (node) => stranger(node, { ALPNProtocols: ["h2"] })],
    [
      "with an old TLS",
      (node) => stranger(node, { minVersion: "TLSv1.2", maxVersion: "TLSv1.2", ciphers: DEFAULT_CIPHERS }),
    ],
    [
      "with noise that begins like TLS",
      ({ port }) => ended(connectTcp(port, "127.0.0.1")).end(new Uint8Array(5000).fill(0x16)),
    ],
  ])("who comes %s is shown out", async (_, come) => {
    const node = await sideNode();
    await closed(come(node).on("error", () => undefined));
    await expect.poll(() => node.refused.length).toBe(1);
  });

  it("so many of a host may wait with unfinished handshakes, keep out no other, and leave room when they go", async () => {
    const node = await sideNode();
    const knock = () => {
      const socket = ended(connectTcp(node.port, "127.0.0.1")).on("error", () => undefined);
      // The head of a record that never comes.
      socket.write(Uint8Array.of(0x16, 0x03, 0x01, 0x02, 0x00));
      return socket;
    };
    const waiting = Array.from({ length: MAX_WAITING_SIDES + 1 }, knock);
    await Promise.race(waiting.map(closed));
    expect(waiting.filter((socket) => socket.closed)).toHaveLength(1);
    const other = stranger(node, { localAddress: "127.0.0.2" } as ConnectionOptions);
    other.write(newTicket(node));
    await Promise.race([once(other, "data"), closed(other)]);
    expect(other.closed).toBe(false);
    for (const socket of waiting) socket.destroy();
    await expect.poll(() => node.refused.length).toBe(MAX_WAITING_SIDES);
    const welcome = stranger(node);
    welcome.write(newTicket(node));
    await once(welcome, "data");
  });

  it.each([
    ["reads nothing", 2 * MIB, false],
    ["does not go", 1, true],
  ])("who %s is shown out when the conversation has ended", async (_, sizeBytes, reads) => {
    const sides = new OfferedSides(systemClock);
    const door = new SideDoor({ privateKey: await generateKeyPair("Ed25519"), sides, onRefused: () => {} });
    const come = deferred<Socket>();
    const listener = createServer((raw) => {
      come.resolve(raw);
      door.take(raw);
    }).listen(0, "127.0.0.1");
    onTestFinished(() => {
      door.stop();
      listener.close();
    });
    await once(listener, "listening");
    const side = sides.offer(new Watchdog(systemClock), () => {});
    const { port } = listener.address() as AddressInfo;
    const guest = stranger({ port }, { allowHalfOpen: true } as ConnectionOptions);
    guest.write(side.ticket);
    await once(guest, "data");
    if (reads) guest.resume();
    else guest.pause();
    // One piece is on its way, and another waits for it.
    for (let pieces = 0; pieces < 2; pieces += 1) {
      await expect.poll(() => side.isWritable).toBe(true);
      side.send(new Uint8Array(sizeBytes));
    }
    const raw = await come.promise;
    const gone = once(raw, "close");
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    side.close();
    await expect.poll(() => vi.getTimerCount()).toBe(1);
    await vi.advanceTimersByTimeAsync(CLOSE_TIMEOUT_MS - 1);
    expect(raw.destroyed).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    await gone;
  });

  it("nobody is let in after it was shut", async () => {
    const node = await sideNode();
    const ticket = newTicket(node);
    const inside = stranger(node);
    inside.write(newTicket(node));
    await once(inside, "data");
    node.door.stop();
    await closed(inside);
    const late = stranger(node);
    late.write(ticket);
    await closed(late);
  });
});
