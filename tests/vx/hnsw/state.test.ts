/** A graph's state out and in: the same graph again, the same bytes for the same operations, and no trust in bytes. */
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ExactGraph } from "../../../src/vx/hnsw/exact-graph.ts";
import type { VectorGraph } from "../../../src/vx/hnsw/graph.ts";
import { HnswGraph } from "../../../src/vx/hnsw/hnsw-graph.ts";
import type { GraphState, StatePartName } from "../../../src/vx/hnsw/state.ts";
import { nextTurn } from "../../../src/vx/turns.ts";
import { addAll, clustered, recallOf } from "./vectors.ts";

type Stored = Record<"header" | StatePartName, Uint8Array>;

/** Ends a list that is not full. */
const NONE = 0xffffffff;

/** Parts are read in pieces that end within a list. */
const READ_BYTES = 1000;

function store(graph: HnswGraph): Stored {
  const state = graph.exportState();
  const stored = bytesOf(state);
  state.release();
  return stored;
}

function bytesOf({ header, parts }: GraphState): Stored {
  const stored: Partial<Stored> = { header };
  for (const { name, byteLength, read } of parts) {
    const bytes = new Uint8Array(byteLength);
    for (let offset = 0; offset < byteLength; offset += READ_BYTES) {
      read(offset, bytes.subarray(offset, offset + READ_BYTES));
    }
    stored[name] = bytes;
  }
  return stored as Stored;
}

/** Digests in place of bytes, for comparing. */
function digests(stored: Stored): string[] {
  return Object.entries(stored).map(
    ([name, bytes]) => `${name} ${createHash("sha256").update(bytes).digest("hex")}`,
  );
}

function open(stored: Stored, options: Parameters<typeof HnswGraph.open>[2] = {}): Promise<HnswGraph> {
  const read = (part: StatePartName, places: Uint8Array[]) => {
    let offset = 0;
    for (const place of places) {
      place.set(stored[part].subarray(offset, offset + place.byteLength));
      offset += place.byteLength;
    }
  };
  return HnswGraph.open(stored.header, read, options);
}

function graphOf(count: number): HnswGraph {
  const graph = new HnswGraph({ dimension: 9, metric: "l2", m: 6, efConstruction: 40 });
  addAll([graph], clustered(count, 9, 1));
  return graph;
}

/** A graph with a history: replaced, deleted, refilled, a sweep under way. */
function worn(metric: "cosine" | "l2" = "l2", count = 2200): HnswGraph {
  const graph = new HnswGraph({ dimension: 9, metric, m: 6, efConstruction: 40 });
  addAll([graph], clustered(count, 9, 1));
  for (let id = 0; id < count; id += 3) graph.delete(id);
  addAll([graph], clustered(count / 10, 9, 2), count / 2);
  return graph;
}

test("opens as the graph it was, and goes on as that would have", async () => {
  const graph = worn();
  const opened = await open(store(graph), { efConstruction: 40 });
  expect(opened.count).toBe(graph.count);
  expect(opened.ids()).toEqual(graph.ids());
  for (const query of clustered(30, 9, 3)) {
    expect(opened.search(query, 10)).toEqual(graph.search(query, 10));
    expect(opened.search(query, 10, { ef: 1000 })).toEqual(graph.search(query, 10, { ef: 1000 }));
  }
  expect(opened.get(1100)).toEqual(graph.get(1100));
  addAll([graph, opened], clustered(900, 9, 4), 5000);
  for (let id = 5000; id < 5900; id += 2) expect(opened.delete(id)).toBe(graph.delete(id));
  expect(digests(store(opened))).toEqual(digests(store(graph)));
});

test("gives the same bytes for the same operations", () => {
  expect(digests(store(worn("cosine")))).toEqual(digests(store(worn("cosine"))));
});

test("keeps slots, ids and vectors of the exported state while the graph goes on", () => {
  const graph = worn();
  const before = store(graph);
  const state = graph.exportState();
  addAll([graph], clustered(3000, 9, 5), 700);
  for (let id = 0; id < 3000; id++) graph.delete(id);
  const { links: _, ...kept } = bytesOf(state);
  const { links: __, ...former } = before;
  expect(digests(kept as Stored)).toEqual(digests(former as Stored));
  state.release();
  state.release();
  addAll([graph], clustered(3000, 9, 6), 10_000);
  expect(graph.search(new Float32Array(9).fill(1), 10).ids).toHaveLength(10);
});

test("is exported until the last of its states is released, however often each is", async () => {
  const graph = graphOf(20);
  const [first, second] = [graph.exportState(), graph.exportState()];
  let isReleased = false;
  const released = graph.released().then(() => {
    isReleased = true;
  });
  first.release();
  first.release();
  await nextTurn();
  expect([graph.isExported, isReleased]).toEqual([true, false]);
  second.release();
  await released;
  expect(graph.isExported).toBe(false);
});

test("finds as much, read while the graph went on and brought to where that is", async () => {
  const graph = worn("l2", 3000);
  const exact = new ExactGraph({ dimension: 9, metric: "l2" });
  for (const id of graph.ids()) exact.add(id, graph.get(id) as Float32Array);
  const gone = graph.ids().slice(0, 300);
  const goOn = (graphs: VectorGraph[]) => {
    addAll(graphs, clustered(2000, 9, 5), 10_000);
    for (const other of graphs) for (const id of gone) other.delete(id);
  };
  const state = graph.exportState();
  goOn([graph]);
  const opened = await open(bytesOf(state), { efConstruction: 40 });
  state.release();
  expect(opened.ids().toSorted()).toEqual(exact.ids().toSorted());
  goOn([opened, exact]);
  const queries = clustered(50, 9, 6);
  const truth = queries.map((query) => exact.search(query, 10));
  const recallIn = (other: VectorGraph) =>
    recallOf(
      queries.map((query) => other.search(query, 10)),
      truth,
    );
  expect(recallIn(opened)).toBeGreaterThan(recallIn(graph) - 0.01);
});

test("opens an empty graph", async () => {
  const opened = await open(store(new HnswGraph({ dimension: 3, metric: "cosine" })));
  expect(opened.metric).toBe("cosine");
  opened.add(1, Float32Array.of(1, 2, 3));
  expect(opened.count).toBe(1);
});

test("opens with another quantization than it was made with", async () => {
  const graph = worn();
  const opened = await open(store(graph), { quantization: "none" });
  const query = new Float32Array(9).fill(0.5);
  expect(opened.search(query, 5, { ef: 500 })).toEqual(graph.search(query, 5, { ef: 500 }));
});

test("opens what version 1 has written, and writes it so", async () => {
  const path = new URL("../../fixtures/formats/v1/vector-graph.json", import.meta.url);
  const frozen = JSON.parse(await readFile(path, "utf8")) as Record<string, string>;
  const stored = Object.fromEntries(
    Object.entries(frozen).map(([name, base64]) => [name, new Uint8Array(Buffer.from(base64, "base64"))]),
  ) as unknown as Stored;
  const opened = await open(stored);
  expect(opened.count).toBe(25);
  expect(opened.get(7)).toEqual(Float32Array.of(7, 49, 343));
  expect(opened.get(3)).toBeUndefined();
  expect([...opened.search(Float32Array.of(7, 49, 343), 1).ids]).toEqual([7n]);
  expect(store(opened)).toEqual(stored);
  expect(store(frozenGraph())).toEqual(store(opened));
});

/** The graph whose state is frozen. */
function frozenGraph(): HnswGraph {
  const graph = new HnswGraph({ dimension: 3, metric: "l2", m: 2, efConstruction: 20 });
  for (let id = 0; id < 30; id++) graph.add(id, Float32Array.of(id, id ** 2, id ** 3));
  for (const id of [3, 4, 5, 6, 20]) graph.delete(id);
  return graph;
}

describe("a damaged state", () => {
  const whole = store(worn("cosine", 400));
  const names = Object.keys(whole) as (keyof Stored)[];

  test("is refused or opens as a graph that works, wherever its bytes are wrong", async () => {
    const query = new Float32Array(9).fill(0.3);
    const damage = fc.record({
      part: fc.constantFrom(...names),
      at: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
      bytes: fc.uint8Array({ minLength: 1, maxLength: 8 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(damage, { minLength: 1, maxLength: 4 }), async (damages) => {
        const stored = structuredClone(whole);
        for (const { part, at, bytes } of damages) {
          const offset = Math.floor(at * stored[part].length);
          stored[part].set(bytes.subarray(0, stored[part].length - offset), offset);
        }
        const opened = await open(stored).catch((error: unknown) => error);
        if (!(opened instanceof HnswGraph)) {
          expect(opened).toMatchObject({
            code: expect.stringMatching(/^(backup_corrupt|capacity_exceeded)$/),
          });
          return;
        }
        if (opened.dimension !== 9) return;
        expect(opened.search(query, 10).ids.length).toBe(Math.min(10, opened.count));
        addAll([opened], clustered(80, 9, 8), 900);
        for (let id = 900; id < 980; id++) opened.delete(id);
      }),
      {
        numRuns: 300,
        examples: [
          // What follows the end of an upper list.
          [[{ part: "uppers", at: 0.20920502092050208, bytes: Uint8Array.of(0) }]],
          // More slots than there can be.
          [[{ part: "header", at: 20 / 64, bytes: Uint8Array.of(255, 255, 255, 255) }]],
        ],
      },
    );
  });

  test("is refused where it is cut short or of another version", async () => {
    for (const header of [whole.header.subarray(1), whole.header.subarray(0, 63), new Uint8Array(64)]) {
      await expect(open({ ...whole, header })).rejects.toMatchObject({ code: "backup_corrupt" });
    }
    const newer = whole.header.slice();
    newer[4] = 2;
    await expect(open({ ...whole, header: newer })).rejects.toThrow(/version is 2/);
  });

  test.each([
    ["with free slots", whole],
    ["without", store(graphOf(200))],
  ])("opens without what follows the end of a list, %s", async (_, sound) => {
    const links = sound.links.slice();
    const slots = sound.states.length;
    const listBytes = links.length / slots;
    let changed = 0;
    for (const [slot, state] of sound.states.entries()) {
      const list = new Uint32Array(links.buffer, slot * listBytes, listBytes / 4);
      const end = list.indexOf(NONE);
      if (state === 0 || end < 0 || end === list.length - 1) continue;
      list[list.length - 1] = changed++ % 2 === 0 ? slots : 0;
    }
    expect(changed).toBeGreaterThan(50);
    expect(digests(store(await open({ ...sound, links })))).toEqual(digests(sound));
  });

  test("is refused where a link leads nowhere", async () => {
    const live = [...whole.states.keys()].filter((slot) => whole.states[slot] === 1);
    for (const [i, slot] of live.slice(0, 20).entries()) {
      const links = whole.links.slice();
      new DataView(links.buffer).setUint32(slot * 48, 400 + i, true);
      await expect(open({ ...whole, links })).rejects.toMatchObject({ code: "backup_corrupt" });
    }
  });
});

test("what was left behind and swept while pinned is still read, is stored as it may be, and makes room in both graphs", async () => {
  const graph = new HnswGraph({ dimension: 9, metric: "l2" });
  const vectors = clustered(300, 9, 1);
  addAll([graph], vectors);
  const former = vectors.map((_, id) => graph.slotOf(BigInt(id)) as number);
  const release = graph.pin();
  for (let round = 2; round < 5; round++) addAll([graph], clustered(300, 9, round));
  expect(graph.slotLimit).toBe(1200);
  const stored = store(graph);
  expect(former.map((slot) => graph.vectorIn(slot))).toEqual(vectors);
  expect(new Set(stored.states)).toEqual(new Set([1, 2, 3]));
  release();
  const opened = await open(stored);
  for (const each of [graph, opened]) {
    expect(each.count).toBe(300);
    for (let round = 5; round < 9; round++) addAll([each], clustered(300, 9, round));
    expect(each.slotLimit).toBeLessThan(1300);
    const found = clustered(300, 9, 8).filter((vector, id) => each.search(vector, 1).ids[0] === BigInt(id));
    expect(found.length).toBeGreaterThan(297);
  }
});

test("what all of was deleted while pinned opens again, then and later, and takes vectors", async () => {
  const graph = new HnswGraph({ dimension: 9, metric: "l2" });
  addAll([graph], clustered(64, 9, 1));
  const release = graph.pin();
  for (let id = 0; id < 64; id++) graph.delete(id);
  const during = await open(store(graph));
  release();
  for (const each of [during, await open(store(graph)), graph]) {
    expect(each.count).toBe(0);
    for (let round = 2; round < 6; round++) addAll([each], clustered(300, 9, round));
    expect((await open(store(each))).count).toBe(300);
    const found = clustered(300, 9, 5).filter((vector, id) => each.search(vector, 1).ids[0] === BigInt(id));
    expect(found.length).toBeGreaterThan(297);
  }
});
