/**
 * A real peer on loopback whose chunks wait for a gate, so that tests can look at a download half way. Called by the
 * conformance suites of the headless host and of the page; joins the parts as headless/main does, in memory.
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
import { MemoryBlockStore } from "../../src/sharing/memory-block-store.ts";
import { MemoryRecords } from "../../src/sharing/memory-records.ts";
import { createSharingNode } from "../../src/sharing/node.ts";
import { systemClock as clock } from "../../src/sharing/system-clock.ts";

export interface GatedPeer {
  /** Over TCP, and the one that a page can dial. */
  address: string;
  webSocketAddress: string;
  /** Shares a file; inner nodes of its DAG are served at once. */
  share(name: string, bytes: Uint8Array): Promise<string>;
  /** Lets its chunks be read. */
  release(): void;
  stop(): Promise<void>;
}

class GatedBlockStore extends MemoryBlockStore {
  readonly #gate: Promise<void>;

  constructor(gate: Promise<void>) {
    super();
    this.#gate = gate;
  }

  override async *get(cid: CID, options?: { signal?: AbortSignal }): AsyncGenerator<Uint8Array> {
    if (cid.code === RAW) await this.#gate;
    yield* super.get(cid, options);
  }
}

/** `bootstrap`: multiaddrs of the nodes that shall hear of it. */
export async function openGatedPeer(bootstrap: string[]): Promise<GatedPeer> {
  let release = () => {};
  const gate = new Promise<void>((open) => {
    release = open;
  });
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
  const node = await createSharingNode(
    {
      blocks: new GatedBlockStore(gate),
      records: new MemoryRecords(),
      swarm: network.swarm,
      exchange,
      files: { openSource: refuse, listFolder: refuse, openOutput: refuse },
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
      const { file } = await node.share(
        (async function* () {
          yield bytes;
        })(),
        { name },
      );
      return file.id;
    },
    release,
    async stop() {
      release();
      await node.stop();
      exchange.stop();
      await network.stop();
    },
  };
}
