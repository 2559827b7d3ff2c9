/** Batches that memory refuses after they were stored, and the order of changes. */
import { describe, expect, it, vi } from "vitest";
import { loadRecords } from "../../../src/vx/engine/loading.ts";
import { Records } from "../../../src/vx/engine/records.ts";
import { Writer } from "../../../src/vx/engine/writer.ts";
import { VxError } from "../../../src/vx/errors.ts";
import { HnswGraph } from "../../../src/vx/hnsw/hnsw-graph.ts";
import { MetadataIndex } from "../../../src/vx/metadata/metadata-index.ts";
import type { IndexStore } from "../../../src/vx/storage/index-store.ts";
import { MemoryMedium, openMemoryIndexStorage } from "../../../src/vx/storage/memory-index-storage.ts";
import { openIndexStore } from "../../../src/vx/storage/open-index-store.ts";
import type { Operation } from "../../../src/vx/storage/operations.ts";
import type { IndexFacts } from "../../../src/vx/storage/stored-index.ts";
import { nextTurn } from "../../../src/vx/turns.ts";
import { deferred } from "../../deferred.ts";

const facts: IndexFacts = { dimension: 256, metric: "l2", m: 4, efConstruction: 20 };
const options = { efSearch: 50, quantization: "int8", batchSize: 100 } as const;
/** Room for some thousand vectors. */
const maxMemoryBytes = 8 * 1024 * 1024;

async function opened(medium: MemoryMedium, { maxElements = 0 } = {}) {
  const store = await openIndexStore(await openMemoryIndexStorage(medium), { create: facts });
  await store.load({ async graph() {}, metadata() {}, operations() {} });
  const graph = new HnswGraph({ ...facts, maxMemoryBytes });
  const records = new Records(facts, options, graph, await MetadataIndex.open());
  /** What is stored from then on is told of when this settles. */
  const told = { promise: Promise.resolve() };
  const telling = {
    lastSequence: store.lastSequence,
    async append(operations: Operation[]) {
      const { promise } = told;
      const last = await store.append(operations);
      await promise;
      return last;
    },
  };
  const writer = new Writer({ store: telling as IndexStore, records, maxElements, onApplied() {} });
  return { store, writer, told };
}

function adds(first: number, count: number, version: number): Operation[] {
  return Array.from({ length: count }, (_, i) => {
    const vector = new Float32Array(facts.dimension).fill(first + i + version / 10);
    return { kind: "add", id: BigInt(first + i), vector, metadata: JSON.stringify({ version }) };
  });
}

function contentOf(records: Records): Map<bigint, unknown> {
  const ids = [...records.ids()].sort((a, b) => Number(a - b));
  return new Map(ids.map((id) => [id, { first: records.get(id)?.vector[0], text: records.textOf(id) }]));
}

describe("the writer", () => {
  it("takes back a batch that memory has no place for, in memory and after a restart", async () => {
    const medium = new MemoryMedium();
    const { store, writer } = await opened(medium);
    const kept = 200;
    await writer.write(adds(0, kept, 1));
    await writer.write([{ kind: "delete", id: 5n }]);
    const before = contentOf(writer.records);
    const tooMuch = [...adds(0, 10, 2), ...adds(kept, 20_000, 2)];
    await expect(writer.write(tooMuch)).rejects.toMatchObject({ code: "capacity_exceeded" });
    expect(contentOf(writer.records)).toEqual(before);
    expect(writer.failure).toBeUndefined();
    await writer.write(adds(3, 1, 3));
    const after = contentOf(writer.records);
    expect(after.get(3n)).toMatchObject({ text: '{"version":3}' });
    await store.close();

    const again = await openIndexStore(await openMemoryIndexStorage(medium), { create: facts });
    const { records, refused } = await loadRecords(again, options);
    expect(contentOf(records)).toEqual(after);
    expect(refused).toBe(0);
    await again.close();
  });

  it("takes back what memory refuses while a copy holds all slots", async () => {
    const { store, writer } = await opened(new MemoryMedium());
    const full = { code: "capacity_exceeded" };
    const fill = async (first: number) => {
      for (let id = first; ; id += 10) await writer.write(adds(id, 10, 1));
    };
    await expect(fill(0)).rejects.toMatchObject(full);
    const before = contentOf(writer.records);
    const { release } = writer.records.source().state;
    for (const some of [
      adds(3, 1, 2),
      [...adds(3, 5, 2), ...adds(9000, 5, 2)],
      [...adds(1, 2, 2), ...adds(1, 2, 3)],
    ]) {
      await expect(writer.write(some)).rejects.toMatchObject(full);
    }
    expect(contentOf(writer.records)).toEqual(before);
    // Until there are slots to take it back in, searches look past it.
    const inTurns = expect(writer.write([...adds(0, 100, 2), ...adds(9000, 1000, 2)])).rejects.toMatchObject(
      full,
    );
    const query = new Float32Array(facts.dimension).fill(3.1);
    expect(await writer.records.search(query, { k: 1, page: 1 })).toMatchObject({
      metadata: ['{"version":1}'],
    });
    release();
    await inTurns;
    expect(contentOf(writer.records)).toEqual(before);
    expect(writer.failure).toBeUndefined();
    await writer.write(adds(3, 1, 3));
    expect(contentOf(writer.records).get(3n)).toMatchObject({ text: '{"version":3}' });
    await store.close();
  });

  it("takes back ids that came twice, and the rows that were written", async () => {
    const { store, writer } = await opened(new MemoryMedium());
    const { setAll } = MetadataIndex.prototype;
    const full = new Error("memory is full");
    let chunks = 0;
    vi.spyOn(MetadataIndex.prototype, "setAll").mockImplementation(function (this: MetadataIndex, rows) {
      if (++chunks === 2) throw full;
      setAll.call(this, rows);
    });
    const count = 2 * options.batchSize;
    await expect(writer.write([...adds(0, count, 1), ...adds(0, 10, 2)])).rejects.toBe(full);
    expect(chunks).toBe(2);
    expect(contentOf(writer.records)).toEqual(new Map());
    expect(writer.records.query("SELECT count(*) AS n FROM metadata").rows).toEqual([{ n: 0 }]);
    await store.close();
  });

  it("keeps changes that were stored while a batch was taken back", async () => {
    const medium = new MemoryMedium();
    const { store, writer } = await opened(medium);
    await writer.write(adds(0, 100, 1));
    const outcomes = await Promise.allSettled([
      writer.write([...adds(0, 10, 2), ...adds(200, 20_000, 2)]),
      writer.write(adds(4, 1, 3)),
      writer.write([{ kind: "delete", id: 6n }]),
      writer.write(adds(50_000, 1, 3)),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "fulfilled", "fulfilled", "fulfilled"]);
    const after = contentOf(writer.records);
    expect(after.get(4n)).toMatchObject({ text: '{"version":3}' });
    expect(after.get(7n)).toMatchObject({ text: '{"version":1}' });
    expect(after.has(6n)).toBe(false);
    await store.close();

    const again = await openIndexStore(await openMemoryIndexStorage(medium), { create: facts });
    const { records } = await loadRecords(again, options);
    expect(contentOf(records)).toEqual(after);
    await again.close();
  });

  it("keeps changes that are stored, or come, while a batch that is taken back waits for those before", async () => {
    const medium = new MemoryMedium();
    const { store, writer, told } = await opened(medium);
    await writer.write(adds(0, 10, 1));
    const full = new Error("memory is full");
    const refused = deferred();
    vi.spyOn(MetadataIndex.prototype, "setAll").mockImplementationOnce(() => {
      refused.resolve();
      throw full;
    });
    const batch = expect(writer.write(adds(0, 10, 2))).rejects.toBe(full);
    const [first, second] = [deferred(), deferred()];
    told.promise = first.promise;
    const changes = [writer.write(adds(5, 1, 3))];
    await refused.promise;
    await nextTurn();
    told.promise = second.promise;
    changes.push(writer.write(adds(4, 1, 3)));
    for (const { resolve } of [first, second]) {
      await nextTurn();
      resolve();
    }
    await Promise.all([batch, ...changes]);
    const after = contentOf(writer.records);
    for (const id of [4n, 5n]) expect(after.get(id)).toMatchObject({ text: '{"version":3}' });
    await store.close();

    const again = await openIndexStore(await openMemoryIndexStorage(medium), { create: facts });
    const { records } = await loadRecords(again, options);
    expect(contentOf(records)).toEqual(after);
    await again.close();
  });

  it("brings into force other records once what was admitted is stored", async () => {
    const medium = new MemoryMedium();
    const { store, writer } = await opened(medium);
    const graph = new HnswGraph({ ...facts, maxMemoryBytes });
    const others = new Records(facts, options, graph, await MetadataIndex.open());
    const written = writer.write(adds(0, 1, 1));
    const restarted = writer.restart(others, () => store.replace(facts, () => others.source()));
    await Promise.all([written, restarted]);
    expect(writer.records).toBe(others);
    const after = contentOf(others);
    await store.close();
    const again = await openIndexStore(await openMemoryIndexStorage(medium), { create: facts });
    const { records } = await loadRecords(again, options);
    expect(contentOf(records)).toEqual(after);
    await again.close();
  });

  it("makes changes in the order of their calls where one has to wait for room", async () => {
    const { store, writer } = await opened(new MemoryMedium(), { maxElements: 1 });
    await writer.write(adds(1, 1, 1));
    const changes = [
      writer.write([{ kind: "delete", id: 1n }]),
      writer.write(adds(2, 1, 1)),
      writer.write([{ kind: "delete", id: 2n }]),
      writer.write(adds(3, 1, 1)),
      writer.write(adds(3, 1, 2)),
    ];
    expect(await Promise.all(changes)).toEqual([[true], [false], [true], [false], [true]]);
    expect([...contentOf(writer.records)]).toMatchObject([[3n, { text: '{"version":2}' }]]);
    await store.close();
  });

  it("is not idle while a change waits for room", async () => {
    const { store, writer } = await opened(new MemoryMedium(), { maxElements: 1 });
    await writer.write(adds(1, 1, 1));
    const left = writer.write([{ kind: "delete", id: 1n }]);
    const added = writer.write(adds(2, 1, 1));
    await left;
    expect(writer.isIdle).toBe(false);
    await added;
    expect(writer.isIdle).toBe(true);
    await store.close();
  });

  it("tells for each operation whether its id was there", async () => {
    const { store, writer } = await opened(new MemoryMedium());
    expect(await writer.write([...adds(1, 2, 1), ...adds(1, 1, 2)])).toEqual([false, false, true]);
    expect(await writer.write([{ kind: "delete", id: 1n }])).toEqual([true]);
    expect(await writer.write([{ kind: "delete", id: 1n }])).toEqual([false]);
    expect(writer.lastApplied).toBe(5);
    await store.close();
  });

  it("leaves out at the next opening what memory has no place for, not what a later change sets nor the rest of a batch", async () => {
    const medium = new MemoryMedium();
    const { store, writer } = await opened(medium);
    await writer.write([...adds(7, 1, 1), ...adds(9, 1, 1), ...adds(7, 1, 2), ...adds(8, 1, 1)]);
    await store.close();

    const again = await openIndexStore(await openMemoryIndexStorage(medium), { create: facts });
    const { add } = HnswGraph.prototype;
    // Memory has no place for 8, and had none for 7 as it was first.
    vi.spyOn(HnswGraph.prototype, "add").mockImplementation(function (this: HnswGraph, id, vector) {
      if (id === 8n || vector[0] === Math.fround(7.1))
        throw new VxError("capacity_exceeded", "memory is full");
      return add.call(this, id, vector);
    });
    const { records, refused } = await loadRecords(again, options);
    expect([...contentOf(records)]).toMatchObject([
      [7n, { text: '{"version":2}' }],
      [9n, { text: '{"version":1}' }],
    ]);
    expect(refused).toBe(1);
    await again.close();
  });
});
