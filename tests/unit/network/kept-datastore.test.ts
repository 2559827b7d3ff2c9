/** When what libp2p keeps is written. What it holds is in tests/contracts/datastore. */
import { Key } from "interface-datastore";
import { beforeEach, expect, it, onTestFinished, vi } from "vitest";
import {
  type EntryChange,
  type EntryStore,
  KeptDatastore,
} from "../../../src/network/libp2p/kept-datastore.ts";
import { KEPT_WRITE_DELAY_MS, MAX_UNWRITTEN_ENTRIES } from "../../../src/network/libp2p/limits.ts";

let commits: EntryChange[][];
let datastore: KeptDatastore;

beforeEach(async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  commits = [];
  const store: EntryStore = {
    async *pages() {},
    commit: async (changes) => void commits.push(changes),
    close: async () => {},
  };
  const onLost = (error: unknown) => expect.unreachable(String(error));
  datastore = await KeptDatastore.open(store, { maxEntries: 10_000, onLost });
});

it("writes the changes of a second together, and of one entry the last", async () => {
  for (let i = 0; i < 5; i++) {
    await put("/peers/a", i);
    await put("/peers/b", i);
    await vi.advanceTimersByTimeAsync(KEPT_WRITE_DELAY_MS / 10);
  }
  await vi.advanceTimersByTimeAsync(KEPT_WRITE_DELAY_MS);
  expect(commits).toEqual([[entry("/peers/a", 4), entry("/peers/b", 4)]]);
});

it("writes them at once where they are many", async () => {
  for (let i = 0; i <= MAX_UNWRITTEN_ENTRIES; i++) await put(`/peers/${i}`, 0);
  expect(commits.map((changes) => changes.length)).toEqual([MAX_UNWRITTEN_ENTRIES]);
});

it("writes its own node's keys at once", async () => {
  await put("/pkcs8/key", 0);
  await vi.advanceTimersByTimeAsync(0);
  expect(commits).toEqual([[entry("/pkcs8/key", 0)]]);
});

it("writes what is left as it closes, and nothing later", async () => {
  await put("/peers/a", 0);
  await datastore.close();
  await put("/peers/b", 0);
  await vi.advanceTimersByTimeAsync(KEPT_WRITE_DELAY_MS);
  expect(commits).toEqual([[entry("/peers/a", 0)]]);
});

async function put(name: string, value: number): Promise<void> {
  await datastore.put(new Key(name), new Uint8Array([value]));
}

function entry(name: string, value: number): EntryChange {
  return [name, new Uint8Array([value])];
}
