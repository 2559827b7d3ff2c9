/** When the transactions of blocks begin, by a clock that the test moves: src/browser/blocks/blocks-batches. */
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { BlocksBatches } from "../../../src/browser/blocks/blocks-batches.ts";
import type { BlockChange } from "../../../src/browser/blocks/idb-blocks.ts";
import {
  BATCH_BYTES,
  BATCH_CHANGES,
  BATCHES_AT_ONCE,
  WORTHWHILE_BATCH_PAUSE_MS,
} from "../../../src/browser/limits.ts";

/** Keys of each transaction that has begun. */
let begun: string[][];
/** Ends the oldest transaction that runs. */
let endOldest: () => Promise<void>;
let batches: BlocksBatches;

beforeEach(() => {
  vi.useFakeTimers();
  begun = [];
  const running: (() => void)[] = [];
  endOldest = async () => {
    running.shift()?.();
    await vi.advanceTimersByTimeAsync(0);
  };
  batches = new BlocksBatches((changes) => {
    begun.push(changes.map(({ key }) => key));
    return new Promise((resolve) => running.push(resolve));
  });
});
afterEach(() => {
  vi.useRealTimers();
});

/** Its bytes are claimed, not there: only their number counts. */
function put(key: string, sizeBytes = 1): BlockChange {
  return { type: "put", key, bytes: { byteLength: sizeBytes } as Uint8Array<ArrayBuffer> };
}

/** Adds a block of each key. */
function add(moreToCome: boolean, ...keys: string[]): void {
  for (const key of keys) void batches.add(put(key), moreToCome);
}

const almost = () => vi.advanceTimersByTime(WORTHWHILE_BATCH_PAUSE_MS - 1);

it("a block after which more come waits for as long as they do, and a moment more", () => {
  add(true, "a");
  almost();
  add(true, "b");
  almost();
  expect(begun).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(begun).toEqual([["a", "b"]]);
});

it("one that nobody is to follow waits for none that comes behind it", async () => {
  add(false, "a");
  add(false, "b");
  add(true, "c");
  expect(begun).toEqual([["a"]]);
  await endOldest();
  expect(begun).toEqual([["a"], ["b", "c"]]);
});

it("blocks wait for each other again, once all that came before were taken", async () => {
  add(false, "a");
  await endOldest();
  add(true, "b");
  add(true, "c");
  expect(begun).toEqual([["a"]]);
  vi.advanceTimersByTime(WORTHWHILE_BATCH_PAUSE_MS);
  expect(begun).toEqual([["a"], ["b", "c"]]);
});

it("the moment that a block waits begins when no transaction runs any more", async () => {
  add(false, "a");
  add(true, "b");
  vi.advanceTimersByTime(WORTHWHILE_BATCH_PAUSE_MS);
  await endOldest();
  almost();
  expect(begun).toEqual([["a"]]);
  add(true, "c");
  vi.advanceTimersByTime(WORTHWHILE_BATCH_PAUSE_MS);
  expect(begun).toEqual([["a"], ["b", "c"]]);
});

it("what waits begins at once where all is to be ended, and that settles when it has", async () => {
  add(true, "a");
  const idle = vi.fn();
  void batches.idle().then(idle);
  expect(begun).toEqual([["a"]]);
  add(false, "b");
  await endOldest();
  expect(begun).toEqual([["a"], ["b"]]);
  expect(idle).not.toHaveBeenCalled();
  await endOldest();
  expect(idle).toHaveBeenCalled();
});

it("a transaction's worth of bytes is written beside the one that runs, and no third beside those", async () => {
  add(false, "first");
  const half = (key: string) => void batches.add(put(key, BATCH_BYTES / 2));
  half("a");
  expect(begun.length).toBe(1);
  half("b");
  expect(begun).toEqual([["first"], ["a", "b"]]);
  half("c");
  half("d");
  expect(begun.length).toBe(BATCHES_AT_ONCE);
  half("e");
  await endOldest();
  expect(begun[2]).toEqual(["c", "d"]);
  await endOldest();
  expect(begun.length).toBe(3);
  half("f");
  expect(begun[3]).toEqual(["e", "f"]);
  await endOldest();
  add(false, "g");
  expect(begun.length).toBe(4);
});

it("so many deletions as one transaction takes begin beside the one that runs, and the rest with the next", async () => {
  add(false, "first");
  const keys = Array.from({ length: BATCH_CHANGES + 1 }, (_, at) => String(at));
  for (const key of keys.slice(0, -1)) {
    expect(begun.length).toBe(1);
    void batches.add({ type: "delete", key });
  }
  expect(begun[1]).toEqual(keys.slice(0, -1));
  void batches.add({ type: "delete", key: String(BATCH_CHANGES) });
  await endOldest();
  await endOldest();
  expect(begun[2]).toEqual([String(BATCH_CHANGES)]);
});

it("a block that is longer than a transaction's worth has one of its own", async () => {
  void batches.add(put("long", 2 * BATCH_BYTES));
  void batches.add(put("longer", 3 * BATCH_BYTES));
  void batches.add(put("short"));
  expect(begun).toEqual([["long"], ["longer"]]);
  await endOldest();
  await endOldest();
  expect(begun[2]).toEqual(["short"]);
});
