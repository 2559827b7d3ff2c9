/** What a watch tells of the chunks that a peer has: src/exchange/have-state. */
import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import { HaveState } from "../../../src/exchange/have-state.ts";
import { MAX_HAVE_INDEXES } from "../../../src/exchange/limits.ts";
import { MAX_CHUNKS } from "../../../src/sharing/limits.ts";
import type { BlockSource, HaveNews, HaveUpdate, PeerSession } from "../../../src/sharing/ports.ts";
import { deferred } from "../../deferred.ts";
import { type Block, connect, type LoopbackNode, makeBlocks, sourceOf, startNode } from "./loopback.ts";

const never = new AbortController().signal;

/** What a reader of the updates believes. */
function follow(chunkCount: number, updates: HaveNews[]): boolean[] {
  let held: boolean[] = Array(chunkCount).fill(false);
  for (const update of updates) {
    if (update.kind === "all" || update.kind === "none") held = held.fill(update.kind === "all");
    else if (update.kind === "have") for (const index of update.indexes) held[index] = true;
    else if (update.kind === "bitfield")
      held = held.map((_, index) => ((update.bits[index >> 3] as number) & (0x80 >> (index & 7))) !== 0);
  }
  return held;
}

describe("the state of a watch", () => {
  it("leaves its reader knowing the same, however seldom it reads", () => {
    const chunkCount = 300;
    const index = fc.nat(chunkCount - 1);
    const update: fc.Arbitrary<HaveUpdate> = fc.oneof(
      { weight: 1, arbitrary: fc.constant<HaveUpdate>({ kind: "all" }) },
      { weight: 1, arbitrary: fc.constant<HaveUpdate>({ kind: "none" }) },
      {
        weight: 6,
        arbitrary: fc
          .array(index, { maxLength: 20 })
          .map((indexes): HaveUpdate => ({ kind: "have", indexes })),
      },
      {
        weight: 2,
        arbitrary: fc.array(index).map((indexes): HaveUpdate => {
          const bits = new Uint8Array(Math.ceil(chunkCount / 8));
          for (const one of indexes) bits[one >> 3] = (bits[one >> 3] as number) | (0x80 >> (one & 7));
          return { kind: "bitfield", bits };
        }),
      },
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(update, fc.boolean()), { maxLength: 30 }), (steps) => {
        const state = new HaveState(chunkCount);
        const read: HaveUpdate[] = [];
        const take = () => {
          const news = state.take();
          if (news !== undefined) read.push(news);
        };
        for (const [one, isRead] of steps) {
          state.apply(one);
          if (isRead) take();
        }
        take();
        expect(state.take()).toBeUndefined();
        expect(follow(chunkCount, read)).toEqual(
          follow(
            chunkCount,
            steps.map(([one]) => one),
          ),
        );
      }),
    );
  });

  it("is told of runs as of their indexes one by one", () => {
    const chunkCount = 300;
    const run = fc.tuple(
      fc.nat(chunkCount + 20),
      fc.integer({ min: 1, max: 60 }),
      fc.constantFrom("", "none", "take"),
    );
    fc.assert(
      fc.property(fc.array(run, { maxLength: 30 }), (steps) => {
        const [runs, single] = [new HaveState(chunkCount), new HaveState(chunkCount)];
        for (const [start, count, then] of steps) {
          runs.addRun(start, count);
          for (let index = start; index < start + count; index++) single.addRun(index, 1);
          if (then === "none") for (const state of [runs, single]) state.apply({ kind: "none" });
          if (then === "take") expect(runs.take()).toEqual(single.take());
        }
        expect(runs.take()).toEqual(single.take());
      }),
    );
  });

  it("tells a field instead of more indexes than one message may name", () => {
    const state = new HaveState(100_000);
    state.addRun(5, MAX_HAVE_INDEXES);
    expect(state.take()).toMatchObject({ kind: "have" });
    state.addRun(10_000, MAX_HAVE_INDEXES + 1);
    expect(state.take()).toMatchObject({ kind: "bitfield" });
  });

  it.each([
    [1, 0x80],
    [3, 0xe0],
    [7, 0xfe],
    [8, 0xff],
  ])("leaves out chunks past the end of a file of %d", (chunkCount, field) => {
    const state = new HaveState(chunkCount);
    state.apply({ kind: "have", indexes: [chunkCount - 1, chunkCount, 900] });
    expect(state.take()).toEqual({ kind: "have", indexes: [chunkCount - 1] });
    state.apply({ kind: "bitfield", bits: Uint8Array.of(0xff, 0xff) });
    expect(state.take()).toEqual({ kind: "bitfield", bits: Uint8Array.of(field) });
  });

  it("tells that nothing is held in no field, however long that would be", () => {
    const state = new HaveState(MAX_CHUNKS);
    for (const kind of ["none", "all", "none"] as const) {
      state.apply({ kind });
      expect(state.take()).toEqual({ kind });
    }
  });

  it("keeps the last chunks of a file that fills the field's last byte", () => {
    const state = new HaveState(16);
    state.apply({ kind: "bitfield", bits: Uint8Array.of(0, 0xff) });
    expect(state.take()).toEqual({ kind: "bitfield", bits: Uint8Array.of(0, 0xff) });
  });

  it("replaces the bytes that a piece has and no others, also where all was held", () => {
    const state = new HaveState(28);
    state.apply({ kind: "all" });
    state.replaceBits(1, Uint8Array.of(0));
    expect(state.take()).toEqual({ kind: "bitfield", bits: Uint8Array.of(0xff, 0, 0xff, 0xf0) });
    state.replaceBits(3, Uint8Array.of(0x10, 0xff));
    expect(state.take()).toEqual({ kind: "bitfield", bits: Uint8Array.of(0xff, 0, 0xff, 0x10) });
    state.replaceBits(5, new Uint8Array(6).fill(0xff));
    expect(state.take()).toEqual({ kind: "bitfield", bits: Uint8Array.of(0xff, 0, 0xff, 0x10) });
  });

  it("has no news of a chunk that is told again, or of one where all are held", () => {
    const state = new HaveState(28);
    state.apply({ kind: "have", indexes: [5, 5, 6] });
    expect(state.take()).toEqual({ kind: "have", indexes: [5, 6] });
    state.addRun(5, 2);
    expect(state.take()).toBeUndefined();
    state.apply({ kind: "all" });
    state.take();
    state.addRun(0, 28);
    expect(state.take()).toBeUndefined();
  });

  it("takes memory for what is held, not for the chunks that a peer claims of the file", () => {
    const before = process.memoryUsage().arrayBuffers;
    const states = Array.from({ length: 1000 }, () => new HaveState(MAX_CHUNKS));
    for (const state of states) state.addRun(0, 9);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(32 * 1024 * 1024);
    expect(states.every((state) => state.take() !== undefined)).toBe(true);
  });
});

describe("haves between two nodes", () => {
  const nodes: LoopbackNode[] = [];
  afterEach(async () => {
    await Promise.all(nodes.splice(0).map((node) => node.stop()));
  });

  async function watching(haves: BlockSource["haves"]) {
    const [server, asker] = await Promise.all([startNode(), startNode()]);
    nodes.push(server, asker);
    server.exchange.serve(sourceOf([], haves));
    await connect(asker, server);
    const [file] = (await makeBlocks(1, 10)) as [Block];
    const session: PeerSession = await asker.exchange.openSession(server.peerId, never);
    return { server, session, fileId: file.cid.toString() };
  }

  it("come in order, large fields in one piece of truth, and end when sharing ends", async () => {
    const chunkCount = 200_000;
    const bits = new Uint8Array(chunkCount / 8).fill(0x55);
    const told: HaveUpdate[] = [
      { kind: "none" },
      { kind: "have", indexes: [3, 1, 2, 70_000] },
      { kind: "bitfield", bits },
      { kind: "have", indexes: [0] },
      { kind: "all" },
    ];
    const asked: string[] = [];
    const readAll = deferred();
    const { session, fileId } = await watching(async function* (id) {
      asked.push(id);
      yield* told;
      await readAll.promise;
    });
    const seen: HaveNews[] = [];
    for await (const update of session.haves(fileId, chunkCount, never)) {
      seen.push(update);
      if (update.kind === "all") readAll.resolve();
    }
    expect(asked).toEqual([fileId]);
    expect(follow(chunkCount, seen).every(Boolean)).toBe(true);
  });

  it("end at once for a file that is not shared", async () => {
    const { session, fileId } = await watching(async function* () {});
    const seen: HaveNews[] = [];
    for await (const update of session.haves(fileId, 10, never)) seen.push(update);
    expect(seen).toEqual([]);
  });

  it("reach a slow reader as one field, however many there were", async () => {
    const chunkCount = 20_000;
    const { session, server, fileId } = await watching(async function* (_, _count, signal) {
      for (let index = 0; index < chunkCount; index += 1) yield { kind: "have", indexes: [index] };
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
    });
    const reader = new AbortController();
    let updateCount = 0;
    const held = new Set<number>();
    for await (const update of session.haves(fileId, chunkCount, reader.signal)) {
      updateCount += 1;
      if (update.kind === "have") for (const index of update.indexes) held.add(index);
      else for (const [index, isHeld] of follow(chunkCount, [update]).entries()) if (isHeld) held.add(index);
      if (held.size === chunkCount) reader.abort();
    }
    expect(held.size).toBe(chunkCount);
    expect(updateCount).toBeLessThan(1000);
    expect(server.violations).toEqual([]);
  });

  it("stop at the server when the reader stops, and others go on", async () => {
    const stopped = deferred();
    const { session, fileId } = await watching(async function* (_, _count, signal) {
      signal.addEventListener("abort", () => stopped.resolve());
      yield { kind: "have", indexes: [4] };
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
    });
    for await (const update of session.haves(fileId, 10, never)) {
      expect(update).toEqual({ kind: "have", indexes: [4] });
      break;
    }
    await stopped.promise;
    const second = session.haves(fileId, 10, never)[Symbol.asyncIterator]();
    expect((await second.next()).value).toEqual({ kind: "have", indexes: [4] });
    session.close();
    expect((await second.next()).done).toBe(true);
  });

  it("end when the peer goes", async () => {
    const { session, server, fileId } = await watching(async function* (_, _count, signal) {
      yield { kind: "all" };
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
    });
    const seen: HaveNews[] = [];
    for await (const update of session.haves(fileId, 10, never)) {
      seen.push(update);
      server.exchange.stop();
    }
    expect(seen).toEqual([{ kind: "all" }]);
  });
});
