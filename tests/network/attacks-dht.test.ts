/** Attack 18 on the DHT: a peer that would have this node keep what nobody asked for. */
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { generateKeyPair, publicKeyToProtobuf } from "@libp2p/crypto/keys";
import type { Connection, PeerInfo, Stream } from "@libp2p/interface";
import { lpStream } from "@libp2p/utils";
import { type Multiaddr, multiaddr } from "@multiformats/multiaddr";
import { MemoryDatastore } from "datastore-core";
import { Key } from "interface-datastore";
import { CID } from "multiformats/cid";
import { expect, it, onTestFinished, vi } from "vitest";
import type { Libp2pNode } from "../../src/network/libp2p-node.ts";
import { MAX_ADDRESSES_PER_PEER, MAX_DIAL_QUEUE } from "../../src/network/limits.ts";
import {
  DHT_REQUEST_BURST,
  DHT_REQUESTS_PER_SECOND,
  MAX_CLOSER_PEERS,
  MAX_DHT_STREAM_BYTES,
  MAX_PROVIDERS_PER_ANSWER,
} from "../../src/network/providers/limits.ts";
import { dhtProtocol } from "../../src/network/swarm-name.ts";
import { eventually } from "../eventually.ts";
import { dial, startBareNode } from "./bare-node.ts";
import { field, varint } from "./protocol-buffers.ts";
import { someFile } from "./some-file.ts";
import { soon } from "./sooner.ts";
import { join } from "./swarm-of-nodes.ts";

function peerInfo(peerId: Uint8Array, addresses: string[]): Uint8Array {
  return Buffer.concat([field(1, peerId), ...addresses.map((address) => field(2, multiaddr(address).bytes))]);
}

const fileKey = (name: string) => CID.parse(someFile(name).fileId).bytes;

/** An ADD_PROVIDER of the DHT for a file of that name. */
function addProvider(name: string, peerId: Uint8Array, addresses: string[]): Uint8Array {
  return Buffer.concat([Uint8Array.of(8, 2), field(2, fileKey(name)), field(9, peerInfo(peerId, addresses))]);
}

/** The first answer to a search of the node. */
async function firstAnswer({ services }: Libp2pNode): Promise<{ closer: PeerInfo[]; providers: PeerInfo[] }> {
  const looking = new AbortController();
  const file = CID.parse(someFile("wanted").fileId);
  try {
    for (;;) {
      for await (const event of services.dht.findProviders(file, { signal: looking.signal }))
        if (event.name === "PEER_RESPONSE") return event;
    }
  } finally {
    looking.abort();
  }
}

/** Answers each request with so many peers that nobody has heard of, as closer ones and as providers. */
async function nameNobodies(
  hostile: Libp2pNode,
  count: number,
  addresses: string[],
  onAnswer = () => {},
): Promise<void> {
  await hostile.handle(dhtProtocol("test"), async (stream) => {
    const messages = lpStream(stream);
    const type = (await messages.read()).get(1);
    const named = Array.from({ length: count }, () =>
      peerInfo(Uint8Array.of(0, 36, 8, 1, 18, 32, ...randomBytes(32)), addresses),
    );
    const peers = named.flatMap((peer) => [field(8, peer), field(9, peer)]);
    await messages.write(Buffer.concat([Uint8Array.of(8, type), ...peers]));
    onAnswer();
  });
}

const PING = Uint8Array.of(8, 5);

/** A stream of the DHT's to whom the node has dialled. */
async function dhtStreamOf(node: Libp2pNode): Promise<Stream> {
  const [connection] = node.getConnections().filter(({ direction }) => direction === "outbound");
  return await (connection as Connection).newStream(dhtProtocol("test"));
}

const dhtMessagesOf = async (node: Libp2pNode) => lpStream(await dhtStreamOf(node));

it("remembers few of the thousands of addresses that a peer tells of itself, and answers meanwhile", async () => {
  const datastore = new MemoryDatastore();
  const victim = await join({ datastore });
  const hostile = await startBareNode();
  await dial(hostile, victim);
  const messages = await dhtMessagesOf(hostile);
  const ownId = hostile.peerId.toMultihash().bytes;
  for (let round = 0; round < 3; round++) {
    const addresses = Array.from({ length: 2000 }, (_, i) => `/ip4/10.${round}.${i >> 8}.${i & 255}/tcp/1`);
    await messages.write(addProvider(`file ${round}`, ownId, addresses));
  }
  await messages.write(PING);
  expect([...(await messages.read()).subarray()]).toEqual([...PING]);
  const sizes: number[] = [];
  for await (const { value } of datastore.query({ prefix: "/peers" })) sizes.push(value.length);
  expect(Math.max(...sizes)).toBeLessThan(50 * MAX_ADDRESSES_PER_PEER);
});

it("takes no more of an answer than an honest node gives, where libp2p would dial all that it names", async () => {
  const hostile = await startBareNode(["/ip4/127.0.0.1/tcp/0"]);
  // The DHT asks by itself, too, and each answer names others.
  let answers = 0;
  await nameNobodies(hostile, 80, Array(80).fill("/ip4/127.0.0.1/tcp/1"), () => (answers += 1));
  const asking = await startBareNode();
  let heardOf = 0;
  asking.addEventListener("peer:discovery", () => (heardOf += 1));
  await asking.dial(hostile.getMultiaddrs());
  const { closer, providers } = await firstAnswer(asking);
  expect([closer.length, providers.length]).toEqual([MAX_CLOSER_PEERS, MAX_PROVIDERS_PER_ANSWER]);
  expect(closer[0]?.multiaddrs).toHaveLength(MAX_ADDRESSES_PER_PEER);
  expect(heardOf).toBeLessThanOrEqual(answers * (MAX_CLOSER_PEERS + MAX_PROVIDERS_PER_ANSWER));
});

it("has no address of a peer looked up, which in a page others would be asked for", async () => {
  const [name, place] = ["/dnsaddr/nobody.invalid", "/ip4/10.1.2.3/tcp/1"];
  const hostile = await startBareNode(["/ip4/127.0.0.1/tcp/0"]);
  await nameNobodies(hostile, 1, [name, `${place}${name}`, place]);
  const asking = await startBareNode();
  await asking.dial(hostile.getMultiaddrs());
  const { closer } = await firstAnswer(asking);
  expect(closer[0]?.multiaddrs.map(String)).toEqual([place]);

  const datastore = new MemoryDatastore();
  const victim = await join({ datastore });
  const telling = await startBareNode();
  await dial(telling, victim);
  const messages = await dhtMessagesOf(telling);
  const ownId = telling.peerId.toMultihash().bytes;
  let port = 1;
  const kept = await eventually(async () => {
    // Until what it tells of itself when it connects, which takes the place of this, has come; what is no news is not noted.
    await messages.write(addProvider("file", ownId, [name, place, `/ip4/10.1.2.3/tcp/${++port}`]));
    await messages.write(PING);
    await messages.read();
    let entries = "";
    for await (const { value } of datastore.query({ prefix: "/peers" }))
      entries += Buffer.from(value).toString("latin1");
    expect(entries).toContain("\x0a\x01\x02\x03");
    return entries;
  });
  expect(kept).not.toContain("nobody");
});

it("has places for dials that somebody waits for, whoever an answer names", async () => {
  const silent = createServer().listen(0, "127.0.0.1");
  await once(silent, "listening");
  onTestFinished(() => void silent.close());
  const nowhere = `/ip4/127.0.0.1/tcp/${(silent.address() as AddressInfo).port}`;
  let answered = 0;
  const hostile = await startBareNode(["/ip4/127.0.0.1/tcp/0"]);
  await nameNobodies(hostile, 80, [nowhere], () => void answered++);
  const [victim, friend] = [await join(), await join()];
  const address = (node: { toString(): string }[]) => String(node[0]);
  await victim.swarm.connect(address(hostile.getMultiaddrs()), AbortSignal.timeout(10_000));
  const looking = new AbortController();
  const search = async (name: string) => {
    for await (const _ of victim.swarm.providers(someFile(name).fileId, AbortSignal.any([looking.signal])));
  };
  const searches: Promise<void>[] = [];
  await vi.waitFor(
    () => {
      searches.push(search(`wanted ${searches.length}`));
      expect(answered).toBeGreaterThan(MAX_DIAL_QUEUE / MAX_PROVIDERS_PER_ANSWER);
    },
    { timeout: 20_000, interval: 100 },
  );
  looking.abort();
  await Promise.all(searches);
  const met = await victim.swarm.connect(address(friend.swarm.addresses()), AbortSignal.timeout(5_000));
  expect(met.peerId).toBe(friend.swarm.nodeId);
});

it("notes once where a peer is that one request names thousands of times", async () => {
  let writes = 0;
  class CountingDatastore extends MemoryDatastore {
    override put(...[key, ...rest]: Parameters<MemoryDatastore["put"]>) {
      if (key.toString().startsWith("/peers")) writes += 1;
      return super.put(key, ...rest);
    }
  }
  const victim = await join({ datastore: new CountingDatastore() });
  const hostile = await startBareNode();
  await dial(hostile, victim);
  const messages = await dhtMessagesOf(hostile);
  const ownId = hostile.peerId.toMultihash().bytes;
  const again = field(9, peerInfo(ownId, ["/ip4/10.1.2.3/tcp/1"]));
  await messages.write(
    Buffer.concat([addProvider("file", ownId, ["/ip4/10.1.2.3/tcp/1"]), ...Array(5000).fill(again)]),
  );
  await messages.write(PING);
  await messages.read();
  expect(writes).toBeLessThan(100);
});

it("does other things between the requests that a peer sends all at once, and answers them at a rate", async () => {
  const victim = await join();
  const hostile = await startBareNode();
  await dial(hostile, victim);
  const stream = await dhtStreamOf(hostile);
  const messages = lpStream(stream);
  const request = Buffer.concat([Uint8Array.of(8, 4), field(2, fileKey("wanted"))]);
  const frame = Buffer.concat([Uint8Array.of(request.length), request]);
  const count = DHT_REQUEST_BURST + DHT_REQUESTS_PER_SECOND;
  let answered = 0;
  const answeredAtTurn: number[] = [];
  const turns = setInterval(() => answeredAtTurn.push(answered));
  onTestFinished(() => clearInterval(turns));
  const startMs = performance.now();
  stream.send(Buffer.concat(Array(count).fill(frame)));
  for (; answered < count; answered++) await messages.read();
  const tookMs = performance.now() - startMs;
  expect(tookMs).toBeGreaterThan(900);
  expect(new Set(answeredAtTurn).size).toBeGreaterThan(count / 2);
});

it("reads no further where a request or an answer is too long", async () => {
  const hostile = await startBareNode(["/ip4/127.0.0.1/tcp/0"]);
  await nameNobodies(hostile, 8000, ["/ip4/127.0.0.1/tcp/1"]);
  const victim = await join();
  await dial(hostile, victim);
  const stream = await (hostile.getConnections()[0] as Connection).newStream(dhtProtocol("test"));
  const ended = new Promise((resolve) => stream.addEventListener("close", resolve));
  stream.send(Buffer.concat([Uint8Array.from(varint(4_000_000)), new Uint8Array(MAX_DHT_STREAM_BYTES)]));
  await ended;

  const asking = await startBareNode();
  await asking.dial(hostile.getMultiaddrs());
  const found: string[] = [];
  while (!found.includes("QUERY_ERROR")) {
    for await (const { name } of asking.services.dht.findProviders(CID.parse(someFile("wanted").fileId)))
      found.push(name);
  }
  expect(found).not.toContain("PEER_RESPONSE");
});

it("tells who holds a file though one of them is remembered no more", async () => {
  const datastore = new MemoryDatastore();
  const victim = await join({ datastore });
  const [gone, asking] = [await startBareNode(), await startBareNode()];
  const holder = await startBareNode(["/ip4/127.0.0.1/tcp/0"]);
  for (const node of [gone, holder]) {
    await dial(node, victim);
    const messages = await dhtMessagesOf(node);
    await messages.write(addProvider("file", node.peerId.toMultihash().bytes, ["/ip4/10.1.2.3/tcp/1"]));
    await messages.write(PING);
    await messages.read();
  }
  await gone.stop();
  await datastore.delete(new Key(`/peers/${gone.peerId.toCID()}`));
  await dial(asking, victim);
  const messages = await dhtMessagesOf(asking);
  await messages.write(Buffer.concat([Uint8Array.of(8, 3), field(2, fileKey("file"))]));
  const answer = Buffer.from((await messages.read()).subarray());
  expect(answer.includes(Buffer.from(holder.peerId.toMultihash().bytes))).toBe(true);
});

/** Two holders at one host, and a third elsewhere, who is told of before the second of them. */
async function expectEachHostFirst(
  messages: Awaited<ReturnType<typeof dhtMessagesOf>>,
  ids: readonly Uint8Array[],
): Promise<void> {
  for (let asked = 0; asked < DHT_REQUEST_BURST; asked++) {
    await messages.write(Buffer.concat([Uint8Array.of(8, 3), field(2, fileKey("file"))]));
    const answer = Buffer.from((await messages.read()).subarray());
    const [one = -1, other = -1, elsewhere = -1] = ids.map((id) => answer.indexOf(id));
    expect(Math.min(one, other, elsewhere)).toBeGreaterThan(-1);
    expect(elsewhere).toBeLessThan(Math.max(one, other));
  }
}

it("tells of a holder at each host before a second at any, which may have a thousand ids", async () => {
  const victim = await join();
  const ids: Uint8Array[] = [];
  for (const host of ["127.0.0.1", "127.0.0.1", "127.0.0.2"]) {
    const holder = await startBareNode([`/ip4/${host}/tcp/0`]);
    const opened = once(holder, "connection:open");
    await victim.swarm.connect(String(holder.getMultiaddrs()[0]), new AbortController().signal);
    const [{ detail: connection }] = await opened;
    const messages = lpStream(await connection.newStream(dhtProtocol("test")));
    const id = holder.peerId.toMultihash().bytes;
    await messages.write(addProvider("file", id, ["/ip4/10.1.2.3/tcp/1"]));
    await messages.write(PING);
    await messages.read();
    ids.push(id);
  }
  const asking = await startBareNode();
  await dial(asking, victim);
  const messages = await dhtMessagesOf(asking);
  await expectEachHostFirst(messages, ids);
});

it("knows of a holder that it first met through a relay at which host it is", async () => {
  const relay = await startBareNode(["/ip4/127.0.0.1/tcp/0"], true);
  const victim = await startBareNode(["/ip4/127.0.0.1/tcp/0"]);
  await victim.services.dht.setMode("server");
  const ids: Uint8Array[] = [];
  for (const host of ["127.0.0.1", "127.0.0.1", "127.0.0.2"]) {
    const holder = await startBareNode([`/ip4/${host}/tcp/0`, `${relay.getMultiaddrs()[0]}/p2p-circuit`]);
    const isRelayed = (address: Multiaddr) => String(address).includes("/p2p-circuit/p2p/");
    await eventually(() => expect(holder.getMultiaddrs().some(isRelayed)).toBe(true));
    const [direct, relayed] = [false, true].map((is) =>
      holder.getMultiaddrs().find((one) => isRelayed(one) === is),
    );
    await victim.dial(relayed as Multiaddr);
    await victim.dial(direct as Multiaddr, { force: true });
    const id = holder.peerId.toMultihash().bytes;
    const [connection] = holder.getConnections(victim.peerId).filter(({ limits }) => limits === undefined);
    const messages = lpStream(await (connection as Connection).newStream(dhtProtocol("test")));
    await messages.write(addProvider("file", id, ["/ip4/10.1.2.3/tcp/1"]));
    await messages.write(PING);
    await messages.read();
    ids.push(id);
  }
  const asking = await startBareNode();
  const connection = await asking.dial(victim.getMultiaddrs());
  const messages = lpStream(await connection.newStream(dhtProtocol("test")));
  await expectEachHostFirst(messages, ids);
});

it("tells who holds a file while something of the holder is being written", async () => {
  let isHeld = false;
  let letGo = () => {};
  class SlowDatastore extends MemoryDatastore {
    override async put(...[key, ...rest]: Parameters<MemoryDatastore["put"]>) {
      if (isHeld && key.toString().startsWith("/peers"))
        await new Promise<void>((resolve) => {
          letGo = resolve;
        });
      return await super.put(key, ...rest);
    }
  }
  const victim = await join({ datastore: new SlowDatastore() });
  const holder = await startBareNode(["/ip4/127.0.0.1/tcp/0"]);
  await dial(holder, victim);
  const messages = await dhtMessagesOf(holder);
  const tell = (name: string) =>
    messages.write(addProvider(name, holder.peerId.toMultihash().bytes, ["/ip4/10.1.2.3/tcp/1"]));
  await tell("file");
  await messages.write(PING);
  await messages.read();
  const asking = await dhtMessagesOf(holder);
  isHeld = true;
  onTestFinished(() => {
    isHeld = false;
    letGo();
  });
  await tell("other file");
  await asking.write(Buffer.concat([Uint8Array.of(8, 3), field(2, fileKey("file"))]));
  const answer = Buffer.from((await soon(asking.read())).subarray());
  expect(answer.includes(Buffer.from(holder.peerId.toMultihash().bytes))).toBe(true);
});

it("keeps no values for anyone, not even the public keys that every DHT node of libp2p takes without end", async () => {
  const datastore = new MemoryDatastore();
  const victim = await join({ datastore });
  const hostile = await startBareNode();
  await dial(hostile, victim);
  const answered: string[] = [];
  for (let count = 0; count < 3; count++) {
    const { publicKey } = await generateKeyPair("Ed25519");
    const key = Uint8Array.from([...new TextEncoder().encode("/pk/"), ...publicKey.toMultihash().bytes]);
    const put = async () => {
      for await (const event of hostile.services.dht.put(key, publicKeyToProtobuf(publicKey))) {
        if (event.name === "PEER_RESPONSE") answered.push(event.messageName);
      }
    };
    // Its own refusal ends the stream, or the search for who keeps it finds nobody.
    await put().catch(() => undefined);
  }
  const kept: string[] = [];
  for await (const key of datastore.queryKeys({ prefix: "/dht" })) kept.push(key.toString());
  expect(kept).toEqual([]);
  expect(answered).not.toContain("PUT_VALUE");
});
