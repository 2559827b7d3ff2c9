/**
 * A real peer on loopback each of whose files waits at a gate of its own, so that tests can look at a download half
 * way. Called by the conformance suites of the headless host and of the page; joins the parts as headless/main does, in
 * memory.
 */
import "../../src/headless/node20-shims.ts";
import { generateKeyPair } from "@libp2p/crypto/keys";
import { tcp } from "@libp2p/tcp";
import { webSockets } from "@libp2p/websockets";
import type { CID } from "multiformats/cid";
import { createExchange } from "../../src/exchange/exchange.ts";
import { openNetwork } from "../../src/network/network.ts";
import { SharingError } from "../../src/sharing/errors.ts";
import { RAW } from "../../src/sharing/hash.ts";
import { MemoryBlockStore } from "../../src/sharing/memory/memory-block-store.ts";
import { MemoryRecords } from "../../src/sharing/memory/memory-records.ts";
import { createSharingNode } from "../../src/sharing/node.ts";
import { systemClock as clock } from "../../src/sharing/system-clock.ts";
import { unlessAborted } from "../../src/sharing/unless-aborted.ts";
import { bytesOf } from "../unit/sharing/hub.ts";

export interface GatedPeer {
  /** Over TCP, and the one that a page can dial. */
  address: string;
  webSocketAddress: string;
  /** Shares a file; inner nodes of its DAG are served at once, its chunks after `release`. */
  share(name: string, bytes: Uint8Array): Promise<{ fileId: string; release: () => void }>;
  /** All files at once. */
  release(): void;
  stop(): Promise<void>;
}

class GatedBlockStore extends MemoryBlockStore {
  readonly #gates = new Map<string, Promise<void>>();
  /** Of the chunks that are stored now. */
  gate: Promise<void> = Promise.resolve();

  override async write(cid: CID, bytes: Uint8Array): Promise<void> {
    this.#gates.set(cid.toString(), this.gate);
    await super.write(cid, bytes);
  }

  override async *get(cid: CID, options?: { signal?: AbortSignal }): AsyncGenerator<Uint8Array> {
    const gate = this.#gates.get(cid.toString());
    const signal = options?.signal;
    if (cid.code === RAW && gate) await (signal ? unlessAborted(gate, signal) : gate);
    yield* super.get(cid, options);
  }
}

/** `bootstrap`: multiaddrs of the nodes that shall hear of it. */
export async function openGatedPeer(bootstrap: string[]): Promise<GatedPeer> {
  const network = await openNetwork({
    privateKey: await generateKeyPair("Ed25519"),
    transports: [tcp(), webSockets()],
    listen: ["/ip4/127.0.0.1/tcp/0", "/ip4/127.0.0.1/tcp/0/ws"],
    bootstrap,
    swarmName: "main",
    relayServer: false,
    dhtMode: "client",
    clock,
    agentVersion: "gated-peer",
  });
  const exchange = createExchange({ streams: network, clock });
  await exchange.ready;
  const refuse = async () => {
    throw new SharingError("path_forbidden", "this peer has no files of a machine");
  };
  const quiet = { debug: () => {}, info: () => {}, warn: () => {} };
  const blocks = new GatedBlockStore();
  const releases: (() => void)[] = [];
  const releaseAll = () => {
    for (const release of releases) release();
  };
  const node = await createSharingNode(
    {
      blocks,
      records: new MemoryRecords(),
      swarm: network.swarm,
      exchange,
      files: {
        openSource: refuse,
        listFolder: refuse,
        openOutput: refuse,
        outputPath: refuse,
        openPlaced: refuse,
      },
      clock,
      system: { cpuUsage: () => 0, memoryBytes: () => 0, diskBytes: async () => 0 },
      log: quiet,
    },
    { autoResume: false },
  );
  const addresses = network.swarm.addresses();
  const find = (isWebSocket: boolean) =>
    addresses.find((address) => address.includes("/ws/") === isWebSocket) ?? "";

  return {
    address: find(false),
    webSocketAddress: find(true),
    async share(name, bytes) {
      let release = () => {};
      blocks.gate = new Promise((open) => {
        release = open;
      });
      releases.push(release);
      const { file } = await node.share(bytesOf(bytes), { name });
      return { fileId: file.id, release };
    },
    release: releaseAll,
    async stop() {
      releaseAll();
      await node.stop();
      exchange.stop();
      await network.stop();
    },
  };
}
