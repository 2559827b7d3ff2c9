/** One download whose peers fail, leave and come back, and whose storage takes its time. */
import { once } from "node:events";
import type { CID } from "multiformats/cid";
import { expect, it, vi } from "vitest";
import { SharingError } from "../../../src/sharing/errors.ts";
import { RAW } from "../../../src/sharing/hash.ts";
import { CHUNK_BYTES, MIN_WHOLE_CHUNKS, REDIAL_MAX_MS } from "../../../src/sharing/limits.ts";
import { MemoryBlockStore } from "../../../src/sharing/memory/memory-block-store.ts";
import type { HaveUpdate, WholeFile } from "../../../src/sharing/ports.ts";
import { eventually } from "../../eventually.ts";
import { untilAborted } from "../../until-aborted.ts";
import { HandClock, settled } from "../hand-clock.ts";
import { bytesOf, ended, gate, Hub, type Manners, randomFile } from "./hub.ts";

const bytes = randomFile(2 * CHUNK_BYTES);

it("is not paused before what is being stored is stored", async () => {
  const hub = new Hub();
  const { file } = await (await hub.join("seeder")).node.share(bytesOf(bytes), { name: "x" });
  const [storing, stored] = [gate(), gate()];
  const blocks = new MemoryBlockStore();
  vi.spyOn(blocks, "putVerified").mockImplementation(async () => {
    storing.open();
    await stored.opened;
  });
  const { node } = await hub.join("leecher", { blocks });
  const { id } = await node.download({ fileId: file.id });
  await storing.opened;
  let isPaused = false;
  const pausing = node.pause(id).then(() => {
    isPaused = true;
  });
  await settled();
  expect(isPaused).toBe(false);
  stored.open();
  await pausing;
  expect(node.transfer(id).status).toBe("interrupted");
});

it("counts what is being stored when it is paused, and does not ask for it again", async () => {
  const hub = new Hub();
  const seeder = await hub.join("seeder");
  const { file } = await seeder.node.share(bytesOf(bytes), { name: "x" });
  const disk = gate();
  const blocks = new MemoryBlockStore();
  const put = blocks.putVerified.bind(blocks);
  const putting = vi.spyOn(blocks, "putVerified").mockImplementation(async (cid, block) => {
    await disk.opened;
    await put(cid, block);
  });
  const { node } = await hub.join("leecher", { blocks });
  const { id } = await node.download({ fileId: file.id });
  await eventually(() => expect(putting).toHaveBeenCalledTimes(2));
  const pausing = node.pause(id);
  await settled();
  disk.open();
  await pausing;
  expect(node.transfer(id)).toMatchObject({ status: "interrupted", progress: 1 });
  await node.resume(file.id);
  expect(await ended(node, id)).toBe("transfer_complete");
  expect(seeder.served).toHaveLength(1 + 2);
});

it("is noted at its start, once for a peer that brings all of it, and at its end", async () => {
  const hub = new Hub();
  const seeder = await hub.join("seeder");
  const { file } = await seeder.node.share(bytesOf(randomFile(6 * CHUNK_BYTES)), { name: "x" });
  const { node, records } = await hub.join("leecher");
  const putting = vi.spyOn(records, "put");
  const { id } = await node.download({ fileId: file.id });
  expect(await ended(node, id)).toBe("transfer_complete");
  expect(putting.mock.calls.filter(([what]) => what === "transfers")).toHaveLength(3);
});

it("is over at once where the file is here, with no time to look for anybody", async () => {
  const { node, outputs } = await new Hub(new HandClock()).join("own");
  const { file } = await node.share(bytesOf(bytes), { name: "x" });
  const { id } = await node.download({ fileId: file.id, outputPath: "out" });
  await settled();
  expect(node.transfer(id).status).toBe("completed");
  expect(outputs.get("out")).toHaveLength(bytes.length);
});

it("goes on with what has come with another file meanwhile", async () => {
  const hub = new Hub();
  const answer: Manners["answer"] = (cid, block, signal) =>
    cid.code === RAW ? once(signal, "abort").then(() => Promise.reject(signal.reason)) : block;
  const seeder = await hub.join("seeder", { manners: { answer } });
  const { file } = await seeder.node.share(bytesOf(bytes), { name: "x" });
  const { node, blocks } = await hub.join("leecher");
  const { id } = await node.download({ fileId: file.id });
  await eventually(() => expect(node.files()).toHaveLength(1));
  await node.pause(id);
  seeder.leave();
  for (const part of [bytes.subarray(0, CHUNK_BYTES), bytes.subarray(CHUNK_BYTES)])
    await node.share(bytesOf(part), { name: "part" });
  expect(blocks.usedBytes).toBeGreaterThan(bytes.length);
  await node.resume(file.id);
  expect(await ended(node, id)).toBe("transfer_complete");
});

it("tries a peer that could not be reached again soon, of which nobody tells anew", async () => {
  const clock = new HandClock();
  const hub = new Hub(clock);
  const { node, manners } = await hub.join("seeder", { manners: { isUnreachable: true } });
  const { file } = await node.share(bytesOf(bytes), { name: "x" });
  const leecher = await hub.join("leecher");
  const { id } = await leecher.node.download({ fileId: file.id });
  await clock.pass(2_000);
  manners.isUnreachable = false;
  const status = () => leecher.node.transfer(id).status;
  await clock.passUntil(() => ["completed", "failed"].includes(status()));
  expect(status()).toBe("completed");
});

it("asks a peer that breaks off again and again, and brings chunks in between, again soon each time", async () => {
  const clock = new HandClock();
  const hub = new Hub(clock);
  let asked = 0;
  const answer = (cid: CID, block: Uint8Array) => {
    if (cid.code === RAW && ++asked % 2 === 0) throw new SharingError("peer_lost", "it broke off");
    return block;
  };
  const { node } = await hub.join("seeder", { manners: { answer, maxInFlight: 1 } });
  const { file } = await node.share(bytesOf(randomFile(8 * CHUNK_BYTES)), { name: "x" });
  const leecher = await hub.join("leecher");
  const { id } = await leecher.node.download({ fileId: file.id });
  const isOver = () => leecher.node.transfer(id).status === "completed";
  let longestMs = 0;
  while (!isOver()) {
    await vi.waitUntil(() => leecher.sessions.length === 0 || isOver(), { timeout: 15_000, interval: 10 });
    const awayMs = await clock.passUntil(() => leecher.sessions.length > 0 || isOver());
    longestMs = Math.max(longestMs, awayMs);
  }
  // The seventh pause in a row would be one of half a minute.
  expect([asked, longestMs < REDIAL_MAX_MS / 4]).toEqual([15, true]);
});

it("looks on for a provider when the process was suspended meanwhile", async () => {
  const clock = new HandClock();
  const { file } = await (await new Hub().join("elsewhere")).node.share(bytesOf(bytes), { name: "x" });
  const hub = new Hub(clock);
  const { node } = await hub.join("leecher");
  const { id } = await node.download({ fileId: file.id });
  await clock.pass(5_000);
  await clock.suspend(3_600_000);
  await (await hub.join("seeder")).node.share(bytesOf(bytes), { name: "x" });
  await clock.passUntil(() => ["completed", "failed"].includes(node.transfer(id).status));
  expect(node.transfer(id).status).toBe("completed");
});

it("fails with what went wrong last where nobody brings what the file is made of", async () => {
  const clock = new HandClock();
  const hub = new Hub(clock);
  const answer = () => {
    throw new SharingError("block_not_found", "it is gone");
  };
  const { file } = await (await hub.join("seeder", { manners: { answer } })).node.share(bytesOf(bytes), {
    name: "x",
  });
  const { node } = await hub.join("leecher");
  const { id } = await node.download({ fileId: file.id });
  await clock.passUntil(() => node.transfer(id).status === "failed");
  expect(node.transfer(id).error).toBe("it is gone");
});

it("asks a peer that broke the protocol for nothing more, and takes back what it was asked for", async () => {
  const hub = new Hub();
  const signals: AbortSignal[] = [];
  const answer = async (cid: CID, block: Uint8Array, signal: AbortSignal) => {
    if (cid.code !== RAW) return block;
    signals.push(signal);
    if (signals.length === 2) throw new SharingError("protocol_error", "it lies");
    return untilAborted(signal);
  };
  const { file } = await (await hub.join("liar", { manners: { answer } })).node.share(bytesOf(bytes), {
    name: "x",
  });
  const { node } = await hub.join("leecher");
  const { id } = await node.download({ fileId: file.id });
  await eventually(() => expect(signals.map(({ aborted }) => aborted)).toEqual([true, false]));
  await (await hub.join("honest")).node.share(bytesOf(bytes), { name: "x" });
  expect(await ended(node, id)).toBe("transfer_complete");
});

it("keeps a peer of which one chunk was garbage, and asks it for that again", async () => {
  const hub = new Hub();
  let given = 0;
  const answer = (cid: CID, block: Uint8Array) =>
    cid.code === RAW && ++given === 1 ? new Uint8Array(block.length) : block;
  const seeder = await hub.join("seeder", { manners: { answer } });
  const { file } = await seeder.node.share(bytesOf(bytes), { name: "x" });
  const { node, sessions } = await hub.join("leecher");
  const opened = vi.spyOn(sessions, "push");
  const { id } = await node.download({ fileId: file.id });
  expect(await ended(node, id)).toBe("transfer_complete");
  expect([given, opened.mock.calls]).toEqual([3, [["seeder"]]]);
});

it("lets go of a peer that is banned for its garbage", async () => {
  const hub = new Hub();
  const answer = (cid: CID, block: Uint8Array) => (cid.code === RAW ? new Uint8Array(block.length) : block);
  const { file } = await (await hub.join("liar", { manners: { answer } })).node.share(bytesOf(bytes), {
    name: "x",
  });
  const { node, banned, sessions } = await hub.join("leecher");
  await node.download({ fileId: file.id });
  await eventually(() => expect([[...banned], sessions]).toEqual([["liar"], []]));
  await node.stop();
});

it("asks nobody anew when a second peer brings what the file is made of, which the first had brought", async () => {
  const clock = new HandClock();
  const hub = new Hub(clock);
  const [late, rest] = [gate(), gate()];
  // More than they are asked for at first.
  const bytes = randomFile(4 * CHUNK_BYTES);
  let askedCount = 0;
  const answerAfter = (opened: Promise<void>) => async (cid: CID, block: Uint8Array) => {
    if (cid.code === RAW) askedCount += 1;
    await (cid.code === RAW ? rest.opened : opened);
    return block;
  };
  const slow = await hub.join("slow", { manners: { answer: answerAfter(late.opened), maxInFlight: 1 } });
  const { file } = await slow.node.share(bytesOf(bytes), { name: "x" });
  const { node, blocks } = await hub.join("leecher");
  const write = vi.spyOn(blocks, "write");
  const { id } = await node.download({ fileId: file.id });
  await eventually(() => expect(slow.served).toHaveLength(1));
  const manners = { answer: answerAfter(Promise.resolve()), maxInFlight: 1 };
  const fast = await hub.join("fast", { manners });
  await fast.node.share(bytesOf(bytes), { name: "x" });
  await clock.passUntil(() => askedCount === 2);
  late.open();
  await eventually(() => expect(write).toHaveBeenCalledTimes(2));
  await settled();
  expect(askedCount).toBe(2);
  rest.open();
  await clock.passUntil(() => node.transfer(id).status === "completed");
});

it("goes on when a peer that is dropped tells of one more chunk, whenever it does", async () => {
  for (let turns = 0; turns < 12; turns++) {
    const hub = new Hub();
    const [asked, end] = [gate(), gate()];
    async function* haves(own: AsyncIterable<HaveUpdate>) {
      for await (const update of own) {
        yield update;
        await end.opened;
        for (let turn = 0; turn < turns; turn++) await undefined;
        yield { kind: "have" as const, indexes: [0] };
      }
    }
    const lie = async (cid: CID, block: Uint8Array) => {
      if (cid.code !== RAW) return block;
      asked.open();
      await end.opened;
      throw new SharingError("protocol_error", "it lies");
    };
    const liar = await hub.join("liar", { manners: { answer: lie, haves } });
    const { file } = await liar.node.share(bytesOf(bytes), { name: "x" });
    const { node } = await hub.join("leecher");
    const { id } = await node.download({ fileId: file.id });
    await asked.opened;
    end.open();
    await settled();
    await (await hub.join("honest")).node.share(bytesOf(bytes), { name: "x" });
    expect(await ended(node, id)).toBe("transfer_complete");
  }
});

it.each(["complete", "paused"])(
  "lets go of the file that its store keeps whole once it is %s",
  async (end) => {
    const hub = new Hub();
    const wall = gate();
    let given = 0;
    const answer = async (cid: CID, block: Uint8Array, signal: AbortSignal) => {
      const left = new Promise((resolve) => signal.addEventListener("abort", resolve));
      if (cid.code === RAW && ++given > 1) await Promise.race([wall.opened, left]);
      return block;
    };
    const seeder = await hub.join("seeder", { manners: { answer } });
    const long = randomFile(MIN_WHOLE_CHUNKS * CHUNK_BYTES);
    const { file } = await seeder.node.share(bytesOf(long), { name: "x" });
    const [blocks, standing] = [new MemoryBlockStore(), new Set<string>()];
    let [openCount, closedCount] = [0, 0];
    const openWhole = async (): Promise<WholeFile> => {
      openCount += 1;
      return {
        path: "whole",
        holds: (cid) => standing.has(cid.toString()),
        async putVerified(cid, _, chunk) {
          standing.add(cid.toString());
          await blocks.putVerified(cid, chunk);
        },
        seal: async () => {},
        close: () => closedCount++,
      };
    };
    const { node } = await hub.join("leecher", {
      blocks: Object.assign(blocks, { openWhole }),
      adopts: true,
    });
    const { id } = await node.download({ fileId: file.id, outputPath: "out" });
    await eventually(() => expect(node.transfer(id).progress).toBe(1 / MIN_WHOLE_CHUNKS));
    if (end === "paused") {
      await node.pause(id);
    } else {
      wall.open();
      expect(await ended(node, id)).toBe("transfer_complete");
    }
    expect([openCount, closedCount]).toEqual([1, 1]);
  },
);

it("goes on when a peer that is dropped says that it was", async () => {
  const hub = new Hub();
  async function* haves(own: AsyncIterable<HaveUpdate>) {
    yield* own;
    throw new SharingError("stopped", "the peer is no longer used");
  }
  const lie: Manners["answer"] = (cid, block) => {
    if (cid.code !== RAW) return block;
    throw new SharingError("protocol_error", "it lies");
  };
  const liar = await hub.join("liar", { manners: { answer: lie, haves } });
  const { file } = await liar.node.share(bytesOf(bytes), { name: "x" });
  const { node, sessions } = await hub.join("leecher");
  const { id } = await node.download({ fileId: file.id });
  await eventually(() => expect(node.files()).toHaveLength(1));
  await eventually(() => expect(sessions).toEqual([]));
  await (await hub.join("honest")).node.share(bytesOf(bytes), { name: "x" });
  expect(await ended(node, id)).toBe("transfer_complete");
});

it("gives the place of a peer that holds nothing to one that has just come, where the lot falls on that", async () => {
  vi.spyOn(Math, "random").mockReturnValue(0);
  const hub = new Hub(new HandClock());
  async function* haves(own: AsyncIterable<HaveUpdate>) {
    for await (const _ of own) yield { kind: "none" as const };
  }
  const poor = await hub.join("poor", { manners: { haves } });
  const { file } = await poor.node.share(bytesOf(bytes), { name: "x" });
  const { node, sessions } = await hub.join("leecher");
  const { id } = await node.download({ fileId: file.id, multiPeer: false });
  await eventually(() => expect(node.files()).toHaveLength(1));
  expect(sessions).toEqual(["poor"]);
  await (await hub.join("newcomer")).node.share(bytesOf(bytes), { name: "x" });
  expect(await ended(node, id)).toBe("transfer_complete");
});
