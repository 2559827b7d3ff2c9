/** The node as its callers see it: files shared, downloaded and deleted among nodes of a hub. */
import { setImmediate as nextTurn } from "node:timers/promises";
import fc from "fast-check";
import type { CID } from "multiformats/cid";
import { describe, expect, it, vi } from "vitest";
import { SharingError } from "../../../src/sharing/errors.ts";
import type { NodeEvent } from "../../../src/sharing/events.ts";
import { RAW } from "../../../src/sharing/hash.ts";
import { CHUNK_BYTES, MIN_REQUESTS } from "../../../src/sharing/limits.ts";
import { MemoryBlockStore } from "../../../src/sharing/memory/memory-block-store.ts";
import { MemoryRecords } from "../../../src/sharing/memory/memory-records.ts";
import type { BlockStore, ConnectedPeer, RecordChange } from "../../../src/sharing/ports.ts";
import type { TransferRecord } from "../../../src/sharing/transfers/transfer-record.ts";
import { unlessAborted } from "../../../src/sharing/unless-aborted.ts";
import { addBlock } from "../../contracts/add-block.ts";
import { deferred } from "../../deferred.ts";
import { eventually } from "../../eventually.ts";
import { untilAborted } from "../../until-aborted.ts";
import { HandClock } from "../hand-clock.ts";
import { bytesOf, collect, ended, gate, Hub, type HubNode, type Manners, randomFile } from "./hub.ts";

const MIB = CHUNK_BYTES;
const never = new AbortController().signal;

async function shareRandom(peer: HubNode, sizeBytes: number, name = "file.bin") {
  const bytes = randomFile(sizeBytes);
  const { file } = await peer.node.share(bytesOf(bytes), { name });
  return { bytes, file };
}

const readAll = (peer: HubNode, fileId: string, sizeBytes: number) =>
  collect(peer.node.read(fileId, { start: 0, end: sizeBytes }, never));

describe("sharing", () => {
  it("gives the same id for the same bytes and keeps the newer name", async () => {
    const peer = await new Hub().join("a");
    const first = await peer.node.share(bytesOf(new Uint8Array([1, 2, 3])), { name: "one" });
    const second = await peer.node.share(bytesOf(new Uint8Array([1, 2, 3])), { name: "two" });
    expect([first.before, second.before]).toEqual([undefined, first.file]);
    expect(peer.node.files().map((file) => [file.id, file.name])).toEqual([[first.file.id, "two"]]);
    expect(peer.blocks.usedBytes).toBe(3);
  });

  it("keeps chunks that another file uses when a file is deleted", async () => {
    const peer = await new Hub().join("a");
    const shared = randomFile(MIB);
    const long = new Uint8Array(MIB + 5);
    long.set(shared);
    const a = await peer.node.share(bytesOf(shared), { name: "a" });
    const b = await peer.node.share(bytesOf(long), { name: "b" });
    await peer.node.deleteFile(a.file.id);
    expect((await readAll(peer, b.file.id, long.length)).equals(long)).toBe(true);
    await peer.node.deleteFile(b.file.id);
    expect(peer.blocks.usedBytes).toBe(0);
  });

  it("leaves nothing behind when the store is full", async () => {
    const peer = await new Hub().join("a", { blocks: new MemoryBlockStore({ maxBytes: 3 * MIB }) });
    await expect(shareRandom(peer, 5 * MIB)).rejects.toMatchObject({ name: "storage_full" });
    expect(peer.blocks.usedBytes).toBe(0);
    expect(peer.node.files()).toEqual([]);
  });

  it("deletes all of a file that had no room at first", async () => {
    const peer = await new Hub().join("a", { blocks: new MemoryBlockStore({ maxBytes: 3 * MIB }) });
    const bytes = randomFile(5 * MIB);
    const share = () => peer.node.share(bytesOf(bytes), { name: "x" });
    await expect(share()).rejects.toMatchObject({ name: "storage_full" });
    peer.blocks.maxBytes = 9 * MIB;
    await peer.node.deleteFile((await share()).file.id);
    expect(peer.blocks.usedBytes).toBe(0);
  });

  it("knows its files after a restart and sweeps blocks that none of them uses", async () => {
    const hub = new Hub();
    const before = await hub.join("a");
    const { bytes, file } = await shareRandom(before, 2 * MIB + 9);
    await addBlock(before.blocks, randomFile(100), 0x55);
    const after = await hub.join("a", { blocks: before.blocks, records: before.records });
    expect(after.node.files()).toEqual([file]);
    expect((await readAll(after, file.id, bytes.length)).equals(bytes)).toBe(true);
    expect([...(await blocksOf(after))].length).toBe(4);
  });

  it("reads a range without reading the rest", async () => {
    const peer = await new Hub().join("a");
    const { bytes, file } = await shareRandom(peer, 3 * MIB);
    const range = { start: MIB - 10, end: MIB + 10 };
    expect(
      (await collect(peer.node.read(file.id, range, never))).equals(bytes.subarray(range.start, range.end)),
    ).toBe(true);
  });
});

it("others than peers are given something as soon as the upload rate allows", async () => {
  const asked: [string, number][] = [];
  const allowed = deferred();
  const mayUpload = async (reader: string, sizeBytes: number) => {
    asked.push([reader, sizeBytes]);
    await allowed.promise;
  };
  const peer = await new Hub().join("a", { manners: { mayUpload } });
  const given = peer.node.mayUpload("reader", 1000, never);
  expect(asked).toEqual([["reader", 1000]]);
  const reason = new Error("not allowed");
  allowed.reject(reason);
  await expect(given).rejects.toBe(reason);
});

describe("a start", () => {
  it("tells of the peers that the swarm has met before", async () => {
    const met: ConnectedPeer = {
      peerId: "b",
      name: undefined,
      address: "192.0.2.1:4401",
      transport: "tcp",
      connectedSince: new Date(0),
      filesAvailable: 0,
      latencyMs: undefined,
      isRelay: false,
      isInSwarm: true,
    };
    const peer = await new Hub().join("a", { met: [met] });
    expect(peer.node.events.since(0)).toMatchObject([
      { event: "peer_connected", data: { peer_id: "b", address: "192.0.2.1:4401" } },
    ]);
  });
});

/** Keeps those who put blocks before others waiting for these, for ever. */
class WaitingBlockStore extends MemoryBlockStore {
  waited = 0;
  #next = gate();

  override async putVerified(...[cid, bytes, options]: Parameters<BlockStore["putVerified"]>): Promise<void> {
    const { opened, open } = this.#next;
    if (options?.moreToCome) {
      this.waited += 1;
      await opened;
    } else {
      this.#next = gate();
      open();
    }
    await super.putVerified(cid, bytes);
  }
}

/** Takes its time to make the last of a download durable. */
class SlowlyDurableStore extends MemoryBlockStore {
  readonly #ending = gate();
  readonly #end = gate();
  readonly isEnding = this.#ending.opened;
  readonly end = this.#end.open;
  #flushes = 0;

  override async flush(): Promise<void> {
    // The first is of the manifest.
    if (++this.#flushes !== 2) return;
    this.#ending.open();
    await this.#end.opened;
  }
}

async function blocksOf(peer: HubNode) {
  const cids = [];
  for await (const cid of peer.blocks.list()) cids.push(cid);
  return cids;
}

describe("downloading", () => {
  it.each([0, 1, MIB, MIB + 1, 7 * MIB + 3])("brings %i bytes from one peer", async (sizeBytes) => {
    const hub = new Hub();
    const seeder = await hub.join("seeder");
    const { bytes, file } = await shareRandom(seeder, sizeBytes);
    const leecher = await hub.join("leecher");
    const transfer = await leecher.node.download({ fileId: file.id, outputPath: "out" });
    expect(transfer.status).toBe("started");
    expect(await ended(leecher.node, transfer.id)).toBe("transfer_complete");
    expect(Buffer.from(leecher.outputs.get("out") as Uint8Array).equals(bytes)).toBe(true);
    const detail = leecher.node.transfer(transfer.id);
    expect([detail.status, detail.progress]).toEqual(["completed", 1]);
    expect(detail.peers).toMatchObject([{ peerId: "seeder", chunksDownloaded: file.chunkCount }]);
    expect(leecher.node.file(file.id)).toMatchObject({ complete: true, name: "file.bin" });
    expect(leecher.announced.get(file.id)).toMatchObject({ complete: true });
  });

  it.each(["rarest_first", "sequential", "round_robin"] as const)(
    "uses all of three peers with %s",
    async (strategy) => {
      const hub = new Hub();
      const slowly = { answer: async (_: unknown, bytes: Uint8Array) => tick().then(() => bytes) };
      const seeders = await Promise.all(["a", "b", "c"].map((id) => hub.join(id, { manners: slowly })));
      const bytes = randomFile(40 * MIB);
      const shares = await Promise.all(seeders.map((peer) => peer.node.share(bytesOf(bytes), { name: "x" })));
      const fileId = shares[0]?.file.id as string;
      const leecher = await hub.join("leecher");
      const transfer = await leecher.node.download({ fileId, strategy });
      expect(await ended(leecher.node, transfer.id)).toBe("transfer_complete");
      const { peers } = leecher.node.transfer(transfer.id);
      expect(peers.every((peer) => peer.chunksDownloaded > 0)).toBe(true);
      expect(peers.reduce((sum, peer) => sum + peer.chunksDownloaded, 0)).toBe(40);
    },
  );

  it("uses one peer at a time without multi_peer", async () => {
    const hub = new Hub();
    const bytes = randomFile(10 * MIB);
    const seeders = await Promise.all(["a", "b", "c"].map((id) => hub.join(id)));
    for (const peer of seeders) await peer.node.share(bytesOf(bytes), { name: "x" });
    const fileId = seeders[0]?.node.files()[0]?.id as string;
    const leecher = await hub.join("leecher");
    const transfer = await leecher.node.download({ fileId, multiPeer: false });
    await ended(leecher.node, transfer.id);
    expect(leecher.node.transfer(transfer.id).peers.length).toBe(1);
  });

  it("tells the store of more to come while chunks are on their way, and never keeps it waiting for them", async () => {
    const hub = new Hub();
    let last = Promise.resolve();
    const oneByOne = async (_: unknown, bytes: Uint8Array) => {
      last = last.then(tick);
      await last;
      return bytes;
    };
    const { file } = await shareRandom(
      await hub.join("seeder", { manners: { answer: oneByOne } }),
      9 * MIB + 3,
    );
    const blocks = new WaitingBlockStore();
    const leecher = await hub.join("leecher", { blocks });
    const transfer = await leecher.node.download({ fileId: file.id });
    expect(await ended(leecher.node, transfer.id)).toBe("transfer_complete");
    expect(blocks.waited).toBeGreaterThan(0);
  });

  it("finishes from honest peers and bans the one that lies", async () => {
    const hub = new Hub();
    const bytes = randomFile(30 * MIB);
    const liar = await hub.join("liar", {
      manners: { answer: (cid, block) => (cid.code === 0x55 ? randomFile(block.length) : block) },
    });
    const honest = await hub.join("honest", {
      manners: { answer: async (_, block) => tick().then(() => block) },
    });
    for (const peer of [liar, honest]) await peer.node.share(bytesOf(bytes), { name: "x" });
    const leecher = await hub.join("leecher");
    const transfer = await leecher.node.download({
      fileId: honest.node.files()[0]?.id as string,
      outputPath: "out",
    });
    expect(await ended(leecher.node, transfer.id)).toBe("transfer_complete");
    expect(Buffer.from(leecher.outputs.get("out") as Uint8Array).equals(bytes)).toBe(true);
    expect([...leecher.banned]).toEqual(["liar"]);
    const byPeer = leecher.node
      .transfer(transfer.id)
      .peers.map((peer) => [peer.peerId, peer.chunksDownloaded]);
    expect(Object.fromEntries(byPeer)).toMatchObject({ honest: 30 });
  });

  it("fetches equal chunks of a file once, but for those asked for before the first has come", async () => {
    const hub = new Hub();
    const inFlight = 4;
    const seeder = await hub.join("seeder", { manners: { maxInFlight: inFlight } });
    const odd = randomFile(MIB);
    const zeros = new Uint8Array(30 * MIB);
    const bytes = Buffer.concat([odd, zeros, odd, zeros, odd.subarray(1)]);
    const { file } = await seeder.node.share(bytesOf(bytes), { name: "x" });
    const leecher = await hub.join("leecher");
    const transfer = await leecher.node.download({ fileId: file.id, outputPath: "out" });
    expect(await ended(leecher.node, transfer.id)).toBe("transfer_complete");
    expect(Buffer.from(leecher.outputs.get("out") as Uint8Array).equals(bytes)).toBe(true);
    expect(leecher.node.transfer(transfer.id)).toMatchObject({ progress: 1, sizeBytes: bytes.length });
    const [root, odds, zero, last] = [1, inFlight, inFlight, 1];
    expect(seeder.served.length).toBeLessThanOrEqual(root + odds + zero + last);
  });

  it("fetches equal chunks again once storage has lost them", async () => {
    const hub = new Hub();
    const seeder = await hub.join("seeder");
    const bytes = new Uint8Array(5 * MIB);
    const { file } = await seeder.node.share(bytesOf(bytes), { name: "x" });
    const leecher = await hub.join("leecher");
    const transfer = await leecher.node.download({ fileId: file.id });
    expect(await ended(leecher.node, transfer.id)).toBe("transfer_complete");
    for await (const cid of leecher.blocks.list()) if (cid.code === 0x55) await leecher.blocks.delete(cid);
    const range = { start: 0, end: bytes.length };
    const read = await collect(leecher.node.read(file.id, range, new AbortController().signal));
    expect(read.equals(bytes)).toBe(true);
  });

  it("goes on with another peer when one leaves in the middle", async () => {
    const hub = new Hub();
    const bytes = randomFile(20 * MIB);
    const quitter = await hub.join("quitter");
    let given = 0;
    quitter.manners.answer = (_, block) => {
      if (++given === 5) quitter.leave();
      return block;
    };
    await quitter.node.share(bytesOf(bytes), { name: "x" });
    const leecher = await hub.join("leecher");
    const transfer = await leecher.node.download({ fileId: quitter.node.files()[0]?.id as string });
    const late = await hub.join("late");
    await late.node.share(bytesOf(bytes), { name: "x" });
    expect(await ended(leecher.node, transfer.id)).toBe("transfer_complete");
    expect(late.served.length).toBeGreaterThanOrEqual(15);
  });

  it("finishes though one of two falls silent for good with chunks that it was asked for", async () => {
    const clock = new HandClock();
    const hub = new Hub(clock);
    const bytes = randomFile(20 * MIB);
    /** A block a second, and after the last nothing more. */
    const untilSilent = (last: number): Manners => {
      let before = Promise.resolve();
      let given = 0;
      return {
        answer: async (_, block, signal) => {
          given += 1;
          if (given > last) await new Promise((_, reject) => signal.addEventListener("abort", reject));
          before = before.then(() => clock.sleep(1000));
          await before;
          return block;
        },
      };
    };
    const peers = [await hub.join("silent", { manners: untilSilent(6) })];
    peers.push(await hub.join("steady", { manners: untilSilent(Number.POSITIVE_INFINITY) }));
    for (const peer of peers) await peer.node.share(bytesOf(bytes), { name: "x" });
    const leecher = await hub.join("leecher");
    const { id } = await leecher.node.download({ fileId: peers[0]?.node.files()[0]?.id as string });
    await clock.passUntil(() => leecher.node.transfer(id).status === "completed");
    expect(peers[0]?.served.length).toBeGreaterThan(6);
  });

  it("asks others as well when the first that was found says nothing", async () => {
    const clock = new HandClock();
    const hub = new Hub(clock);
    const bytes = randomFile(3 * MIB);
    const sleeper = await hub.join("sleeper", {
      manners: { answer: (_, __, signal) => untilAborted(signal) },
    });
    const { file } = await sleeper.node.share(bytesOf(bytes), { name: "x" });
    const { node } = await hub.join("leecher");
    const { id } = await node.download({ fileId: file.id });
    await clock.passUntil(() => node.transfer(id).peerCount === 1);
    await (await hub.join("seeder")).node.share(bytesOf(bytes), { name: "x" });
    await clock.passUntil(() => node.transfer(id).status !== "started");
    expect(await ended(node, id)).toBe("transfer_complete");
    expect(node.transfer(id).peers).toMatchObject([{ peerId: "seeder", chunksDownloaded: 3 }]);
  });

  it("asks another where the first that was found refuses what the file is made of", async () => {
    const clock = new HandClock();
    const hub = new Hub(clock);
    const bytes = randomFile(3 * MIB);
    const answer = () => {
      throw new SharingError("block_not_found", "it is gone");
    };
    const refuser = await hub.join("refuser", { manners: { answer } });
    const { file } = await refuser.node.share(bytesOf(bytes), { name: "x" });
    const { node } = await hub.join("leecher");
    const { id } = await node.download({ fileId: file.id });
    await clock.passUntil(() => refuser.served.length > 0);
    await (await hub.join("seeder")).node.share(bytesOf(bytes), { name: "x" });
    await clock.passUntil(() => node.transfer(id).endedAt !== undefined);
    expect(node.transfer(id).status).toBe("completed");
  });

  it("asks its only provider again for a chunk that it did not give once", async () => {
    const clock = new HandClock();
    const hub = new Hub(clock);
    let asked = 0;
    const answer = (cid: CID, block: Uint8Array) => {
      if (cid.code === 0x55 && ++asked === 2) throw new SharingError("block_not_found", "the disk was busy");
      return block;
    };
    const { file } = await shareRandom(await hub.join("seeder", { manners: { answer } }), 3 * MIB);
    const { node } = await hub.join("leecher");
    const { id } = await node.download({ fileId: file.id });
    await clock.passUntil(() => node.transfer(id).status === "completed");
    expect(node.events.since(0).map(({ event }) => event)).not.toContain("transfer_interrupted");
  });

  it("leaves no session open that came while it was ending", async () => {
    const hub = new Hub();
    const bytes = randomFile(3 * MIB);
    const { file } = await (await hub.join("seeder")).node.share(bytesOf(bytes), { name: "x" });
    const dialled = gate();
    const late = await hub.join("late", { manners: { reached: dialled.opened } });
    await late.node.share(bytesOf(bytes), { name: "x" });
    const blocks = new SlowlyDurableStore();
    const { node, sessions } = await hub.join("leecher", { blocks });
    const { id } = await node.download({ fileId: file.id });
    await blocks.isEnding;
    dialled.open();
    await expect.poll(() => sessions).toEqual(["seeder", "late"]);
    blocks.end();
    expect(await ended(node, id)).toBe("transfer_complete");
    expect(sessions).toEqual([]);
  });

  it("serves the chunks it has while it is still downloading", async () => {
    const hub = new Hub();
    const bytes = randomFile(12 * MIB);
    const half = gate();
    let given = 0;
    const seeder = await hub.join("seeder", {
      manners: {
        answer: async (cid, block) => {
          if (cid.code === 0x55 && ++given > 6) await half.opened;
          return block;
        },
      },
    });
    const { file } = await seeder.node.share(bytesOf(bytes), { name: "x" });
    const first = await hub.join("first");
    const firstTransfer = await first.node.download({ fileId: file.id });
    await held(first, file.id, 6);
    const second = await hub.join("second");
    const secondTransfer = await second.node.download({ fileId: file.id });
    await held(second, file.id, 6);
    expect(first.served.length).toBeGreaterThan(0);
    half.open();
    expect(await ended(first.node, firstTransfer.id)).toBe("transfer_complete");
    expect(await ended(second.node, secondTransfer.id)).toBe("transfer_complete");
  });

  it("fails after 30 s when nobody offers the file", async () => {
    const clock = new HandClock();
    const hub = new Hub(clock);
    const leecher = await hub.join("leecher");
    const fileId = "bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e";
    const transfer = await leecher.node.download({ fileId });
    await clock.pass(29_000);
    expect(leecher.node.transfer(transfer.id).status).toBe("started");
    await clock.pass(3_000);
    expect(leecher.node.transfer(transfer.id)).toMatchObject({
      status: "failed",
      error: "No peer offers this file",
    });
  });

  it("says so when those who offer the file can't be reached", async () => {
    const clock = new HandClock();
    const hub = new Hub(clock);
    const hidden = await hub.join("hidden", { manners: { isUnreachable: true } });
    const { file } = await shareRandom(hidden, MIB);
    const leecher = await hub.join("leecher");
    const transfer = await leecher.node.download({ fileId: file.id });
    await clock.passUntil(() => leecher.node.transfer(transfer.id).status === "failed");
    expect(leecher.node.transfer(transfer.id).error).toBe("The peers that offer this file can't be reached");
  });

  it("reads as interrupted after 60 s without a provider, and as resumed on request, and goes on when one comes back", async () => {
    const clock = new HandClock();
    const hub = new Hub(clock);
    const bytes = randomFile(8 * MIB);
    const quitter = await hub.join("quitter");
    let given = 0;
    quitter.manners.answer = (_, block) => {
      if (++given === 8) quitter.leave();
      return block;
    };
    const { file } = await quitter.node.share(bytesOf(bytes), { name: "x" });
    const leecher = await hub.join("leecher");
    const told: NodeEvent[] = [];
    leecher.node.events.subscribe((event) => {
      if (event.event === "transfer_progress") told.push(event);
    });
    const transfer = await leecher.node.download({ fileId: file.id });
    const elapsedMs = await clock.passUntil(
      () => leecher.node.transfer(transfer.id).status === "interrupted",
    );
    expect(elapsedMs).toBeGreaterThan(60_000);
    expect(told.at(-1)?.data).toMatchObject({ speed: 0, peers: 0, estimated_completion: null });
    // Who brought chunks and is gone is told of, and not counted.
    expect(leecher.node.transfer(transfer.id)).toMatchObject({
      peerCount: 0,
      peers: [{ peerId: "quitter" }],
    });
    // Nothing is told twice while it waits.
    expect(told.length).toBeLessThan(20);
    await clock.pass(5_000);
    expect(leecher.node.events.since(0).at(-1)?.event).toBe("transfer_interrupted");
    const resumed = await leecher.node.resume(file.id);
    expect([resumed.id, resumed.status, resumed.error]).toEqual([transfer.id, "resumed", undefined]);
    const back = await hub.join("back");
    await back.node.share(bytesOf(bytes), { name: "x" });
    await clock.passUntil(() => leecher.node.transfer(transfer.id).status === "completed");
    expect(leecher.node.transfer(transfer.id).peerCount).toBe(2);
    const events = leecher.node.events.since(0).map(({ event }) => event);
    expect(events.filter((event) => event === "transfer_interrupted")).toHaveLength(1);
  });

  it("gives a reader the bytes it waits for first", async () => {
    const hub = new Hub();
    const opened = gate();
    const order: string[] = [];
    const seeder = await hub.join("seeder", {
      manners: {
        maxInFlight: 1,
        answer: async (cid, block) => {
          if (cid.code === 0x55) order.push(cid.toString());
          if (order.length === 1) await opened.opened;
          return block;
        },
      },
    });
    const { bytes, file } = await shareRandom(seeder, 30 * MIB);
    const leecher = await hub.join("leecher");
    const transfer = await leecher.node.download({ fileId: file.id, strategy: "sequential" });
    await progressed(leecher, transfer.id);
    const tail = collect(leecher.node.read(file.id, { start: 29 * MIB, end: 30 * MIB }, never));
    opened.open();
    expect((await tail).equals(bytes.subarray(29 * MIB))).toBe(true);
    expect(await ended(leecher.node, transfer.id)).toBe("transfer_complete");
    const lastChunk = await chunkId(bytes.subarray(29 * MIB));
    expect(order.indexOf(lastChunk)).toBeLessThanOrEqual(2);
  });

  it("tells its peer what a reader waits for of what it was asked for before, and asks for other such chunks at once", async () => {
    const hub = new Hub();
    const opened = gate();
    const [asked, heard]: [string[], [string, number][]] = [[], []];
    const seeder = await hub.join("seeder", {
      manners: {
        answer: async (cid, block) => {
          if (cid.code !== RAW) return block;
          asked.push(cid.toString());
          await opened.opened;
          return block;
        },
        prioritized: (cid, priority) => void heard.push([cid.toString(), priority]),
      },
    });
    const { bytes, file } = await shareRandom(seeder, 30 * MIB);
    const idOf = (index: number) => chunkId(bytes.subarray(index * MIB, (index + 1) * MIB));
    const leecher = await hub.join("leecher");
    const readerOf = (index: number, signal: AbortSignal) =>
      collect(leecher.node.read(file.id, { start: index * MIB, end: (index + 1) * MIB }, signal));
    const transfer = await leecher.node.download({ fileId: file.id, strategy: "sequential" });
    await eventually(() => expect(asked).toHaveLength(MIN_REQUESTS));

    const leaving = new AbortController();
    const left = readerOf(2, leaving.signal).catch(() => {});
    await eventually(async () => expect(heard).toEqual([[await idOf(2), 2]]));
    leaving.abort();
    await left;
    await eventually(async () => expect(heard.slice(1)).toEqual([[await idOf(2), 1]]));
    const tail = readerOf(29, never);
    await eventually(async () => expect(asked.slice(MIN_REQUESTS)).toEqual([await idOf(29)]));

    opened.open();
    expect((await tail).equals(bytes.subarray(29 * MIB))).toBe(true);
    expect(await ended(leecher.node, transfer.id)).toBe("transfer_complete");
  });

  it("fails cleanly when the storage is full, and others go on", async () => {
    const hub = new Hub();
    const seeder = await hub.join("seeder");
    const big = await shareRandom(seeder, 6 * MIB);
    const small = await shareRandom(seeder, MIB / 2);
    const leecher = await hub.join("leecher", { blocks: new MemoryBlockStore({ maxBytes: 4 * MIB }) });
    const failing = await leecher.node.download({ fileId: big.file.id });
    expect(await ended(leecher.node, failing.id)).toBe("transfer_failed");
    const fine = await leecher.node.download({ fileId: small.file.id });
    expect(await ended(leecher.node, fine.id)).toBe("transfer_complete");
  });

  it("leaves nothing behind once the manifest had no room at first", async () => {
    class FullForOnce extends MemoryBlockStore {
      #isFull = true;

      override async write(...block: Parameters<BlockStore["write"]>): Promise<void> {
        const wasFull = this.#isFull;
        this.#isFull = false;
        if (wasFull) throw new SharingError("storage_full", "the disk is full");
        await super.write(...block);
      }
    }
    const hub = new Hub();
    const { file } = await shareRandom(await hub.join("seeder"), 2 * MIB);
    const { node, blocks } = await hub.join("leecher", { blocks: new FullForOnce() });
    const { id } = await node.download({ fileId: file.id });
    expect(await ended(node, id)).toBe("transfer_failed");
    await node.resume(file.id);
    expect(await ended(node, id, "transfer_complete")).toBe("transfer_complete");
    await node.deleteFile(file.id);
    expect(blocks.usedBytes).toBe(0);
  });

  it("logs what nobody foresaw, of which its transfer says only that it was internal", async () => {
    const hub = new Hub();
    const { file } = await shareRandom(await hub.join("seeder"), 2 * MIB);
    const blocks = new MemoryBlockStore();
    const cause = new Error("there is no segment 1");
    blocks.putVerified = () => Promise.reject(cause);
    const warned: unknown[] = [];
    const log = { debug: () => {}, info: () => {}, warn: (...line: unknown[]) => void warned.push(line) };
    const { node } = await hub.join("leecher", { blocks, log });
    const { id } = await node.download({ fileId: file.id });
    expect(await ended(node, id)).toBe("transfer_failed");
    expect(node.transfer(id).error).toBe("an internal error");
    expect(warned).toEqual([
      [expect.stringContaining("nobody foresaw"), expect.objectContaining({ transferId: id, error: cause })],
    ]);
  });

  it("says what its system refused, without the path, where a transfer failed of it", async () => {
    const hub = new Hub();
    const { file } = await shareRandom(await hub.join("seeder"), 2 * MIB);
    const blocks = new MemoryBlockStore();
    blocks.putVerified = () => Promise.reject(new Error("EROFS: read-only file system, open '/home/who/1'"));
    const { node } = await hub.join("leecher", { blocks });
    const { id } = await node.download({ fileId: file.id });
    expect(await ended(node, id)).toBe("transfer_failed");
    expect(node.transfer(id)).toMatchObject({
      error: "The node's disk is read-only. Make it writable, then try again; its log has the path.",
      isStorageFull: false,
    });
  });

  it("tells how much is here of what has failed, and whether it had no room", async () => {
    const hub = new Hub();
    const { file } = await shareRandom(await hub.join("seeder", { manners: { maxInFlight: 1 } }), 4 * MIB);
    const blocks = new MemoryBlockStore();
    const { node } = await hub.join("leecher", { blocks });
    const put = blocks.putVerified.bind(blocks);
    let count = 0;
    blocks.putVerified = async (...block) => {
      if (++count === 3) throw new SharingError("storage_full", "the disk is full");
      await put(...block);
    };
    const { id } = await node.download({ fileId: file.id });
    expect(await ended(node, id)).toBe("transfer_failed");
    expect(node.transfer(id)).toMatchObject({ progress: 2 / 4, sizeBytes: 4 * MIB, isStorageFull: true });
    blocks.putVerified = () => Promise.reject(new Error("the disk is bad"));
    await node.resume(file.id);
    expect(node.transfer(id)).toMatchObject({ error: undefined, isStorageFull: false });
    await expect.poll(() => node.transfer(id).status).toBe("failed");
    expect(node.transfer(id).isStorageFull).toBe(false);
  });

  it("returns the same transfer for a second request to the same place", async () => {
    const hub = new Hub();
    const stuck = gate();
    const seeder = await hub.join("seeder", {
      manners: { answer: async (_, block) => stuck.opened.then(() => block) },
    });
    const { file } = await shareRandom(seeder, 2 * MIB);
    const leecher = await hub.join("leecher");
    const first = await leecher.node.download({ fileId: file.id, outputPath: "out" });
    const again = await leecher.node.download({ fileId: file.id.toUpperCase(), outputPath: "out" });
    const elsewhere = await leecher.node.download({ fileId: file.id, outputPath: "elsewhere" });
    expect([again.id === first.id, elsewhere.id === first.id]).toEqual([true, false]);
    stuck.open();
    await ended(leecher.node, elsewhere.id);
    expect([...leecher.outputs.keys()].sort()).toEqual(["elsewhere", "out"]);
    expect(seeder.served.length).toBe(3);
  });

  it("replaces what came to that place meanwhile where the second request says so", async () => {
    const hub = new Hub();
    const stuck = gate();
    const seeder = await hub.join("seeder", {
      manners: { answer: (_, block, signal) => unlessAborted(stuck.opened, signal).then(() => block) },
    });
    const { file, bytes } = await shareRandom(seeder, 2 * MIB);
    const { node, outputs, openOutputs } = await hub.join("leecher");
    const first = await node.download({ fileId: file.id, outputPath: "out" });
    outputs.set("out", new Uint8Array(1));
    const again = await node.download({ fileId: file.id, outputPath: "out", overwrite: true });
    expect([again.id, openOutputs]).toEqual([first.id, ["out"]]);
    stuck.open();
    expect(await ended(node, first.id)).toBe("transfer_complete");
    expect(Buffer.from(outputs.get("out") ?? []).equals(bytes)).toBe(true);
  });

  it("goes on as it does for a second request that may replace no more than the first", async () => {
    const hub = new Hub();
    const stuck = gate();
    const seeder = await hub.join("seeder", {
      manners: { answer: (_, block, signal) => unlessAborted(stuck.opened, signal).then(() => block) },
    });
    const { file } = await shareRandom(seeder, 2 * MIB);
    const { node } = await hub.join("leecher");
    const request = { fileId: file.id, outputPath: "out", overwrite: true };
    const { id } = await node.download(request);
    await expect.poll(() => seeder.served).toHaveLength(1);
    await node.download(request);
    stuck.open();
    expect(await ended(node, id)).toBe("transfer_complete");
    expect(seeder.served).toHaveLength(1 + 2);
  });

  it("begins once what is asked for several times at once", async () => {
    const hub = new Hub();
    const { file } = await shareRandom(await hub.join("seeder"), 2 * MIB);
    const { node, outputs, openOutputs } = await hub.join("leecher");
    const request = { fileId: file.id, outputPath: "out", overwrite: true };
    const asked = await Promise.all([node.download(request), node.download(request), node.download(request)]);
    expect(new Set(asked.map(({ id }) => id)).size).toBe(1);
    await ended(node, asked[0].id);
    expect([[...outputs.keys()], openOutputs]).toEqual([["out"], []]);
  });
});

describe("a file fetched by its id before anybody has told its name", () => {
  async function fetched(options: { isOnItsWay?: boolean } = {}) {
    const hub = new Hub();
    const { opened, open } = gate();
    const manners: Manners = { isNameless: true, answer: (_cid, bytes) => opened.then(() => bytes) };
    const seed = await hub.join("seed", { manners });
    const { file } = await shareRandom(seed, 2 * MIB, "Night ferry.webm");
    const peer = await hub.join("peer");
    const { id } = await peer.node.download({ fileId: file.id });
    if (!options.isOnItsWay) {
      open();
      await ended(peer.node, id);
      expect(peer.node.files()).toMatchObject([{ name: file.id }]);
      expect(peer.announced.get(file.id)?.name).toBe(file.id);
    }
    expect(peer.node.transfer(id).name).toBe(file.id);
    const tellName = () => {
      manners.isNameless = false;
      hub.notify();
    };
    return { hub, peer, file, id, open, tellName };
  }

  it("takes the name once it is told, and tells it", async () => {
    const { hub, peer, file, id, tellName } = await fetched();
    const told: unknown[] = [];
    const named = new Promise<void>((resolve) =>
      peer.node.events.subscribe(({ event, data }) => {
        if (event === "file_shared") resolve(void told.push(data));
      }),
    );
    tellName();
    await named;
    const { name, sizeBytes } = file;
    expect(told).toEqual([{ file_id: file.id, name, size: sizeBytes, chunks: 2 }]);
    expect(peer.node.transfer(id).name).toBe(name);
    expect(peer.announced.get(file.id)?.name).toBe(name);
    const { records, blocks } = peer;
    const after = await hub.join("peer", { records, blocks });
    expect(after.node.files()).toMatchObject([{ name, complete: true }]);
    expect(after.node.transfers()).toMatchObject([{ name }]);
  });

  it("takes it while it is on its way", async () => {
    const { peer, file, id, open, tellName } = await fetched({ isOnItsWay: true });
    tellName();
    expect(peer.node.transfer(id).name).toBe(file.name);
    open();
    await ended(peer.node, id);
    expect(peer.node.files()).toMatchObject([{ name: file.name }]);
  });

  it("takes it when it is told just as the file is asked for", async () => {
    const hub = new Hub();
    const manners: Manners = { isNameless: true };
    const { file } = await shareRandom(await hub.join("seed", { manners }), 2 * MIB, "Night ferry.webm");
    const records = new MemoryRecords();
    const put = records.put.bind(records);
    records.put = async (...kept) => {
      if (kept[0] === "transfers") {
        manners.isNameless = false;
        hub.notify();
      }
      await put(...kept);
    };
    const { node } = await hub.join("peer", { records });
    expect(await node.download({ fileId: file.id })).toMatchObject({ name: file.name });
  });

  it("takes it when it is told just as its manifest is stored", async () => {
    const hub = new Hub();
    const manners: Manners = { isNameless: true };
    const { file } = await shareRandom(await hub.join("seed", { manners }), 2 * MIB, "Night ferry.webm");
    const blocks = new MemoryBlockStore();
    const { node } = await hub.join("peer", { blocks });
    blocks.flush = async () => {
      manners.isNameless = false;
      hub.notify();
      await expect.poll(() => node.transfers()[0]?.name).toBe(file.name);
      await nextTurn();
    };
    const { id } = await node.download({ fileId: file.id });
    await ended(node, id);
    expect(node.files()).toMatchObject([{ name: file.name }]);
  });

  it("takes it after a restart", async () => {
    const { hub, peer, file, tellName } = await fetched();
    const { records, blocks } = peer;
    peer.leave();
    const after = await hub.join("peer", { records, blocks });
    tellName();
    await expect.poll(() => after.node.files()[0]?.name).toBe(file.name);
  });

  it("takes it after a restart when its transfer is no longer listed", async () => {
    const { hub, peer, file, id, tellName } = await fetched();
    const { records, blocks } = peer;
    peer.leave();
    await records.delete("transfers", id);
    const after = await hub.join("peer", { records, blocks });
    expect(after.node.transfers()).toEqual([]);
    tellName();
    await nextTurn();
    expect(after.node.files()).toMatchObject([{ name: file.name }]);
  });

  it("is called as whoever asks for it says, made safe", async () => {
    const { peer, file } = await fetched({ isOnItsWay: true });
    const wish = { fileId: file.id, outputPath: "elsewhere", name: "../ferry\u202e.webm " };
    expect((await peer.node.download(wish)).name).toBe(".._ferry.webm");
  });

  it("keeps a name that it was given meanwhile", async () => {
    const { peer, file, tellName } = await fetched();
    await peer.node.share(peer.node.read(file.id, { start: 0, end: file.sizeBytes }, never), {
      name: "mine",
    });
    tellName();
    await expect.poll(() => peer.node.transfers()[0]?.name).toBe(file.name);
    expect(peer.node.files()).toMatchObject([{ name: "mine" }]);
  });
});

describe("two places for one file", () => {
  it("are both told of as interrupted while its only provider is away, and both filled when it is back", async () => {
    const clock = new HandClock();
    const hub = new Hub(clock);
    let isOpen = false;
    const manners: Manners = {
      answer: (cid, block) => {
        if (cid.code === 0x55 && !isOpen) throw new SharingError("block_not_found", "not yet");
        return block;
      },
    };
    const seeder = await hub.join("seeder", { manners });
    const { bytes, file } = await shareRandom(seeder, 2 * MIB);
    const { node, outputs } = await hub.join("leecher");
    const first = await node.download({ fileId: file.id, outputPath: "one" });
    const second = await node.download({ fileId: file.id, outputPath: "two" });
    await clock.passUntil(() => node.files().length > 0);
    seeder.leave();
    const stand = () => node.transfers().map(({ status, error }) => ({ status, error }));
    const interrupted = { status: "interrupted", error: "no provider is left" };
    await clock.passUntil(() => node.transfer(first.id).status === "interrupted");
    expect(stand()).toEqual([interrupted, interrupted]);
    await node.download({ fileId: file.id, outputPath: "three" });
    expect(stand()).toEqual([interrupted, interrupted, interrupted]);
    isOpen = true;
    await hub.join("seeder", { manners, blocks: seeder.blocks, records: seeder.records });
    await clock.passUntil(() => stand().every(({ status }) => status === "completed"));
    expect([...outputs.keys()].sort()).toEqual(["one", "three", "two"]);
    for (const output of outputs.values()) expect(Buffer.from(output).equals(bytes)).toBe(true);
    expect(second.status).toBe("started");
  });
});

/** Keeps nothing of one transfer until it is let. */
class SlowRecords extends MemoryRecords {
  slowId = "";
  readonly #may = gate();
  readonly go = this.#may.open;

  override async batch(changes: RecordChange[]): Promise<void> {
    if (changes.some(({ key }) => key === this.slowId)) await this.#may.opened;
    await super.batch(changes);
  }
}

describe("a download that is paused while it waits for another of its file", () => {
  it("stays paused when that one loses its provider and finds one", async () => {
    const clock = new HandClock();
    const hub = new Hub(clock);
    const silent = await hub.join("silent", {
      manners: { answer: (cid, block, signal) => (cid.code === 0x55 ? untilAborted(signal) : block) },
    });
    const bytes = randomFile(2 * MIB);
    const { file } = await silent.node.share(bytesOf(bytes), { name: "x" });
    const records = new SlowRecords();
    const { node } = await hub.join("leecher", { records });
    const first = await node.download({ fileId: file.id });
    const { id } = await node.download({ fileId: file.id, outputPath: "out" });
    await clock.passUntil(() => node.files().length > 0);
    records.slowId = id;
    const pausing = node.pause(id);
    silent.leave();
    await clock.passUntil(() => node.transfer(first.id).status === "interrupted");
    await (await hub.join("seeder")).node.share(bytesOf(bytes), { name: "x" });
    await clock.passUntil(() => node.transfer(first.id).status === "completed");
    records.go();
    await pausing;
    expect(node.transfer(id)).toMatchObject({ status: "interrupted", isPaused: true, error: "paused" });
  });
});

describe("two files for one place", () => {
  async function oneOnItsWay() {
    const hub = new Hub();
    const stuck = gate();
    const seeder = await hub.join("seeder", {
      manners: { answer: (_, block, signal) => unlessAborted(stuck.opened, signal).then(() => block) },
    });
    const [one, other] = [await shareRandom(seeder, MIB), await shareRandom(seeder, MIB)];
    const leecher = await hub.join("leecher");
    const first = await leecher.node.download({ fileId: one.file.id, outputPath: "out" });
    return { stuck, one, other, leecher, first };
  }

  it("are refused while the first is on its way, also if the second may overwrite", async () => {
    const { stuck, one, other, leecher, first } = await oneOnItsWay();
    const second = { fileId: other.file.id, outputPath: "out" };
    for (const overwrite of [false, true]) {
      await expect(leecher.node.download({ ...second, overwrite })).rejects.toMatchObject({
        name: "output_exists",
      });
    }
    expect(leecher.openOutputs).toEqual(["out"]);
    stuck.open();
    expect(await ended(leecher.node, first.id)).toBe("transfer_complete");
    expect(Buffer.from(leecher.outputs.get("out") as Uint8Array).equals(one.bytes)).toBe(true);
  });

  it("are refused while the first waits for a provider, too", async () => {
    const clock = new HandClock();
    const hub = new Hub(clock);
    const silent = (cid: CID, block: Uint8Array, signal: AbortSignal) =>
      cid.code === 0x55 ? untilAborted(signal) : block;
    const seeder = await hub.join("seeder", { manners: { answer: silent } });
    const [one, other] = [await shareRandom(seeder, 2 * MIB), await shareRandom(seeder, MIB)];
    const { node } = await hub.join("leecher");
    const { id } = await node.download({ fileId: one.file.id, outputPath: "out" });
    await clock.passUntil(() => node.files().length > 0);
    seeder.leave();
    await clock.passUntil(() => node.transfer(id).status === "interrupted");
    const second = node.download({ fileId: other.file.id, outputPath: "out", overwrite: true });
    await expect(second).rejects.toMatchObject({ name: "output_exists" });
  });

  it("are refused where they are asked for, or go on, at once", async () => {
    const { one, other, leecher } = await oneOnItsWay();
    const { node } = leecher;
    const fileIds = [one.file.id, other.file.id];
    const refusals = async (asked: Promise<unknown>[]) =>
      (await Promise.allSettled(asked)).flatMap((each) =>
        each.status === "rejected" ? each.reason.name : [],
      );
    const started = fileIds.map((fileId) => node.download({ fileId, outputPath: "there" }));
    expect(await refusals(started)).toEqual(["output_exists"]);
    for (const { id } of node.transfers()) await node.pause(id);
    const { id } = await node.download({ fileId: other.file.id, outputPath: "there" });
    await node.pause(id);
    expect(await refusals(fileIds.map((fileId) => node.resume(fileId)))).toEqual(["output_exists"]);
    expect(leecher.openOutputs).toEqual(["there"]);
    await node.stop();
  });

  it("leave the place to the second once the first is paused, which then can't go on there", async () => {
    const { stuck, one, other, leecher, first } = await oneOnItsWay();
    await leecher.node.pause(first.id);
    const second = await leecher.node.download({ fileId: other.file.id, outputPath: "out" });
    await expect(leecher.node.resume(one.file.id)).rejects.toMatchObject({ name: "output_exists" });
    stuck.open();
    expect(await ended(leecher.node, second.id)).toBe("transfer_complete");
    expect(Buffer.from(leecher.outputs.get("out") as Uint8Array).equals(other.bytes)).toBe(true);
  });
});

describe("a chunk that two are asked for in the end", () => {
  async function askedOfTwo() {
    const hub = new Hub();
    const all = gate();
    const asked: { cid: CID; signal: AbortSignal; give: () => void }[] = [];
    const answer = async (cid: CID, block: Uint8Array, signal: AbortSignal) => {
      if (cid.code !== RAW) return block;
      const { opened, open: give } = gate();
      asked.push({ cid, signal, give });
      await Promise.race([opened, all.opened, untilAborted(signal).catch(() => {})]);
      return block;
    };
    const bytes = randomFile(4 * MIB);
    const first = await hub.join("first", { manners: { answer } });
    const { file } = await first.node.share(bytesOf(bytes), { name: "x" });
    const leecher = await hub.join("leecher");
    const { id } = await leecher.node.download({ fileId: file.id });
    await eventually(() => expect(asked).toHaveLength(4));
    asked[0]?.give();
    await held(leecher, file.id, 1);
    await (await hub.join("second", { manners: { answer } })).node.share(bytesOf(bytes), { name: "x" });
    await eventually(() => expect(asked.length).toBeGreaterThan(4));
    const twins = asked.filter(({ cid }) => cid.equals(asked[4]?.cid)) as [
      (typeof asked)[0],
      (typeof asked)[0],
    ];
    return { leecher, id, fileId: file.id, twins, giveAll: all.open };
  }

  it("is counted once where both bring it", async () => {
    const { leecher, id, fileId, twins, giveAll } = await askedOfTwo();
    for (const { give } of twins) give();
    await held(leecher, fileId, 2);
    giveAll();
    expect(await ended(leecher.node, id)).toBe("transfer_complete");
    const { peers } = leecher.node.transfer(id);
    expect(peers.reduce((sum, { chunksDownloaded }) => sum + chunksDownloaded, 0)).toBe(4);
  });

  it("is asked of the other no longer once one has brought it", async () => {
    const { leecher, id, fileId, twins, giveAll } = await askedOfTwo();
    const [slow, fast] = twins;
    fast.give();
    await held(leecher, fileId, 2);
    await eventually(() => expect(slow.signal.aborted).toBe(true));
    giveAll();
    expect(await ended(leecher.node, id)).toBe("transfer_complete");
  });
});

describe("pausing, resuming, cancelling", () => {
  it("tells the swarm of a file that was whole before its transfer could say so", async () => {
    const hub = new Hub();
    const seeder = await hub.join("seeder");
    const { file } = await shareRandom(seeder, 1000);
    const [writing, written] = [gate(), gate()];
    const records = new MemoryRecords();
    const batch = records.batch.bind(records);
    records.batch = async (changes) => {
      if (changes.some(({ collection }) => collection === "files")) {
        writing.open();
        await written.opened;
      }
      await batch(changes);
    };
    const leecher = await hub.join("leecher", { records });
    const { id } = await leecher.node.download({ fileId: file.id });
    await writing.opened;
    const paused = leecher.node.pause(id);
    written.open();
    await paused;
    expect(leecher.node.file(file.id).complete).toBe(true);
    expect(leecher.announced.get(file.id)).toMatchObject({ complete: true });
    await leecher.node.cancel(id);
    expect([...leecher.announced.keys()]).toEqual([file.id]);
  });

  async function stuckInTheMiddle(hub: Hub, { multiPeer = true, sizeBytes = 8 * MIB } = {}) {
    const wall = gate();
    let given = 0;
    const seeder = await hub.join("seeder", {
      manners: {
        answer: async (cid, block, signal) => {
          if (cid.code === 0x55 && ++given > 3) {
            await Promise.race([
              wall.opened,
              new Promise((resolve) => signal.addEventListener("abort", resolve)),
            ]);
          }
          return block;
        },
      },
    });
    const { bytes, file } = await shareRandom(seeder, sizeBytes);
    const leecher = await hub.join("leecher");
    const transfer = await leecher.node.download({ fileId: file.id, outputPath: "out", multiPeer });
    await held(leecher, file.id, 3);
    return { wall, seeder, leecher, transfer, bytes, file };
  }

  it("goes on after a restart without asking again for chunks that are here", async () => {
    const hub = new Hub();
    const { wall, seeder, leecher, transfer, bytes, file } = await stuckInTheMiddle(hub);
    await leecher.node.stop();
    leecher.leave();
    wall.open();
    const servedBefore = seeder.served.length;
    const { records, blocks, outputs } = leecher;
    const back = await hub.join("leecher", { records, blocks, outputs });
    expect(back.node.transfer(transfer.id).status).toBe("interrupted");
    const resumed = await back.node.resume(file.id);
    expect([resumed.id, resumed.status]).toEqual([transfer.id, "resumed"]);
    expect(resumed.progress).toBeCloseTo(3 / 8);
    expect(await ended(back.node, transfer.id)).toBe("transfer_complete");
    expect(seeder.served.length - servedBefore).toBe(5);
    expect(Buffer.from(outputs.get("out") as Uint8Array).equals(bytes)).toBe(true);
  });

  it("goes on by itself after a crash where a pause had ended", async () => {
    const hub = new Hub();
    const { seeder, leecher, transfer, file } = await stuckInTheMiddle(hub);
    await leecher.node.pause(transfer.id);
    seeder.leave();
    await leecher.node.resume(file.id);
    const records = await keptSoFar(leecher);
    await leecher.node.stop();
    leecher.leave();
    const { node } = await hub.join("leecher", { ...leecher, records, autoResume: true });
    expect(node.transfer(transfer.id)).toMatchObject({ status: "resumed", isPaused: false });
    await node.stop();
  });

  it("asks after a crash at once who brought chunks before, of whom nothing was heard yet", async () => {
    const hub = new Hub();
    const { wall, seeder, leecher, transfer, file } = await stuckInTheMiddle(hub);
    const records = await keptSoFar(leecher);
    await leecher.node.stop();
    leecher.leave();
    seeder.manners.isSilent = true;
    wall.open();
    const back = await hub.join("leecher", { ...leecher, records, manners: {}, autoResume: true });
    expect(await ended(back.node, transfer.id)).toBe("transfer_complete");
    expect(back.node.transfer(transfer.id).peers).toMatchObject([{ peerId: "seeder" }]);
    expect(back.node.file(file.id).complete).toBe(true);
  });

  it("asks of those who brought chunks before the one that brought the most, where one may be asked", async () => {
    const hub = new Hub();
    const { wall, seeder, leecher, transfer, bytes } = await stuckInTheMiddle(hub, { multiPeer: false });
    await leecher.node.stop();
    leecher.leave();
    const other = await hub.join("other", { manners: { isSilent: true } });
    await other.node.share(bytesOf(bytes), { name: "same" });
    seeder.manners.isSilent = true;
    const record = await leecher.records.get<TransferRecord>("transfers", transfer.id);
    record?.chunksByPeer.unshift([other.id, 1]);
    await leecher.records.put("transfers", transfer.id, record);
    wall.open();
    const back = await hub.join("leecher", { ...leecher, manners: {}, autoResume: true });
    expect(await ended(back.node, transfer.id)).toBe("transfer_complete");
    expect(other.served).toEqual([]);
  });

  it("does without those who brought chunks before when they can't be reached, however few may be asked", async () => {
    const hub = new Hub();
    const { wall, seeder, leecher, transfer, bytes } = await stuckInTheMiddle(hub, { multiPeer: false });
    await leecher.node.stop();
    leecher.leave();
    Object.assign(seeder.manners, { isSilent: true, reached: gate().opened });
    const other = await hub.join("other");
    await other.node.share(bytesOf(bytes), { name: "same" });
    wall.open();
    const back = await hub.join("leecher", { ...leecher, manners: {}, autoResume: true });
    expect(await ended(back.node, transfer.id)).toBe("transfer_complete");
    expect(back.node.transfer(transfer.id).peers).toContainEqual(
      expect.objectContaining({ peerId: "other", chunksDownloaded: 5 }),
    );
  });

  it("needs nobody who brought chunks before once all places are taken by others", async () => {
    const hub = new Hub();
    const { wall, seeder, leecher, transfer, bytes } = await stuckInTheMiddle(hub, { multiPeer: false });
    await leecher.node.stop();
    leecher.leave();
    const reached = gate();
    Object.assign(seeder.manners, { isSilent: true, reached: reached.opened });
    const other = await hub.join("other");
    await other.node.share(bytesOf(bytes), { name: "same" });
    // While the first chunk is on its way, the swarm hears of the seeder, and the dial of it succeeds.
    other.manners.answer = async (_, block) => {
      seeder.manners.isSilent = false;
      await shareRandom(other, 1);
      reached.open();
      await tick();
      return block;
    };
    wall.open();
    const servedBefore = seeder.served.length;
    const back = await hub.join("leecher", { ...leecher, manners: {}, autoResume: true });
    expect(await ended(back.node, transfer.id)).toBe("transfer_complete");
    expect(seeder.served.length).toBe(servedBefore);
  });

  it("remembers who brought which chunk over a pause and after the end", async () => {
    const hub = new Hub();
    const { wall, leecher, transfer, file } = await stuckInTheMiddle(hub);
    await leecher.node.pause(transfer.id);
    wall.open();
    await leecher.node.resume(file.id);
    await ended(leecher.node, transfer.id);
    const map = leecher.node.chunkMap(transfer.id);
    expect([[...map.states], [...map.sources], map.peers]).toEqual([
      Array(8).fill(2),
      Array(8).fill(0),
      ["seeder"],
    ]);
    expect(leecher.node.chunkMap(transfer.id, 4).states).toHaveLength(4);
  });

  it("resumes what was interrupted before what is running, and tells no reason once cancelled", async () => {
    const hub = new Hub();
    const { wall, leecher, transfer, file } = await stuckInTheMiddle(hub);
    const newer = await leecher.node.download({ fileId: file.id, outputPath: "elsewhere" });
    await leecher.node.pause(transfer.id);
    expect(await leecher.node.resume(file.id)).toMatchObject({ id: transfer.id, status: "resumed" });
    expect(await leecher.node.resume(file.id)).toMatchObject({ id: newer.id });
    await leecher.node.pause(transfer.id);
    await leecher.node.cancel(transfer.id);
    expect(leecher.node.transfer(transfer.id)).toMatchObject({ status: "cancelled", error: undefined });
    // The other one needs what is here.
    expect(leecher.node.files()).toHaveLength(1);
    wall.open();
    expect(await ended(leecher.node, newer.id)).toBe("transfer_complete");
  });

  it("resumes by itself with autoResume, but not what was paused", async () => {
    const hub = new Hub();
    const { wall, leecher, transfer, file } = await stuckInTheMiddle(hub);
    await leecher.node.pause(transfer.id);
    expect(leecher.node.transfer(transfer.id)).toMatchObject({ status: "interrupted", error: "paused" });
    wall.open();
    leecher.leave();
    const paused = await hub.join("leecher", { ...leecher, manners: {}, autoResume: true });
    expect(paused.node.transfer(transfer.id).status).toBe("interrupted");
    await paused.node.resume(file.id);
    expect(await ended(paused.node, transfer.id)).toBe("transfer_complete");
  });

  it("does not resume by itself what was paused after a restart had cut it off", async () => {
    const hub = new Hub();
    const { leecher, transfer } = await stuckInTheMiddle(hub);
    const restarted = async (before: HubNode, autoResume: boolean) => {
      await before.node.stop();
      before.leave();
      return hub.join("leecher", { ...before, autoResume });
    };
    const back = await restarted(leecher, false);
    await back.node.pause(transfer.id);
    const { node } = await restarted(back, true);
    expect(node.transfer(transfer.id)).toMatchObject({ status: "interrupted", isPaused: true });
  });

  it("has failed, and the node starts, where autoResume finds another file in its place", async () => {
    const hub = new Hub();
    const { leecher, transfer } = await stuckInTheMiddle(hub);
    await leecher.node.stop();
    leecher.leave();
    leecher.outputs.set("out", new Uint8Array());
    const { node } = await hub.join("leecher", { ...leecher, manners: {}, autoResume: true });
    expect(await ended(node, transfer.id)).toBe("transfer_failed");
    expect(node.transfer(transfer.id)).toMatchObject({ status: "failed", error: "The output exists" });
  });

  it("goes on when what was paused, or cut off by a restart, is asked for again for the same place", async () => {
    const hub = new Hub();
    const { wall, leecher, transfer, file } = await stuckInTheMiddle(hub);
    const request = { fileId: file.id, outputPath: "out" };
    await leecher.node.pause(transfer.id);
    const again = await leecher.node.download(request);
    expect(again).toMatchObject({ id: transfer.id, status: "resumed", isPaused: false });
    await leecher.node.stop();
    wall.open();
    leecher.leave();
    const back = await hub.join("leecher", { ...leecher, manners: {} });
    expect(back.node.transfer(transfer.id).status).toBe("interrupted");
    back.outputs.set("out", new Uint8Array());
    expect(await back.node.download({ ...request, overwrite: true })).toMatchObject({
      id: transfer.id,
      status: "resumed",
    });
    expect(await ended(back.node, transfer.id)).toBe("transfer_complete");
    expect(back.openOutputs).toEqual([]);
  });

  it("drops partial chunks and the file on cancel, and can start anew by resume", async () => {
    const hub = new Hub();
    const { wall, leecher, transfer, file } = await stuckInTheMiddle(hub);
    await leecher.node.cancel(transfer.id);
    expect(leecher.node.transfer(transfer.id).status).toBe("cancelled");
    expect([leecher.node.files(), leecher.blocks.usedBytes]).toEqual([[], 0]);
    await expect(leecher.node.cancel(transfer.id)).rejects.toMatchObject({ name: "wrong_state" });
    wall.open();
    expect(await leecher.node.resume(file.id)).toMatchObject({
      ...{ status: "resumed", progress: 0, peers: [], endedAt: undefined },
    });
    expect(await ended(leecher.node, transfer.id, "transfer_complete")).toBe("transfer_complete");
    expect(leecher.node.transfer(transfer.id).peers).toMatchObject([{ chunksDownloaded: 8 }]);
  });

  it("cancels what is just being paused", async () => {
    const { leecher, transfer } = await stuckInTheMiddle(new Hub());
    await Promise.all([leecher.node.pause(transfer.id), leecher.node.cancel(transfer.id)]);
    expect(leecher.node.transfer(transfer.id).status).toBe("cancelled");
    expect([leecher.node.files(), leecher.blocks.usedBytes]).toEqual([[], 0]);
  });

  it.each(["cancel", "pause"] as const)("ends by %s what is just being resumed", async (act) => {
    const clock = new HandClock();
    const { seeder, leecher, transfer, file } = await stuckInTheMiddle(new Hub(clock));
    const { node, openOutputs } = leecher;
    seeder.leave();
    await clock.passUntil(() => node.transfer(transfer.id).status === "interrupted");
    const [resumed] = await Promise.all([node.resume(file.id), node[act](transfer.id)]);
    expect(resumed).toMatchObject({ status: "resumed", isPaused: false });
    const now = act === "cancel" ? { status: "cancelled" } : { status: "interrupted", isPaused: true };
    expect(node.transfer(transfer.id)).toMatchObject(now);
    expect(openOutputs).toEqual([]);
  });

  it("goes on when it is resumed, or asked for again, while a pause is still ending", async () => {
    const { leecher, transfer, file } = await stuckInTheMiddle(new Hub());
    const { node } = leecher;
    for (const again of [
      () => node.resume(file.id),
      () => node.download({ fileId: file.id, outputPath: "out" }),
    ]) {
      const [, answer] = await Promise.all([node.pause(transfer.id), again()]);
      for (const state of [answer, node.transfer(transfer.id)]) {
        expect(state).toMatchObject({ id: transfer.id, status: "resumed", isPaused: false });
      }
    }
    await node.stop();
  });

  it("stays completed when it is resumed just as it completes", async () => {
    const clock = new HandClock();
    const { seeder, leecher, transfer, bytes, file } = await stuckInTheMiddle(new Hub(clock));
    const { node, blocks } = leecher;
    seeder.leave();
    await clock.passUntil(() => node.transfer(transfer.id).status === "interrupted");
    await node.share(bytesOf(bytes), { name: "x" });
    const [flushing, flushed] = [gate(), gate()];
    vi.spyOn(blocks, "flush").mockImplementation(async () => {
      flushing.open();
      await flushed.opened;
    });
    await clock.pass(1000);
    await flushing.opened;
    const resumed = node.resume(file.id);
    flushed.open();
    expect((await resumed).status).toBe("completed");
    const told = node.events.since(0).filter(({ event }) => event === "transfer_complete");
    expect([told.length, leecher.openOutputs]).toEqual([1, []]);
  });

  it("is in the end as the last wish has it that was granted, whatever is asked for in whatever order", async () => {
    const turn = () => nextTurn();
    const wishes = fc.array(
      fc.record({ act: fc.constantFrom("pause", "resume", "cancel"), turns: fc.nat(8) }),
      { minLength: 1, maxLength: 12 },
    );
    await fc.assert(
      fc.asyncProperty(wishes, async (wished) => {
        const { leecher, transfer, file } = await stuckInTheMiddle(new Hub(), { sizeBytes: 4 * MIB + 1 });
        const { node, openOutputs } = leecher;
        const answers: Promise<string[]>[] = [];
        for (const { act, turns } of wished) {
          for (let i = 0; i < turns; i++) await turn();
          const asked =
            act === "resume" ? node.resume(file.id) : node[act as "pause" | "cancel"](transfer.id);
          const refused = (error: Error) => {
            expect(error.name).toBe("wrong_state");
            return [];
          };
          answers.push(asked.then(() => [act], refused));
        }
        const last = (await Promise.all(answers)).flat().at(-1) ?? "resume";
        const { status, isPaused } = node.transfer(transfer.id);
        if (last === "cancel") expect([status, openOutputs]).toEqual(["cancelled", []]);
        else if (last === "pause") expect([status, isPaused]).toEqual(["interrupted", true]);
        else expect([["in_progress", "resumed"].includes(status), isPaused]).toEqual([true, false]);
        await node.stop();
      }),
      { numRuns: 60 },
    );
  }, 60_000);

  it.each(["cancel", "pause"] as const)(
    "says 409 when %s comes too late for one that is ending",
    async (act) => {
      const hub = new Hub();
      const { file } = await shareRandom(await hub.join("seeder"), 3 * MIB);
      const blocks = new SlowlyDurableStore();
      const { node } = await hub.join("leecher", { blocks });
      const { id } = await node.download({ fileId: file.id });
      await blocks.isEnding;
      const late = node[act](id);
      blocks.end();
      await expect(late).rejects.toMatchObject({ name: "wrong_state", message: "The transfer is completed" });
      expect(node.transfer(id)).toMatchObject({ status: "completed", isPaused: false });
    },
  );

  it("refuses to delete a file that is being downloaded", async () => {
    const { leecher, file, wall } = await stuckInTheMiddle(new Hub());
    await expect(leecher.node.deleteFile(file.id)).rejects.toMatchObject({ name: "wrong_state" });
    wall.open();
  });

  it("deletes a file before it is downloaded again, whenever that is asked for after the deletion, and once", async () => {
    for (let turns = 0; turns < 12; turns++) {
      const { seeder, leecher, file } = await stuckInTheMiddle(new Hub());
      const { node } = seeder;
      const deleted = Promise.allSettled([node.deleteFile(file.id), node.deleteFile(file.id)]);
      for (let turn = 0; turn < turns; turn++) await undefined;
      const again = await node.download({ fileId: file.id });
      expect(await deleted).toMatchObject([
        { status: "fulfilled" },
        { status: "rejected", reason: { name: "file_not_found" } },
      ]);
      expect(again.status).toBe("started");
      expect(node.transfer(again.id)).toMatchObject({ progress: 0 });
      expect(node.events.since(0).filter(({ event }) => event === "file_deleted")).toHaveLength(1);
      await Promise.all([node.stop(), leecher.node.stop()]);
    }
  });

  it("ends a waiting reader when the transfer is cancelled", async () => {
    const { leecher, file, transfer } = await stuckInTheMiddle(new Hub());
    const reading = readAll(leecher, file.id, 8 * MIB).catch((error: Error) => error.name);
    await leecher.node.cancel(transfer.id);
    expect(await reading).toBe("stopped");
  });

  it("says 404 or 409 for a resume that makes no sense", async () => {
    const hub = new Hub();
    const seeder = await hub.join("seeder");
    const { file } = await shareRandom(seeder, 10);
    const leecher = await hub.join("leecher");
    await expect(leecher.node.resume(file.id)).rejects.toMatchObject({ name: "transfer_not_found" });
    const transfer = await leecher.node.download({ fileId: file.id });
    await ended(leecher.node, transfer.id);
    await expect(leecher.node.resume(file.id)).rejects.toMatchObject({ name: "wrong_state" });
  });
});

function tick(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Settles when the peer holds at least so many chunks of the file. */
async function held(peer: HubNode, fileId: string, count: number): Promise<void> {
  for (;;) {
    const transfer = peer.node.transfers().find((other) => other.fileId === fileId);
    const chunks = peer.node.files().find((file) => file.id === fileId)?.chunkCount ?? 0;
    if (transfer && transfer.progress * chunks >= count) return;
    await tick();
  }
}

/** What a crash would leave of a node that runs. */
async function keptSoFar(peer: HubNode): Promise<MemoryRecords> {
  const records = new MemoryRecords();
  for (const collection of ["files", "transfers"] as const) {
    for await (const [key, value] of peer.records.entries(collection)) {
      await records.put(collection, key, value);
    }
  }
  return records;
}

async function progressed(peer: HubNode, transferId: string): Promise<void> {
  await ended(peer.node, transferId, "transfer_progress");
}

async function chunkId(bytes: Uint8Array): Promise<string> {
  const { blockCid } = await import("../../../src/sharing/hash.ts");
  return (await blockCid(bytes, 0x55)).toString();
}
