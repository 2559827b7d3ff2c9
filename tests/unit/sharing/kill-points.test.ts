/**
 * A process that is killed at each of its durable writes in turn: what it had told its user holds in the next one, which has
 * nothing left of what was not done.
 */
import type { CID } from "multiformats/cid";
import { expect, it } from "vitest";
import { RAW } from "../../../src/sharing/hash.ts";
import { CHUNK_BYTES } from "../../../src/sharing/limits.ts";
import { MemoryBlockStore } from "../../../src/sharing/memory/memory-block-store.ts";
import { MemoryRecords } from "../../../src/sharing/memory/memory-records.ts";
import type { SharingNode } from "../../../src/sharing/sharing-node.ts";
import { isActive } from "../../../src/sharing/transfers/transfer-record.ts";
import { HandClock, settled } from "../hand-clock.ts";
import { bytesOf, collect, gate, Hub, type HubNode, randomFile } from "./hub.ts";

const BLOCK_WRITES = ["write", "putVerified", "delete"];
const RECORD_WRITES = ["put", "delete", "batch"];

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

/** What the user was told: by file id, whether it is here. */
type Told = Map<string, "here" | "gone" | "unknown">;

interface Deeds {
  node: SharingNode;
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
  told.set(file.id, "here");
  return file.id;
}

async function remove({ node, told }: Deeds, fileId: string): Promise<void> {
  told.set(fileId, "unknown");
  await node.deleteFile(fileId);
  told.set(fileId, "gone");
}

async function halfOf({ node, offered, until, told }: Deeds, outputPath?: string): Promise<string> {
  told.set(offered, "unknown");
  const { id } = await node.download({ fileId: offered, ...(outputPath && { outputPath }) });
  await until(() => node.transfer(id).progress === 1 / 2);
  return id;
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
    const id = await halfOf(own, "out");
    own.more.open();
    await own.until(() => own.node.transfer(id).status === "completed");
    own.told.set(own.offered, "here");
    await remove(own, own.offered);
  },
  "cancels a download": async (own) => {
    const id = await halfOf(own);
    await own.node.cancel(id);
    own.told.set(own.offered, "gone");
  },
  "cancels one that is paused, which shares a chunk with a file that stays": async (own) => {
    await share(own, other, "other");
    const { id } = await own.node.download({ fileId: own.offered });
    await own.until(() => own.node.transfer(id).progress === 1 / 2);
    own.told.set(own.offered, "unknown");
    await own.node.pause(id);
    await own.node.cancel(id);
    own.told.set(own.offered, "gone");
  },
  "shares what it downloads, and cancels the download": async (own) => {
    const id = await halfOf(own);
    await share(own, whole, "own");
    await own.node.cancel(id).catch(() => undefined);
  },
};

async function open(hub: Hub, disk: Pick<HubNode, "records" | "blocks" | "outputs">): Promise<SharingNode> {
  return (await hub.join("own", disk)).node;
}

/** False when the power lasted to the end. */
async function killedAt(writes: number, does: (deeds: Deeds) => Promise<void>): Promise<boolean> {
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
  const disk = { records: new MemoryRecords(), blocks: new MemoryBlockStore(), outputs: new Map() };
  const power = new Power(writes);
  const node = await open(hub, {
    records: power.of(disk.records, RECORD_WRITES),
    blocks: power.of(disk.blocks, BLOCK_WRITES),
    outputs: disk.outputs,
  });
  const told: Told = new Map();
  const until = async (isSo: () => boolean) => {
    await clock.passUntil(() => power.isOff || isSo());
    if (power.isOff) await new Promise(() => {});
  };
  const done = does({ node, until, told, offered: file.id, more }).then(() => false);
  const isKilled = await Promise.race([done, power.off.opened.then(() => true)]);
  await settled();
  await expectWhole(await open(hub, disk), told);
  await expectNothingLeft(await open(hub, disk), disk);
  return isKilled;
}

async function expectWhole(node: SharingNode, told: Told): Promise<void> {
  for (const [id, place] of told) {
    const file = node.files().find((known) => known.id === id);
    if (place === "here") expect(file).toMatchObject({ complete: true });
    if (place === "gone") expect(file).toBeUndefined();
  }
  for (const { id, complete, sizeBytes } of node.files()) {
    const isOnItsWay = node.transfers().some(({ fileId, status }) => fileId === id && isActive(status));
    expect(complete || isOnItsWay).toBe(true);
    if (!complete) continue;
    const bytes = await collect(node.read(id, { start: 0, end: sizeBytes }, new AbortController().signal));
    expect([whole, other].some((known) => known.equals(bytes))).toBe(true);
  }
}

async function expectNothingLeft(
  node: SharingNode,
  { records, blocks }: Pick<HubNode, "records" | "blocks">,
): Promise<void> {
  for (const { id, status } of node.transfers()) if (isActive(status)) await node.cancel(id);
  for (const { id } of node.files()) await node.deleteFile(id);
  const left = [];
  for await (const [id] of records.entries("files")) left.push(id);
  expect([left, blocks.usedBytes]).toEqual([[], 0]);
}

it.each(Object.keys(deeds))("that %s", async (name) => {
  const does = deeds[name] as (deeds: Deeds) => Promise<void>;
  let writes = 0;
  while (await killedAt(writes, does)) writes += 1;
  expect(writes).toBeGreaterThan(5);
});
