/** Who is found to have a file, among nodes on loopback: src/network/providers. */
import type { PeerId } from "@libp2p/interface";
import { CID } from "multiformats/cid";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { PROVIDER_RECORD_TTL_MS } from "../../src/network/limits.ts";
import { deferred } from "../deferred.ts";
import { dial, startBareNode } from "./bare-node.ts";
import { someFile } from "./some-file.ts";
import { holdersOf, idOf, join, until } from "./swarm-of-nodes.ts";

/** What the library's types don't show of its DHT. */
interface Parts {
  rpc: { onIncomingStream(): Promise<void> };
  providers: {
    addProvider(file: CID, provider: PeerId): Promise<void>;
    getProviders(file: CID): Promise<PeerId[]>;
  };
  reprovider: { processRecords(): Promise<void> };
}

describe("providers of a file", () => {
  it("are those announced, complete ones first, then those that come later", async () => {
    const a = await join();
    const file = someFile("wanted");
    const partial = await join({ bootstrap: a.swarm.addresses() });
    const complete = await join({ bootstrap: a.swarm.addresses() });
    partial.swarm.announce({ ...file, complete: false });
    complete.swarm.announce(file);
    await until(a.swarm, () => holdersOf(a, file).length === 2);
    const stop = new AbortController();
    const found: string[] = [];
    const late = await join({ bootstrap: a.swarm.addresses() });
    for await (const peerId of a.swarm.providers(file.fileId, stop.signal)) {
      if (!found.includes(peerId)) found.push(peerId);
      if (found.length === 2) late.swarm.announce(file);
      if (found.length === 3) stop.abort();
    }
    expect(found).toEqual([idOf(complete), idOf(partial), idOf(late)]);
  });

  it("are found by provider records where no announcement tells of them", async () => {
    const keeper = await join();
    const holder = await startBareNode(["/ip4/127.0.0.1/tcp/0"]);
    await dial(holder, keeper);
    const file = someFile("only in the DHT");
    await holder.contentRouting.provide(CID.parse(file.fileId));
    const seeker = await join({ bootstrap: keeper.swarm.addresses() });
    const stop = new AbortController();
    const found: string[] = [];
    for await (const peerId of seeker.swarm.providers(file.fileId, stop.signal)) {
      found.push(peerId);
      stop.abort();
    }
    expect(found).toEqual([holder.peerId.toString()]);
    expect(seeker.swarm.offers()).toEqual([]);
  });

  it("are put into provider records when they announce", async () => {
    const keeper = await join();
    const holder = await join({ bootstrap: keeper.swarm.addresses() });
    const file = someFile("to be looked up");
    holder.swarm.announce(file);
    await until(keeper.swarm, () => holdersOf(keeper, file).length === 1);
    const seeker = await startBareNode();
    await dial(seeker, keeper);
    let found: string | undefined;
    while (found === undefined) {
      for await (const { id } of seeker.contentRouting.findProviders(CID.parse(file.fileId)))
        found = id.toString();
    }
    expect(found).toBe(idOf(holder));
  });

  it("are put together, of many files on one stream, where few peers keep them", async () => {
    const keeper = await startBareNode(["/ip4/127.0.0.1/tcp/0"]);
    const { rpc, providers } = keeper.services.dht as unknown as Parts;
    const onIncomingStream = vi.spyOn(rpc, "onIncomingStream");
    // Registers the handler, from now on with the spy in it.
    await keeper.services.dht.setMode("server");
    const files = Array.from({ length: 40 }, (_, nth) => someFile(`of many ${nth}`));
    const kept: string[] = [];
    const allKept = deferred<void>();
    const addProvider = providers.addProvider.bind(providers);
    providers.addProvider = async (file, provider) => {
      await addProvider(file, provider);
      if (kept.push(`${file.multihash.bytes} ${provider}`) === files.length) allKept.resolve();
    };
    const holder = await join({ bootstrap: keeper.getMultiaddrs().map(String) });
    for (const file of files) holder.swarm.announce(file);
    await allKept.promise;
    const wanted = files.map(({ fileId }) => `${CID.parse(fileId).multihash.bytes} ${idOf(holder)}`);
    expect(kept.sort()).toEqual(wanted.sort());
    expect(onIncomingStream.mock.calls.length).toBeLessThan(files.length);
  });

  it("are not renewed by libp2p once their time is over, but those of others are dropped", async () => {
    const node = await startBareNode();
    const other = await startBareNode();
    const { providers, reprovider } = node.services.dht as unknown as Parts;
    const renewals = vi.spyOn(reprovider as unknown as { queueReprovide(): Promise<void> }, "queueReprovide");
    const file = CID.parse(someFile("of long ago").fileId);
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() - 2 * PROVIDER_RECORD_TTL_MS });
    onTestFinished(() => void vi.useRealTimers());
    for (const { peerId } of [node, other]) await providers.addProvider(file, peerId);
    vi.useRealTimers();
    await reprovider.processRecords();
    expect((await providers.getProviders(file)).map(String)).toEqual([node.peerId.toString()]);
    expect(renewals).not.toHaveBeenCalled();
  });

  it("end with the signal", async () => {
    const a = await join();
    const found: string[] = [];
    const signal = AbortSignal.timeout(50);
    for await (const peerId of a.swarm.providers(someFile("nowhere").fileId, signal)) found.push(peerId);
    expect(found).toEqual([]);
    expect(signal.aborted).toBe(true);
  });
});
