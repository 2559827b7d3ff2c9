/** Provider records of many files in a DHT of few peers: put together, by one lookup and on a stream for each peer. */
import "../../../src/headless/node20-shims.ts";
import type { PeerId, Stream } from "@libp2p/interface";
import { peerIdFromString } from "@libp2p/peer-id";
import { lpStream, streamPair } from "@libp2p/utils";
import { multiaddr } from "@multiformats/multiaddr";
import { base58btc } from "multiformats/bases/base58";
import { CID } from "multiformats/cid";
import { expect, it, onTestFinished } from "vitest";
import type { Libp2pNode } from "../../../src/network/libp2p-node.ts";
import {
  MAX_RECORDS_TOGETHER,
  PROVIDE_PAUSE_MS,
  PROVIDE_RETRY_MS,
  PROVIDE_TOGETHER_REST_MS,
} from "../../../src/network/providers/limits.ts";
import { ProviderAnnouncer } from "../../../src/network/providers/provider-announcer.ts";
import { eventually } from "../../eventually.ts";
import { someFile } from "../../network/some-file.ts";
import { HandClock } from "../hand-clock.ts";

const OWN = peerIdFromString("12D3KooWPjceQrSwdWXPyLLeABRXmuqt69Rg3sBYbU1Nft9HyQ6X");
const PEERS = [
  peerIdFromString("12D3KooWH3uVF6wv47WnArKHk5p6cvgCJEb74UTmxztmQDc298L3"),
  peerIdFromString("12D3KooWQYhTNQdmr3ArTeUHRYzFg94BKyTkoWBDWez9kSCVe2Xo"),
];
const ADDRESSES = ["/ip4/127.0.0.1/tcp/4001", "/ip4/127.0.0.1/udp/4001/webrtc-direct"];

type Answer = (stream: Stream) => Promise<unknown>;

/** What each stream brings is told by the files of its records, until the message that is to be answered. */
async function startAnnouncer({ answer }: { answer?: Answer } = {}) {
  const clock = new HandClock();
  const lookups: Uint8Array[] = [];
  const own: string[] = [];
  const streams: { peerId: string; protocol: string; keys: string[]; sizes: number[] }[] = [];
  const atPeer = async (stream: Stream, brought: { keys: string[]; sizes: number[] }) => {
    const messages = lpStream(stream);
    for (;;) {
      const message = (await messages.read()).subarray();
      if (message[1] === 5) break;
      brought.keys.push(base58btc.encode(message.subarray(4, 4 + (message[3] ?? 0))));
      brought.sizes.push(message.byteLength);
    }
    await (answer?.(stream) ?? messages.write(Uint8Array.of(8, 5)));
  };
  const node = {
    peerId: OWN,
    getPeers: () => PEERS,
    getMultiaddrs: () => ADDRESSES.map((address) => multiaddr(address)),
    contentRouting: { cancelReprovide: async () => {} },
    services: {
      dht: {
        async *getClosestPeers(key: Uint8Array) {
          lookups.push(key);
          yield { name: "PEER_RESPONSE", closer: [{ id: OWN }, ...PEERS.map((id) => ({ id }))] };
          for (const id of PEERS) yield { name: "FINAL_PEER", peer: { id } };
        },
        providers: {
          addProvider: async (file: CID) => void own.push(file.toString()),
        },
      },
    },
    async dialProtocol(peerId: PeerId, protocol: string) {
      const [here, there] = await streamPair();
      const brought = { peerId: peerId.toString(), protocol, keys: [], sizes: [] };
      streams.push(brought);
      void atPeer(there, brought).catch(() => {});
      return here;
    },
  };
  const announcer = new ProviderAnnouncer({
    node: node as unknown as Libp2pNode,
    swarm: "test",
    clock,
    log: () => {},
  });
  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  announcer.run(stop.signal).catch((error) => {
    if (!stop.signal.aborted) throw error;
  });
  await clock.pass(0);
  /** Settles when all that the latest streams brought has been answered, or not, and the rest after it has begun. */
  const untilAtRest = () => eventually(() => expect(clock.sleeperCount).toBe(2));
  return { clock, announcer, lookups, own, streams, node, untilAtRest };
}

const filesNamed = (count: number) =>
  Array.from({ length: count }, (_, nth) => someFile(`file ${nth}`).fileId);
const keysOf = (fileIds: string[]) =>
  fileIds.map((fileId) => base58btc.encode(CID.parse(fileId).multihash.bytes));

it("a lookup and a stream for each peer bring the newest, and after a rest the others", async () => {
  const { clock, announcer, lookups, own, streams, untilAtRest } = await startAnnouncer();
  const fileIds = filesNamed(MAX_RECORDS_TOGETHER + 2);
  for (const fileId of fileIds) announcer.provide(fileId);
  await clock.pass(PROVIDE_PAUSE_MS);
  await untilAtRest();
  expect(streams.map(({ peerId }) => peerId)).toEqual(PEERS.map(String));
  expect(new Set(streams.map(({ protocol }) => protocol))).toEqual(new Set(["/shoal/test/kad/1.0.0"]));
  for (const { keys } of streams) expect(keys).toEqual(keysOf(fileIds.slice(2)));
  await clock.pass(PROVIDE_TOGETHER_REST_MS);
  await untilAtRest();
  for (const { keys } of streams.slice(2)) expect(keys).toEqual(keysOf(fileIds.slice(0, 2)));
  expect(lookups).toHaveLength(2);
  expect([...own].sort()).toEqual([...fileIds].sort());
  await clock.pass(10 * PROVIDE_RETRY_MS);
  expect(streams).toHaveLength(4);
});

it("the first names all addresses, the others one", async () => {
  const { clock, announcer, streams, untilAtRest } = await startAnnouncer();
  for (const fileId of filesNamed(3)) announcer.provide(fileId);
  await clock.pass(PROVIDE_PAUSE_MS);
  await untilAtRest();
  const [first = 0, second, third] = streams[0]?.sizes ?? [];
  const another = multiaddr(ADDRESSES[1]).bytes.byteLength + 2;
  expect([second, third]).toEqual([first - another, first - another]);
});

it("one that is withdrawn while it is put is not taken for put when it is announced again", async () => {
  let answerNow = () => {};
  const answered = new Promise<void>((resolve) => {
    answerNow = resolve;
  });
  const answer = async (stream: Stream) => {
    await answered;
    await lpStream(stream).write(Uint8Array.of(8, 5));
  };
  const { clock, announcer, streams, untilAtRest } = await startAnnouncer({ answer });
  const [kept = "", gone = "", back = ""] = filesNamed(3);
  for (const fileId of [kept, gone, back]) announcer.provide(fileId);
  await clock.pass(PROVIDE_PAUSE_MS);
  await eventually(() => expect(streams.map(({ keys }) => keys.length)).toEqual([3, 3]));
  announcer.withdraw(gone);
  announcer.withdraw(back);
  announcer.provide(back);
  answerNow();
  await untilAtRest();
  await clock.pass(PROVIDE_TOGETHER_REST_MS);
  await untilAtRest();
  await clock.pass(10 * PROVIDE_RETRY_MS);
  expect(streams.slice(2).map(({ keys }) => keys)).toEqual([keysOf([back]), keysOf([back])]);
});

it("what no peer says that it took is put again", async () => {
  const { clock, announcer, streams, untilAtRest } = await startAnnouncer({
    answer: async (stream) => stream.abort(new Error("not taken")),
  });
  const fileIds = filesNamed(2);
  for (const fileId of fileIds) announcer.provide(fileId);
  await clock.pass(PROVIDE_PAUSE_MS);
  await untilAtRest();
  expect(streams).toHaveLength(2);
  await clock.pass(PROVIDE_TOGETHER_REST_MS + PROVIDE_RETRY_MS + PROVIDE_PAUSE_MS);
  await untilAtRest();
  expect(streams.slice(2).map(({ keys }) => keys)).toEqual([keysOf(fileIds), keysOf(fileIds)]);
});

it("none is put before this node has an address, without which it would not be kept", async () => {
  const { clock, announcer, lookups, streams, node, untilAtRest } = await startAnnouncer();
  const { getMultiaddrs } = node;
  node.getMultiaddrs = () => [];
  const fileIds = filesNamed(2);
  for (const fileId of fileIds) announcer.provide(fileId);
  await clock.pass(PROVIDE_PAUSE_MS);
  expect(lookups).toHaveLength(0);
  node.getMultiaddrs = getMultiaddrs;
  await clock.pass(PROVIDE_RETRY_MS + PROVIDE_PAUSE_MS);
  await untilAtRest();
  expect(streams.map(({ keys }) => keys)).toEqual([keysOf(fileIds), keysOf(fileIds)]);
});

it("where a lookup finds nobody, none is made for each of the others, and who asks this node is told of all", async () => {
  const { clock, announcer, lookups, own, node } = await startAnnouncer();
  // biome-ignore lint/correctness/useYield: as libp2p's where no peer of the DHT comes in time.
  node.services.dht.getClosestPeers = async function* (key) {
    lookups.push(key);
    throw new Error("nobody in time");
  };
  const fileIds = filesNamed(2 * MAX_RECORDS_TOGETHER);
  for (const fileId of fileIds) announcer.provide(fileId);
  await clock.pass(PROVIDE_PAUSE_MS + 2 * PROVIDE_TOGETHER_REST_MS);
  expect(lookups).toHaveLength(1);
  expect(own).toEqual(fileIds);
  await clock.pass(PROVIDE_RETRY_MS + PROVIDE_PAUSE_MS);
  expect(lookups).toHaveLength(2);
});
