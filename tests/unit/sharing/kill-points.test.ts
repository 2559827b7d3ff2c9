/**
 * A process that is killed, or loses power, at each of its writes in turn: what it had told its user holds in the next one, which
 * has nothing left of what was not done.
 */
import type { CID } from "multiformats/cid";
import { describe, expect, it } from "vitest";
import { blockCid, RAW } from "../../../src/sharing/hash.ts";
import { CHUNK_BYTES } from "../../../src/sharing/limits.ts";
import { MemoryRecords } from "../../../src/sharing/memory/memory-records.ts";
import type { FileOutput, Files } from "../../../src/sharing/ports.ts";
import type { SharingNode } from "../../../src/sharing/sharing-node.ts";
import { isActive } from "../../../src/sharing/transfers/transfer-record.ts";
import { HandClock, settled } from "../hand-clock.ts";
import { bytesOf, collect, gate, Hub, type HubNode, randomFile } from "./hub.ts";
import { memoryFiles } from "./memory-files.ts";
import { UnflushedBlocks } from "./unflushed-blocks.ts";

const BLOCK_WRITES = ["write", "putVerified", "delete"];
const RECORD_WRITES = ["put", "delete", "batch"];
const OUTPUT_WRITES = ["commit"];

const [head, tail] = [randomFile(CHUNK_BYTES), randomFile(10)];
const whole = Buffer.concat([head, tail]);
const other = Buffer.concat([head, randomFile(20)]);

/** Lets so many writes happen; those that come later wait for ever. */
class Power {
  isOff = false;
  readonly off = gate();
  #left: number;

  constructor(writes: number) {
    this.#left = writes;
  }

  of<T extends object>(medium: T, writes: readonly string[]): T {
    return new Proxy(medium, {
      get: (target, name, proxy) => {
        const value: unknown = Reflect.get(target, name, target);
        if (typeof value !== "function") return value;
        if (!writes.includes(String(name))) return value.bind(name === "deleteMany" ? proxy : target);
        return (...given: unknown[]) => this.#write(() => value.apply(target, given));
      },
    });
  }

  async #write(write: () => Promise<unknown>): Promise<unknown> {
    this.#left -= 1;
    if (this.#left >= 0) return await write();
    this.isOff = true;
    this.off.open();
    return await new Promise(() => {});
  }
}

/** What the user was told: by file id, whether it is here, and by transfer what became of it. */
interface Told {
  files: Map<string, "here" | "gone" | "unknown">;
  transfers: Map<string, "completed" | "cancelled" | "interrupted">;
  /** A file that may lack something until it is repaired. */
  lossy?: string;
}

interface Deeds {
  node: SharingNode;
  blocks: UnflushedBlocks;
  /** Files outside of the store. */
  outputs: Map<string, Uint8Array>;
  /** Lets time pass until it is so, while the power lasts. */
  until: (isSo: () => boolean) => Promise<void>;
  told: Told;
  /** What a peer offers, of which the second chunk comes once `more` is open. */
  offered: string;
  more: ReturnType<typeof gate>;
}

/** Of what is shared, notes that it is not known until it is told. */
async function share({ node, told }: Deeds, bytes: Uint8Array, name: string): Promise<string> {
  const { file } = await node.share(bytesOf(bytes), { name });
  told.files.set(file.id, "here");
  return file.id;
}

async function remove({ node, told }: Deeds, fileId: string): Promise<void> {
  told.files.set(fileId, "unknown");
  await node.deleteFile(fileId);
  told.files.set(fileId, "gone");
}

async function halfOf(
  { node, offered, until, told }: Deeds,
  output: { outputPath?: string; overwrite?: boolean } = {},
): Promise<string> {
  told.files.set(offered, "unknown");
  const { id } = await node.download({ fileId: offered, ...output });
  await until(() => node.transfer(id).progress === 1 / 2);
  return id;
}

async function completed({ node, offered, until, told }: Deeds, ...ids: string[]): Promise<void> {
  for (const id of ids) {
    await until(() => node.transfer(id).status === "completed");
    told.transfers.set(id, "completed");
  }
  told.files.set(offered, "here");
}

async function cancel({ node, offered, told }: Deeds, id: string): Promise<void> {
  await node.cancel(id);
  told.transfers.set(id, "cancelled");
  told.files.set(offered, "gone");
}

async function pause({ node, told }: Deeds, id: string): Promise<void> {
  await node.pause(id);
  told.transfers.set(id, "interrupted");
}

const deeds: Record<string, (deeds: Deeds) => Promise<void>> = {
  "shares, shares anew under another name, and deletes": async (own) => {
    const id = await share(own, whole, "one");
    await share(own, other, "other");
    await share(own, whole, "two");
    expect(own.node.file(id).name).toBe("two");
    await remove(own, id);
  },
  downloads: async (own) => {
    const id = await halfOf(own, { outputPath: "out" });
    own.more.open();
    await completed(own, id);
    await remove(own, own.offered);
  },
  "downloads to two places, at one of which it replaces a file": async (own) => {
    own.outputs.set("old", other);
    const ids = [
      await halfOf(own, { outputPath: "new" }),
      await halfOf(own, { outputPath: "old", overwrite: true }),
    ];
    own.more.open();
    await completed(own, ...ids);
  },
  "pauses, and resumes": async (own) => {
    const id = await halfOf(own, { outputPath: "out" });
    await pause(own, id);
    own.more.open();
    own.told.transfers.delete(id);
    await own.node.resume(own.offered);
    await completed(own, id);
  },
  "shares a folder, of which a file was here": async (own) => {
    await share(own, whole, "one");
    const { file } = await own.node.shareFolder("folder");
    own.told.files.set(file.id, "here");
  },
  "repairs a file of which a chunk is lost": async (own) => {
    own.more.open();
    const id = await share(own, whole, "one");
    own.told.files.set(id, "unknown");
    own.told.lossy = id;
    await own.blocks.lose(await blockCid(tail, RAW));
    const reading = collect(own.node.read(id, { start: 0, end: whole.length }, new AbortController().signal));
    await own.until(() => own.node.transfers().some(({ status }) => status === "completed"));
    expect(whole.equals(await reading)).toBe(true);
    own.told.files.set(id, "here");
  },
  "cancels a download": async (own) => {
    const id = await halfOf(own);
    await cancel(own, id);
  },
  "cancels one that is paused, which shares a chunk with a file that stays": async (own) => {
    await share(own, other, "other");
    const { id } = await own.node.download({ fileId: own.offered });
    await own.until(() => own.node.transfer(id).progress === 1 / 2);
    own.told.files.set(own.offered, "unknown");
    await pause(own, id);
    own.told.transfers.delete(id);
    await cancel(own, id);
  },
  "shares what it downloads, and cancels the download": async (own) => {
    const id = await halfOf(own);
    await share(own, whole, "own");
    await own.node.cancel(id).catch(() => undefined);
  },
};

type Disk = Required<Pick<HubNode, "records" | "blocks" | "outputs">>;

async function open(hub: Hub, disk: Disk, { autoResume = false } = {}): Promise<SharingNode> {
  return (await hub.join("own", { ...disk, autoResume })).node;
}

/** Those of the disk while there is power, and a folder of two to share. */
function poweredFiles(power: Power, outputs: Map<string, Uint8Array>): Files {
  const files = memoryFiles(outputs, []);
  const inFolder = new Map([
    ["one", whole],
    ["other", other],
  ]);
  return {
    ...files,
    listFolder: async (name) => ({
      name,
      files: Array.from(inFolder.keys(), (path) => ({ path, source: path })),
    }),
    async openSource(name) {
      const bytes = inFolder.get(name) ?? new Uint8Array();
      return { name, sizeBytes: bytes.length, stream: () => bytesOf(bytes) };
    },
    openOutput: async (path, options): Promise<FileOutput> =>
      power.of(await files.openOutput(path, options), OUTPUT_WRITES),
  };
}

/** False when it did all of that before. */
async function endedAt(writes: number, end: string, does: (deeds: Deeds) => Promise<void>): Promise<boolean> {
  const clock = new HandClock();
  const hub = new Hub(clock);
  const more = gate();
  const answer = async (cid: CID, block: Uint8Array, signal: AbortSignal) => {
    const left = new Promise((resolve) => signal.addEventListener("abort", resolve));
    if (cid.code === RAW && block.length < CHUNK_BYTES) await Promise.race([more.opened, left]);
    return block;
  };
  const seeder = await hub.join("seeder", { manners: { answer } });
  const { file } = await seeder.node.share(bytesOf(whole), { name: "offered" });
  const outputs = new Map<string, Uint8Array>();
  const blocks = new UnflushedBlocks();
  const disk: Disk = { records: new MemoryRecords(), blocks, outputs };
  const power = new Power(writes);
  const { node } = await hub.join("own", {
    records: power.of(disk.records, RECORD_WRITES),
    blocks: power.of(blocks, BLOCK_WRITES),
    files: poweredFiles(power, outputs),
  });
  const told: Told = { files: new Map(), transfers: new Map() };
  const until = async (isSo: () => boolean) => {
    await clock.passUntil(() => power.isOff || isSo());
    if (power.isOff) await new Promise(() => {});
  };
  const done = does({ node, blocks, outputs, until, told, offered: file.id, more }).then(() => false);
  const isKilled = await Promise.race([done, power.off.opened.then(() => true)]);
  await settled();
  if (end === "loses power") blocks.losePower();
  const next = await open(hub, disk);
  await expectKept(next, told);
  await next.stop();
  more.open();
  const last = await open(hub, disk, { autoResume: true });
  await clock.passUntil(() =>
    last.transfers().every(({ isPaused, status }) => isPaused || !isActive(status)),
  );
  await expectKept(last, told);
  expectCame(last, outputs);
  await expectNothingLeft(last, disk);
  await last.stop();
  return isKilled;
}

async function expectKept(node: SharingNode, told: Told): Promise<void> {
  for (const [id, status] of told.transfers) expect(node.transfer(id)).toMatchObject({ status });
  for (const [id, place] of told.files) {
    const file = node.files().find((known) => known.id === id);
    if (place === "here") expect(file).toMatchObject({ complete: true });
    if (place === "gone") expect(file).toBeUndefined();
  }
  for (const { id, complete, sizeBytes } of node.files()) {
    const isOnItsWay = node.transfers().some(({ fileId, status }) => fileId === id && isActive(status));
    expect(complete || isOnItsWay || id === told.lossy).toBe(true);
    if (!complete || sizeBytes < CHUNK_BYTES) continue;
    const bytes = await collect(node.read(id, { start: 0, end: sizeBytes }, new AbortController().signal));
    expect([whole, other].some((known) => known.equals(bytes))).toBe(true);
  }
}

/** What was cut off, or lost, has come by now, and nothing else stands in its place. */
function expectCame(node: SharingNode, outputs: ReadonlyMap<string, Uint8Array>): void {
  const paused = node.transfers().filter(({ isPaused }) => isPaused);
  for (const { id, complete } of node.files()) {
    const isPaused = paused.some(({ fileId }) => fileId === id);
    expect(complete || isPaused).toBe(true);
  }
  for (const { outputPath, status, isPaused } of node.transfers()) {
    if (isPaused) continue;
    expect(status).toMatch(/^(completed|cancelled)$/);
    if (outputPath !== undefined && status === "completed")
      expect(whole.equals(outputs.get(outputPath) ?? new Uint8Array())).toBe(true);
  }
  for (const bytes of outputs.values())
    expect([whole, other].some((known) => known.equals(bytes))).toBe(true);
}

async function expectNothingLeft(node: SharingNode, { records, blocks }: Disk): Promise<void> {
  for (const { id, status } of node.transfers()) if (isActive(status)) await node.cancel(id);
  for (const { id } of node.files()) await node.deleteFile(id);
  const left = [];
  for await (const [id] of records.entries("files")) left.push(id);
  expect([left, blocks.usedBytes]).toEqual([[], 0]);
}

describe.each(["is killed", "loses power"])("that %s", (end) => {
  it.each(Object.keys(deeds))("as it %s", async (name) => {
    const does = deeds[name] as (deeds: Deeds) => Promise<void>;
    let writes = 0;
    while (await endedAt(writes, end, does)) writes += 1;
    expect(writes).toBeGreaterThan(5);
  });
});
