/**
 * Real libp2p nodes on loopback TCP (noise, yamux) with an exchange on each, and the clocks and sources that tests
 * give them. Used by the exchange's tests and its benchmark.
 */
import { ChunkBuffers } from "../../../src/sharing/files/chunk-buffers.ts";
import { systemClock } from "../../../src/sharing/system-clock.ts";
import "../../../src/headless/node20-shims.ts";
import { noise } from "@libp2p/noise";
import { peerIdFromString } from "@libp2p/peer-id";
import { tcp } from "@libp2p/tcp";
import { yamux } from "@libp2p/yamux";
import { createLibp2p, type Libp2p } from "libp2p";
import { CID } from "multiformats/cid";
import * as raw from "multiformats/codecs/raw";
import { sha256 } from "multiformats/hashes/sha2";
import {
  createExchange,
  type ExchangeOptions,
  type RunningExchange,
} from "../../../src/exchange/exchange.ts";
import type { BlockRequest, BlockSource, HaveUpdate, Transport } from "../../../src/sharing/ports.ts";

export const KIB = 1024;
export const MIB = 1024 * KIB;

export interface LoopbackNode {
  libp2p: Libp2p;
  exchange: RunningExchange;
  peerId: string;
  /** What `onViolation` was told. */
  violations: { peerId: string; message: string }[];
  stop(): Promise<void>;
}

export interface LoopbackOptions extends Partial<Omit<ExchangeOptions, "streams">> {
  transport?: Transport;
}

export async function startLibp2p(yamuxOptions: Parameters<typeof yamux>[0] = {}): Promise<Libp2p> {
  return createLibp2p({
    addresses: { listen: ["/ip4/127.0.0.1/tcp/0"] },
    transports: [tcp()],
    connectionEncrypters: [noise()],
    streamMuxers: [yamux(yamuxOptions)],
    connectionManager: { inboundConnectionThreshold: 1000 },
  });
}

/** An exchange on a new node, or on the one given. */
export async function startNode(options: LoopbackOptions = {}, given?: Libp2p): Promise<LoopbackNode> {
  const libp2p = given ?? (await startLibp2p());
  const violations: LoopbackNode["violations"] = [];
  const { transport = "tcp", clock = systemClock, ...rest } = options;
  const exchange = createExchange({
    clock,
    onViolation: (peerId, error) => violations.push({ peerId, message: error.message }),
    ...rest,
    streams: {
      openStream: (peerId, protocol, signal) =>
        libp2p.dialProtocol(peerIdFromString(peerId), protocol, { signal }),
      handle: (protocol, handler) =>
        libp2p.handle(protocol, (stream, connection) => handler(stream, connection.remotePeer.toString())),
      doubt: () => {},
      transportOf: () => transport,
      originOf: (peerId) => peerId,
    },
  });
  await exchange.ready;
  return {
    libp2p,
    exchange,
    peerId: libp2p.peerId.toString(),
    violations,
    async stop() {
      exchange.stop();
      await libp2p.stop();
    },
  };
}

export async function connect(from: LoopbackNode, to: { libp2p: Libp2p }): Promise<void> {
  await from.libp2p.dial(to.libp2p.getMultiaddrs());
}

export interface Block {
  cid: CID;
  bytes: Uint8Array;
}

export async function blockOf(bytes: Uint8Array): Promise<Block> {
  return { bytes, cid: CID.createV1(raw.code, await sha256.digest(bytes)) };
}

/** Distinct blocks of a size. */
export function makeBlocks(count: number, sizeBytes: number): Promise<Block[]> {
  return Promise.all(
    Array.from({ length: count }, (_, index) => {
      const bytes = new Uint8Array(sizeBytes).fill(index);
      new DataView(bytes.buffer).setUint32(0, index);
      return blockOf(bytes);
    }),
  );
}

/** Serves these blocks, and the haves that are given. */
export function sourceOf(
  blocks: Block[],
  haves: (
    fileId: string,
    chunkCount: number,
    signal: AbortSignal,
  ) => AsyncIterable<HaveUpdate> = async function* () {},
): BlockSource {
  const byId = new Map(blocks.map(({ cid, bytes }) => [cid.toString(), bytes]));
  return {
    buffers: new ChunkBuffers(),
    shares: (cid) => byId.has(cid.toString()),
    doubt: () => {},
    readBlock: async (cid) => byId.get(cid.toString()),
    haves,
  };
}

export function wanted({ cid, bytes }: Block, rest: Partial<BlockRequest> = {}): BlockRequest {
  return { cid, maxBytes: bytes.length, priority: 1, signal: new AbortController().signal, ...rest };
}
