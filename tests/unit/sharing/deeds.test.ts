/**
 * Two nodes that do at random what people do, several things at once: share, download, pause, resume, cancel, delete. Whatever
 * the order, storage holds just what the files need, the swarm hears of just those, and each transfer ends.
 */
import fc from "fast-check";
import { expect, it } from "vitest";
import { SharingError } from "../../../src/sharing/errors.ts";
import { CHUNK_BYTES } from "../../../src/sharing/limits.ts";
import type { Clock } from "../../../src/sharing/ports.ts";
import { systemClock } from "../../../src/sharing/system-clock.ts";
import { isActive } from "../../../src/sharing/transfers/transfer-record.ts";
import { bytesOf, collect, Hub, type HubNode, randomFile } from "./hub.ts";

const RUNS = Number(process.env.SHOAL_DEEDS ?? 12);
/** Seconds of a node's life in a few milliseconds of the test's. */
const HASTE = 200;

const hasty: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now() * HASTE,
  sleep: (ms, signal) => systemClock.sleep(ms / HASTE, signal),
};

/** Files that have chunks in common, with others and within themselves. */
const one = randomFile(CHUNK_BYTES);
const two = randomFile(CHUNK_BYTES);
const FILES = [
  Buffer.from(one),
  Buffer.concat([one, two, one.subarray(7)]),
  Buffer.concat([two, two, new Uint8Array(2 * CHUNK_BYTES), randomFile(99)]),
];

const KINDS = ["share", "download", "output", "pause", "resume", "cancel", "delete"] as const;
interface Deed {
  kind: (typeof KINDS)[number];
  node: number;
  file: number;
  /** Turns of the event loop before the next deed. */
  turns: number;
}

const deeds = fc.array(
  fc.record<Deed>({
    kind: fc.constantFrom(...KINDS),
    node: fc.nat(1),
    file: fc.nat(FILES.length - 1),
    turns: fc.oneof(fc.constant(0), fc.nat(6), fc.nat(60)),
  }),
  { minLength: 3, maxLength: 24 },
);

const turn = () => new Promise(setImmediate);

async function idsOfFiles(): Promise<string[]> {
  const { node } = await new Hub().join("scribe");
  const shared = [];
  for (const bytes of FILES) shared.push((await node.share(bytesOf(bytes), { name: "x" })).file.id);
  return shared;
}

/** What may be refused is; anything else is a fault. */
async function act({ node }: HubNode, { kind, file }: Deed, id: string): Promise<void> {
  const newest = () => node.transfers().find(({ fileId }) => fileId === id)?.id ?? "none";
  const kinds = {
    share: () => node.share(bytesOf(FILES[file] as Buffer), { name: `file ${file}` }),
    download: () => node.download({ fileId: id }),
    output: () => node.download({ fileId: id, outputPath: `out ${file}`, overwrite: true }),
    pause: () => node.pause(newest()),
    resume: () => node.resume(id),
    cancel: () => node.cancel(newest()),
    delete: () => node.deleteFile(id),
  };
  try {
    await kinds[kind]();
  } catch (error) {
    if (!(error instanceof SharingError)) throw error;
  }
}

async function until(what: string, condition: () => boolean): Promise<void> {
  for (let turns = 0; !condition(); turns++) {
    if (turns > 3000) throw new Error(`never: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}

/** So that what never ends is told, and the deeds that lead to it found. */
async function ends(what: string, work: Promise<unknown>): Promise<void> {
  let isOver = false;
  const over = () => {
    isOver = true;
  };
  work.then(over, over);
  await until(`${what} ends`, () => isOver);
  await work;
}

async function blocksOf({ blocks }: HubNode): Promise<string[]> {
  const all: string[] = [];
  for await (const cid of blocks.list()) all.push(cid.toString());
  return all.sort();
}

/** Of a node that was given those files alone. */
async function neededBlocks(files: number[]): Promise<string[]> {
  const fresh = await new Hub().join("fresh");
  for (const file of files) await fresh.node.share(bytesOf(FILES[file] as Buffer), { name: "x" });
  return blocksOf(fresh);
}

async function expectWhole(peer: HubNode, ids: string[]): Promise<void> {
  const { node, announced, outputs, openOutputs, blocks } = peer;
  const files = node.files();
  expect(files.filter(({ complete }) => !complete)).toEqual([]);
  expect([...announced.keys()].sort()).toEqual(files.map(({ id }) => id).sort());
  expect(openOutputs).toEqual([]);
  const held = files.map(({ id }) => ids.indexOf(id));
  for (const [at, { id, sizeBytes }] of files.entries()) {
    const bytes = await collect(node.read(id, { start: 0, end: sizeBytes }, new AbortController().signal));
    expect(bytes.equals(FILES[held[at] as number] as Buffer)).toBe(true);
  }
  for (const [path, bytes] of outputs)
    expect(Buffer.from(bytes).equals(FILES[Number(path.slice(4))] as Buffer)).toBe(true);
  expect(await blocksOf(peer)).toEqual(await neededBlocks(held));
  let usedBytes = 0;
  for await (const cid of blocks.list())
    usedBytes += (await collect(blocks.get(cid) as AsyncIterable<Uint8Array>)).length;
  expect((await node.info()).storageUsedBytes).toBe(usedBytes);
}

it("leaves nothing behind, loses nothing and gets stuck nowhere", async () => {
  const ids = await idsOfFiles();
  await fc.assert(
    fc.asyncProperty(deeds, async (all) => {
      const hub = new Hub(hasty);
      const answer = async (_: unknown, block: Uint8Array) => {
        for (let turns = 0; turns < 5; turns++) await turn();
        return block;
      };
      const manners = { answer, maxInFlight: 2 };
      const peers = [await hub.join("a", { manners }), await hub.join("b", { manners })];
      const done: Promise<void>[] = [];
      for (const deed of all) {
        done.push(act(peers[deed.node] as HubNode, deed, ids[deed.file] as string));
        for (let turns = 0; turns < deed.turns; turns++) await turn();
      }
      await ends("all deeds", Promise.all(done));
      for (const { id, node } of peers) {
        const running = () =>
          node.transfers().filter((t) => isActive(t.status) && t.status !== "interrupted");
        await until(`${id} rests, ${JSON.stringify(running())}`, () => running().length === 0);
        const active = () => node.transfers().find(({ status }) => isActive(status));
        for (let left = active(); left; left = active()) await node.cancel(left.id);
      }
      for (const peer of peers) await expectWhole(peer, ids);
      for (const { id, node, records, blocks } of peers) {
        await ends(`the stop of ${id}`, node.stop());
        const before = node.files();
        const next = await hub.join(`${id} again`, { records, blocks });
        expect(next.node.files()).toEqual(before);
        await expectWhole(next, ids);
      }
    }),
    { numRuns: RUNS },
  );
}, 120_000);
