/** An index's folder over its life: made, written, reopened, snapshot taken, replaced. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { IndexStore } from "../../../src/vx/storage/index-store.ts";
import { MemoryMedium, openMemoryIndexStorage } from "../../../src/vx/storage/memory-index-storage.ts";
import { openIndexStore } from "../../../src/vx/storage/open-index-store.ts";
import type { Operation } from "../../../src/vx/storage/operations.ts";
import { adds, facts, loaded, SmallIndex, snapshot, write } from "./small-index.ts";

const KEY = "a key of thirty-two bytes or more";

async function open(medium: MemoryMedium, encryptionKey?: string): Promise<IndexStore> {
  return openIndexStore(await openMemoryIndexStorage(medium), { create: facts, encryptionKey });
}

async function reopened(medium: MemoryMedium, store: IndexStore, encryptionKey?: string) {
  await store.close();
  const again = await open(medium, encryptionKey);
  return { store: again, index: await loaded(again) };
}

describe.each([
  { kind: "plain", key: undefined },
  { kind: "encrypted", key: KEY },
])("an index that is $kind", ({ key }) => {
  test("keeps what was appended, with and without a snapshot", async () => {
    const medium = new MemoryMedium();
    const store = await open(medium, key);
    const index = await loaded(store);
    await write(store, index, adds(0, 100));
    await write(store, index, [{ kind: "delete", id: 5n }, ...adds(10, 3, "again")]);
    expect(store.lastSequence).toBe(104);
    const second = await reopened(medium, store, key);
    expect(second.index.content()).toEqual(index.content());
    expect(second.store.lastSequence).toBe(104);
    expect(second.store.replayBytes).toBeGreaterThan(0);

    await snapshot(second.store, index);
    expect(second.store.replayBytes).toBe(0);
    await write(second.store, index, adds(200, 20));
    const third = await reopened(medium, second.store, key);
    expect(third.index.content()).toEqual(index.content());
    expect(third.store.lastSequence).toBe(124);
    await third.store.close();
  });

  test("keeps the ids' full range, long and empty metadata", async () => {
    const medium = new MemoryMedium();
    const store = await open(medium, key);
    const index = await loaded(store);
    const vector = Float32Array.of(1, 2, 3);
    const long = JSON.stringify("ü".repeat(1_200_000));
    await write(store, index, [
      { kind: "add", id: 2n ** 64n - 1n, vector, metadata: long },
      { kind: "add", id: 0n, vector, metadata: "" },
      { kind: "add", id: 1n, vector, metadata: `{"a":${long}}` },
      { kind: "add", id: 2n, vector, metadata: "{}" },
    ]);
    const second = await reopened(medium, store, key);
    expect(second.index.content()).toEqual(index.content());
    await snapshot(second.store, index);
    const third = await reopened(medium, second.store, key);
    expect(third.index.content()).toEqual(index.content());
    await third.store.close();
  });

  test("keeps vectors whose chunks end elsewhere than where they lie in memory", async () => {
    const medium = new MemoryMedium();
    const dimension = 16_000;
    const create = { ...facts, dimension, m: 2, efConstruction: 2 };
    const store = await openIndexStore(await openMemoryIndexStorage(medium), { create, encryptionKey: key });
    const index = await loaded(store);
    const numbers = Float32Array.from({ length: dimension + 1009 }, (_, i) => i % 1009);
    const vectors = Array.from({ length: 700 }, (_, id) => {
      const from = (id * 31) % 1009;
      return numbers.subarray(from, from + dimension);
    });
    for (const [id, vector] of vectors.entries()) index.held.add(id, vector);
    await snapshot(store, index);
    const second = await reopened(medium, store, key);
    expect(second.index.held.ids().toSorted()).toEqual(BigUint64Array.from(vectors, (_, id) => BigInt(id)));
    const changed = vectors.filter((vector, id) => {
      const kept = second.index.held.get(id);
      return kept?.length !== dimension || kept.some((number, at) => number !== vector[at]);
    });
    expect(changed).toHaveLength(0);
    const query = vectors[350] as Float32Array;
    expect(second.index.held.search(query, 10)).toEqual(index.held.search(query, 10));
    await second.store.close();
  });

  test("is in the state given after it was replaced, and goes on from there", async () => {
    const medium = new MemoryMedium();
    const store = await open(medium, key);
    await write(store, await loaded(store), adds(0, 50));
    const other = new SmallIndex(facts);
    other.operations(adds(1000, 30, "other"));
    await store.replace({ ...facts, m: 4 }, () => other.source());
    expect(store.lastSequence).toBe(0);
    await write(store, other, adds(5, 2));
    const second = await reopened(medium, store, key);
    expect(second.index.content()).toEqual(other.content());
    expect(second.store.lastSequence).toBe(2);
    await second.store.close();
  });
});

test("the state after any operations, snapshots and reopenings is that of the operations alone", async () => {
  const id = fc.bigInt({ min: 0n, max: 12n });
  const vector = fc.array(fc.integer({ min: -9, max: 9 }), { minLength: 3, maxLength: 3 });
  const operation: fc.Arbitrary<Operation> = fc.oneof(
    fc.record({
      kind: fc.constant("add" as const),
      id,
      vector: vector.map((numbers) => Float32Array.from(numbers)),
      metadata: fc.option(fc.json(), { nil: undefined }),
    }),
    fc.record({ kind: fc.constant("delete" as const), id }),
  );
  const step = fc.oneof(
    { weight: 5, arbitrary: fc.array(fc.array(operation, { maxLength: 5 }), { minLength: 1, maxLength: 4 }) },
    { weight: 1, arbitrary: fc.constant("snapshot" as const) },
    { weight: 1, arbitrary: fc.constant("reopen" as const) },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 20 }), async (steps) => {
      const medium = new MemoryMedium();
      let store = await open(medium);
      let index = await loaded(store);
      const model = new SmallIndex(facts);
      for (const next of steps) {
        if (next === "snapshot") await snapshot(store, index);
        else if (next === "reopen") ({ store, index } = await reopened(medium, store));
        else {
          await Promise.all(next.map((operations) => write(store, index, operations)));
          for (const operations of next) model.operations(operations);
        }
        expect(index.content()).toEqual(model.content());
      }
      await store.close();
    }),
    { numRuns: 60 },
  );
});

test("a snapshot that is written while appends go on leaves nothing out", async () => {
  const medium = new MemoryMedium();
  const store = await open(medium);
  const index = await loaded(store);
  await write(store, index, adds(0, 2000));
  const later = [adds(2000, 50), adds(10, 5, "replaced"), [{ kind: "delete" as const, id: 33n }]];
  async function* rows() {
    for (const operations of later) {
      await write(store, index, operations);
      yield index.rows().filter(({ id }) => id % 3n === 0n);
    }
  }
  const { state } = index.source();
  await store.snapshot(() => ({ state, sequence: 2000, metadata: rows() }));
  const second = await reopened(medium, store);
  expect(second.index.content()).toEqual(index.content());
  await second.store.close();
});

test("an index keeps the facts it was made with", async () => {
  const medium = new MemoryMedium();
  await (await open(medium)).close();
  const create = { ...facts, dimension: 7, m: 9 };
  const store = await openIndexStore(await openMemoryIndexStorage(medium), { create });
  expect(store.facts).toEqual(facts);
  expect(store.encrypted).toBe(false);
  await store.close();
});

test("a folder without an index is not found unless one is to be made", async () => {
  const medium = new MemoryMedium();
  const opening = openIndexStore(await openMemoryIndexStorage(medium), {});
  await expect(opening).rejects.toMatchObject({ code: "not_found" });
  expect(medium.locked).toBe(false);
});

test("the key decides whether an index opens", async () => {
  const medium = new MemoryMedium();
  const store = await open(medium, KEY);
  await write(store, await loaded(store), adds(0, 3));
  await store.close();
  const refused = { code: "encryption_key_invalid" };
  await expect(open(medium)).rejects.toMatchObject(refused);
  await expect(open(medium, `${KEY}!`)).rejects.toMatchObject(refused);
  await expect(open(medium, "x".repeat(31))).rejects.toMatchObject(refused);
  await expect(open(new MemoryMedium(), "x".repeat(31))).rejects.toMatchObject(refused);
  const plain = new MemoryMedium();
  await (await open(plain)).close();
  await expect(open(plain, KEY)).rejects.toMatchObject(refused);
});

test("an encrypted index shows nothing of what is in it, nor its key", async () => {
  const medium = new MemoryMedium();
  const store = await open(medium, KEY);
  const index = await loaded(store);
  await write(store, index, [
    { kind: "add", id: 1n, vector: Float32Array.of(1, 2, 3), metadata: '{"secret":"walrus"}' },
  ]);
  const beforeSnapshot = allBytes(medium);
  await snapshot(store, index);
  await store.close();
  for (const bytes of [beforeSnapshot, allBytes(medium)]) {
    expect(bytes).not.toContain("walrus");
    expect(bytes).not.toContain(asText(new Uint8Array(Float32Array.of(1, 2, 3).buffer)));
    expect(bytes).not.toContain(KEY);
  }
});

test("appends are refused whole for the wrong dimension, ids out of range, and before loading", async () => {
  const store = await open(new MemoryMedium());
  await expect(store.append(adds(0, 1))).rejects.toMatchObject({ code: "unavailable" });
  await loaded(store);
  const short: Operation = { kind: "add", id: 1n, vector: new Float32Array(2) };
  await expect(store.append([...adds(0, 1), short])).rejects.toMatchObject({ code: "dimension_mismatch" });
  for (const id of [-1n, 2n ** 64n]) {
    await expect(store.append([{ kind: "delete", id }])).rejects.toMatchObject({ code: "invalid_id" });
  }
  expect(store.lastSequence).toBe(0);
  await store.close();
  await expect(store.append(adds(0, 1))).rejects.toMatchObject({ code: "unavailable" });
});

test("a folder is opened by one at a time", async () => {
  const medium = new MemoryMedium();
  const store = await open(medium);
  await expect(open(medium)).rejects.toMatchObject({ code: "conflict" });
  await store.close();
  await (await open(medium)).close();
});

test("segments that a snapshot covers are deleted", async () => {
  const medium = new MemoryMedium();
  const store = await open(medium);
  const index = await loaded(store);
  for (let round = 0; round < 4; round++) {
    await write(store, index, adds(round * 10, 10));
    await snapshot(store, index);
    expect([...medium.files.keys()]).toEqual(["snapshot"]);
  }
  await store.close();
});

function allBytes(medium: MemoryMedium): string {
  return [...medium.files.values()].map(({ bytes, length }) => asText(bytes.subarray(0, length))).join("");
}

/** A character a byte. */
function asText(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
}
