/** Linking by several threads on one memory: the graph finds as much as one that a single thread made. */
import { afterEach, expect, test } from "vitest";
import { nodeLinkThreads } from "../../../src/headless/threads/link-threads.ts";
import { ExactGraph } from "../../../src/vx/hnsw/exact-graph.ts";
import type { GraphOptions, VectorGraph } from "../../../src/vx/hnsw/graph.ts";
import { HnswGraph } from "../../../src/vx/hnsw/hnsw-graph.ts";
import type { LinkJob, LinkThread, LinkThreads } from "../../../src/vx/hnsw/team.ts";
import { nextTurn } from "../../../src/vx/turns.ts";
import { addAll, clustered, linksOf, recallOf } from "./vectors.ts";

const DIMENSION = 24;
/** Where a board tells the places of the tables, the third of which is that of the locks (assembly/team.ts). */
const PLACES_OFFSET = 36;
const graphs: HnswGraph[] = [];

afterEach(() => {
  for (const graph of graphs.splice(0)) graph.close();
});

function shared(options: Partial<GraphOptions> = {}, threads = nodeLinkThreads(2)): HnswGraph {
  const graph = new HnswGraph({ dimension: DIMENSION, metric: "l2", ...options }, threads);
  graphs.push(graph);
  return graph;
}

/** Threads of which none ever does anything. */
function lostThreads(): LinkThreads {
  const start = (_: LinkJob) => ({ ended: Promise.resolve(), end: () => undefined });
  return { ...(nodeLinkThreads(2) as LinkThreads), start };
}

const clock = { isOver: false, next: nextTurn };

/** Adds vectors in one round. */
async function addTogether(graph: HnswGraph, vectors: Float32Array[], firstId = 0): Promise<void> {
  const release = graph.pin();
  for (const [i, vector] of vectors.entries()) graph.stage(firstId + i, vector);
  await graph.linkStaged(clock, nextTurn);
  release();
}

/** A graph of its state, which is refused if a link leads where none may. */
async function reopened(graph: HnswGraph): Promise<HnswGraph> {
  const { header, parts, release } = graph.exportState();
  const again = await HnswGraph.open(header, (name, places) => {
    let offset = 0;
    for (const place of places) {
      parts.find((part) => part.name === name)?.read(offset, place);
      offset += place.byteLength;
    }
  });
  release();
  return again;
}

/** Where walks begin. */
function entrySlot(graph: HnswGraph): number {
  return headerWord(graph, 24);
}

/** Whether a sweep is under way. */
function isSwept(graph: HnswGraph): boolean {
  return headerWord(graph, 32) !== 0xffffffff;
}

function headerWord(graph: HnswGraph, offset: number): number {
  const { header, release } = graph.exportState();
  release();
  return new DataView(header.buffer).getUint32(offset, true);
}

function recall(graph: VectorGraph, exact: ExactGraph): number {
  const queries = clustered(60, DIMENSION, 9);
  const found = queries.map((query) => graph.search(query, 10, { ef: 60 }));
  return recallOf(
    found,
    queries.map((query) => exact.search(query, 10)),
  );
}

test.each(["int8", "none"] as const)(
  "finds as much as a graph made by one thread (%s)",
  async (quantization) => {
    const [graph, single] = [shared({ quantization }), new HnswGraph({ dimension: DIMENSION, metric: "l2" })];
    const exact = new ExactGraph({ dimension: DIMENSION, metric: "l2" });
    const vectors = clustered(4000, DIMENSION, 1);
    addAll([single, exact], vectors);
    for (let first = 0; first < 4000; first += 800) {
      await addTogether(graph, vectors.slice(first, first + 800), first);
    }
    expect(graph.count).toBe(4000);
    expect(recall(graph, exact)).toBeGreaterThan(recall(single, exact) - 0.01);
  },
);

test("replaces and deletes what it holds and what was staged before", async () => {
  const graph = shared();
  const exact = new ExactGraph({ dimension: DIMENSION, metric: "l2" });
  await addTogether(graph, clustered(2000, DIMENSION, 1));
  addAll([exact], clustered(2000, DIMENSION, 1));
  const release = graph.pin();
  for (const [id, vector] of clustered(1500, DIMENSION, 2).entries()) {
    graph.stage(id, vector);
    exact.add(id, vector);
    if (id % 7 === 0) for (const each of [graph, exact]) each.delete(id);
    if (id % 11 === 0) {
      graph.stage(id, vector);
      exact.add(id, vector);
    }
  }
  await graph.linkStaged(clock, nextTurn);
  release();
  expect(graph.ids().toSorted()).toEqual(exact.ids().toSorted());
  expect(recall(graph, exact)).toBeGreaterThan(0.97);
  addAll([graph, exact], clustered(500, DIMENSION, 3), 10_000);
  expect(recall(graph, exact)).toBeGreaterThan(0.97);
});

test("walks from no slot that is still to be linked, where a sweep begins meanwhile", async () => {
  // Of few links a slot, so that one alone is on the highest level.
  const graph = shared({ m: 4 });
  const single = new HnswGraph({ dimension: DIMENSION, metric: "l2", m: 4 });
  const exact = new ExactGraph({ dimension: DIMENSION, metric: "l2" });
  const vectors = clustered(4000, DIMENSION, 1);
  addAll([graph, single, exact], vectors);
  const entryId = graph.idIn(entrySlot(graph));
  const release = graph.pin();
  const replace = (id: bigint, vector: Float32Array) => {
    graph.stage(id, vector);
    for (const each of [single, exact]) each.add(id, vector);
  };
  replace(entryId, vectors[7] as Float32Array);
  for (let id = 0n; id < 600n; id++) {
    if (id !== entryId) for (const each of [graph, single, exact]) each.delete(id);
  }
  expect(entrySlot(graph)).not.toBe(graph.slotOf(entryId));
  for (const [i, vector] of clustered(400, DIMENSION, 2).entries()) replace(BigInt(5000 + i), vector);
  await graph.linkStaged(clock, nextTurn);
  release();
  expect(recall(graph, exact)).toBeGreaterThan(recall(single, exact) - 0.05);
});

test("replaces all that it holds at the first go, and gives others their turn", async () => {
  const graph = shared({}, lostThreads());
  const exact = new ExactGraph({ dimension: DIMENSION, metric: "l2" });
  await addTogether(graph, clustered(2000, DIMENSION, 1));
  const vectors = clustered(2000, DIMENSION, 2);
  addAll([exact], vectors);
  const release = graph.pin();
  for (const [id, vector] of vectors.entries()) graph.stage(id, vector);
  const turns: boolean[] = [];
  await graph.linkStaged({ isOver: true, next: nextTurn }, async () => {
    turns.push(isSwept(graph));
  });
  release();
  expect(recall(graph, exact)).toBeGreaterThan(0.97);
  // Each is linked once but for where all walks begin: what met nothing alive would be linked again.
  expect(turns.indexOf(true)).toBe(1999);
  // A sweep of all 4,000 slots takes turns, too.
  expect(turns.filter((duringSweep) => duringSweep).length).toBeGreaterThan(50);
});

test("has its helpers at work in every round", async () => {
  const threads = nodeLinkThreads(2) as LinkThreads;
  const jobs: LinkJob[] = [];
  const start = (job: LinkJob) => {
    jobs.push(job);
    return threads.start(job);
  };
  const graph = shared({}, { ...threads, start });
  for (const round of [1, 2]) {
    await addTogether(graph, clustered(1000, DIMENSION, round), round * 1000);
    const finished = jobs.map(
      ({ memory, regionAddress }) => new Int32Array(memory.buffer, regionAddress, 1)[0],
    );
    expect(finished).toEqual([round, round]);
  }
});

test("ends its helpers when it is closed", async () => {
  const threads = nodeLinkThreads(2) as LinkThreads;
  const helpers: LinkThread[] = [];
  const start = (job: LinkJob) => {
    helpers.push(threads.start(job));
    return helpers.at(-1) as LinkThread;
  };
  const graph = shared({}, { ...threads, start });
  await addTogether(graph, clustered(100, DIMENSION, 1));
  expect(helpers).toHaveLength(2);
  graph.close();
  await Promise.all(helpers.map(({ ended }) => ended));
});

test("refuses to stage a vector of another length", () => {
  const graph = shared();
  expect(() => graph.stage(1, new Float32Array(DIMENSION - 1))).toThrow(/expected 24, got 23/);
  expect(graph.count).toBe(0);
});

test("links the rest alone when its helpers are lost", async () => {
  const graph = shared({}, lostThreads());
  const exact = new ExactGraph({ dimension: DIMENSION, metric: "l2" });
  addAll([exact], clustered(1500, DIMENSION, 1));
  await addTogether(graph, clustered(1500, DIMENSION, 1));
  expect(recall(graph, exact)).toBeGreaterThan(0.97);
});

/** Graphs of the test below. */
const ATTEMPTS = 3;

test("links all of a round whose helper ends at any moment", async () => {
  const threads = nodeLinkThreads(1) as LinkThreads;
  const exact = new ExactGraph({ dimension: DIMENSION, metric: "l2" });
  addAll([exact], clustered(1500, DIMENSION, 1));
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const helpers: LinkThread[] = [];
    const start = (job: LinkJob) => {
      const helper = threads.start(job);
      helpers.push(helper);
      return helper;
    };
    const graph = shared({}, { ...threads, start });
    // The first round ends once the helper is at work.
    await addTogether(graph, clustered(300, DIMENSION, 1));
    let turns = attempt * 40;
    const next = async () => {
      if (turns-- === 0) for (const helper of helpers) helper.end();
      await nextTurn();
    };
    const release = graph.pin();
    for (const [i, vector] of clustered(1500, DIMENSION, 1).entries()) {
      if (i >= 300) graph.stage(i, vector);
    }
    await graph.linkStaged({ isOver: true, next: nextTurn }, next);
    release();
    expect(recall(graph, exact)).toBeGreaterThan(0.97);
    await expect(reopened(graph)).resolves.toMatchObject({ count: 1500 });
  }
});

test("waits in vain for no lock of a helper that ended, and links what the lock kept from being linked", async () => {
  const threads = nodeLinkThreads(1) as LinkThreads;
  const jobs: LinkJob[] = [];
  const start = (job: LinkJob): LinkThread => {
    jobs.push(job);
    return { ended: Promise.resolve(), end: () => undefined };
  };
  const graph = shared({}, { ...threads, start });
  const exact = new ExactGraph({ dimension: DIMENSION, metric: "l2" });
  addAll([exact], clustered(1500, DIMENSION, 1));
  const release = graph.pin();
  for (const [i, vector] of clustered(1500, DIMENSION, 1).entries()) graph.stage(i, vector);
  let held: Uint8Array | undefined;
  let turns = 0;
  await graph.linkStaged({ isOver: true, next: nextTurn }, async () => {
    turns += 1;
    held ??= holdEveryOther(locksOf(jobs[0] as LinkJob));
  });
  release();
  expect(held).toHaveLength(1500);
  expect(held?.some((lock) => lock !== 0)).toBe(false);
  // What is left is linked in turns, too.
  expect(turns).toBeGreaterThan(2000);
  expect(recall(graph, exact)).toBeGreaterThan(0.97);
  await expect(reopened(graph)).resolves.toMatchObject({ count: 1500 });
  // By way of slots that were not locked a walk meets the one that it is to link again.
  expect(linksOf(graph).filter((links, slot) => links.includes(slot))).toEqual([]);
});

function holdEveryOther(locks: Uint8Array): Uint8Array {
  for (let slot = 0; slot < locks.length; slot += 2) locks[slot] = 1;
  return locks;
}

/** Once a round has begun. */
function locksOf({ memory, boardAddress }: LinkJob): Uint8Array {
  const [, , locksAddress, slotCount] = new Uint32Array(memory.buffer, boardAddress + PLACES_OFFSET, 4);
  return new Uint8Array(memory.buffer, locksAddress, slotCount);
}

test("leaves off when it is told to, and what is dropped is not linked later", async () => {
  const graph = shared();
  await addTogether(graph, clustered(1000, DIMENSION, 1));
  const release = graph.pin();
  for (const [i, vector] of clustered(1000, DIMENSION, 2).entries()) graph.stage(5000 + i, vector);
  const stop = () => Promise.reject(new Error("closing"));
  await expect(graph.linkStaged({ isOver: true, next: nextTurn }, stop)).rejects.toThrow("closing");
  graph.dropStaged();
  for (let id = 5000; id < 6000; id++) graph.delete(id);
  release();
  expect(graph.count).toBe(1000);
  const [query] = clustered(1, DIMENSION, 1) as [Float32Array];
  expect(graph.search(query, 2000).ids).toHaveLength(1000);
});
