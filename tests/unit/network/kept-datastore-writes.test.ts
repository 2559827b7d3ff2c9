/** How what libp2p keeps is written. What it holds is in tests/contracts/datastore. */
import { Key } from "interface-datastore";
import { beforeEach, expect, it } from "vitest";
import { type EntryStore, KeptDatastore } from "../../../src/network/libp2p/kept-datastore.ts";
import { MAX_UNWRITTEN_ENTRIES } from "../../../src/network/libp2p/limits.ts";
import { untilTrue } from "../../eventually.ts";

const MAX_ENTRIES = 2 * MAX_UNWRITTEN_ENTRIES;

/** As the store has them. */
let written: Map<string, number | undefined>;
/** Of the commits that have begun. */
let endings: (() => void)[];
let datastore: KeptDatastore;

beforeEach(async () => {
  written = new Map();
  endings = [];
  const store: EntryStore = {
    async *pages() {},
    commit: async (changes) => {
      await new Promise<void>((resolve) => endings.push(resolve));
      for (const [key, value] of changes) written.set(key, value?.[0]);
    },
    close: async () => {},
  };
  const onLost = (error: unknown) => expect.unreachable(String(error));
  datastore = await KeptDatastore.open(store, { maxEntries: MAX_ENTRIES, onLost });
});

it("writes of an entry what was put last, also where an earlier put waited for room", async () => {
  await put("/peers/0", 0);
  for (let i = 1; i <= MAX_UNWRITTEN_ENTRIES; i++) void put(`/peers/${i}`, 0);
  const earlier = put("/peers/a", 1);
  await endCommit();
  const later = put("/peers/a", 2);
  await endCommits([earlier, later, datastore.close()]);
  expect(written.get("/peers/a")).toBe(2);
});

it("has written as it closes what was put in the place of others", async () => {
  const names = Array.from({ length: 2 * MAX_ENTRIES }, (_, i) => `/peers/${i}`);
  const puts = names.map((name) => put(name, 0));
  await endCommits([datastore.close(), ...puts]);
  expect(names.filter((name) => written.get(name) === 0)).toEqual(names.slice(MAX_ENTRIES));
});

/** Ends the commit under way, and settles when what waited for it has gone on. */
async function endCommit(): Promise<void> {
  await untilTrue(() => endings.length > 0);
  endings.shift()?.();
  await new Promise(setImmediate);
}

async function endCommits(ended: Promise<unknown>[]): Promise<void> {
  let isOver = false;
  const over = Promise.all(ended).then(() => {
    isOver = true;
  });
  while (!isOver) {
    endings.shift()?.();
    await new Promise(setImmediate);
  }
  await over;
}

async function put(name: string, value: number): Promise<void> {
  await datastore.put(new Key(name), new Uint8Array([value]));
}
