/** How several downloads from one peer take their turns. */
import type { CID } from "multiformats/cid";
import { describe, expect, it } from "vitest";
import { RAW } from "../../../src/sharing/hash.ts";
import {
  CHUNK_BYTES,
  LONG_FILES_AT_ONCE,
  PROVIDER_SEARCH_EVERY_MS,
  REDIAL_MAX_MS,
  SHORT_CHUNKS,
  SHORT_FILES_AT_ONCE,
  STALL_MS,
} from "../../../src/sharing/limits.ts";
import type { TransferDetail } from "../../../src/sharing/transfers/transfer-record.ts";
import { Turns } from "../../../src/sharing/transfers/turns.ts";
import { HandClock } from "../hand-clock.ts";
import { bytesOf, collect, ended, Hub, type HubNode, randomFile } from "./hub.ts";

const LONG = 2 * SHORT_CHUNKS;
const COUNT = LONG_FILES_AT_ONCE + 2;

/** So many chunks, of which the last is small. */
const bytesIn = (chunks: number) => (chunks - 1) * CHUNK_BYTES + 8;

/**
 * A leecher that has asked for files of so many chunks, and a seeder that keeps the chunks of each back until it may
 * give them.
 */
class Downloads {
  readonly clock = new HandClock();
  readonly ids: string[] = [];
  readonly #hub = new Hub(this.clock);
  readonly #fileIds: string[] = [];
  readonly #keptBack = new Set<{ file: number; give: () => void }>();
  readonly #given = new Set<number>();
  leecher!: HubNode;
  seeder!: HubNode;

  static async begun(...chunkCounts: number[]): Promise<Downloads> {
    const downloads = new Downloads();
    await downloads.#begin(chunkCounts);
    return downloads;
  }

  async #begin(chunkCounts: number[]): Promise<void> {
    const answer = (cid: CID, bytes: Uint8Array, signal: AbortSignal) =>
      cid.code === RAW ? this.#answer(bytes, signal) : bytes;
    const manners = { answer, maxInFlight: 2 };
    this.seeder = await this.#hub.join("seeder", { manners });
    this.leecher = await this.#hub.join("leecher");
    for (const [file, chunks] of chunkCounts.entries()) {
      const bytes = randomFile(bytesIn(chunks));
      for (let chunk = 0; chunk < chunks; chunk++) bytes[chunk * CHUNK_BYTES] = file;
      const shared = await this.seeder.node.share(bytesOf(bytes), { name: `${file}` });
      this.#fileIds.push(shared.file.id);
    }
    for (const fileId of this.#fileIds) {
      this.ids.push((await this.leecher.node.download({ fileId })).id);
      await this.clock.pass(1);
    }
  }

  #answer(bytes: Uint8Array, signal: AbortSignal): Uint8Array | Promise<Uint8Array> {
    const file = bytes[0] as number;
    if (this.#given.has(file)) return bytes;
    return new Promise((resolve, reject) => {
      const kept = { file, give: () => resolve(bytes) };
      this.#keptBack.add(kept);
      signal.addEventListener("abort", () => {
        this.#keptBack.delete(kept);
        reject(signal.reason);
      });
    });
  }

  /** Files whose chunks are asked for and kept back. */
  get asked(): number[] {
    const files = [...this.#keptBack].map(({ file }) => file).filter((file) => !this.#given.has(file));
    return [...new Set(files)].sort((a, b) => a - b);
  }

  /** The leecher's process is gone, and another one goes on. */
  async startAgain(): Promise<void> {
    const { blocks, records, node } = this.leecher;
    await node.stop();
    this.leecher = await this.#hub.join("leecher", { blocks, records, autoResume: true });
  }

  /** The seeder is gone, and another process goes on with what it has. */
  async seedAgain(): Promise<void> {
    const { blocks, records, manners, node } = this.seeder;
    await node.stop();
    this.seeder = await this.#hub.join("seeder", { blocks, records, manners });
  }

  /** One of the chunks that are kept back of the file. */
  giveOne(file: number): void {
    const kept = [...this.#keptBack].find((other) => other.file === file);
    if (kept === undefined) throw new Error(`no chunk of ${file} is asked for`);
    this.#keptBack.delete(kept);
    kept.give();
  }

  give(file: number): Promise<string> {
    this.#given.add(file);
    for (const kept of this.#keptBack) if (kept.file === file) kept.give();
    return this.ended(file);
  }

  ended(file: number): Promise<string> {
    return ended(this.leecher.node, this.ids[file] as string);
  }

  detail(file: number): TransferDetail {
    return this.leecher.node.transfer(this.ids[file] as string);
  }

  /** Somebody reads the file, once it is known here. */
  async read(file: number): Promise<Buffer> {
    const { node } = this.leecher;
    const fileId = this.#fileIds[file] as string;
    await expect.poll(() => node.transfer(this.ids[file] as string).sizeBytes).toBeDefined();
    return collect(node.read(fileId, { start: 0, end: bytesIn(LONG) }, new AbortController().signal));
  }
}

const firstOf = (count: number) => Array.from({ length: count }, (_, file) => file);
const longOnes = firstOf(COUNT).map(() => LONG);

describe.each([
  ["long", LONG, LONG_FILES_AT_ONCE],
  ["short", 2, SHORT_FILES_AT_ONCE],
  ["single-chunk", 1, SHORT_FILES_AT_ONCE],
])("of many %s files from one peer", (_, chunkCount, atOnce) => {
  const count = atOnce + 2;

  async function begun(): Promise<Downloads> {
    const downloads = await Downloads.begun(...firstOf(count).map(() => chunkCount));
    await expect.poll(() => downloads.asked.length).toBe(atOnce);
    return downloads;
  }

  it("so many are brought at a time, the others as room comes", async () => {
    const downloads = await begun();
    for (let left = count; left > 0; left--) {
      await expect.poll(() => downloads.asked.length).toBe(Math.min(left, atOnce));
      expect(await downloads.give(downloads.asked[0] as number)).toBe("transfer_complete");
    }
  });

  it("those that wait say so, and neither fail nor are interrupted, however long they do", async () => {
    const downloads = await begun();
    await downloads.clock.pass(2 * STALL_MS);
    for (const file of firstOf(count)) {
      const isWaiting = !downloads.asked.includes(file);
      expect(downloads.detail(file)).toMatchObject({ status: "started", isWaiting });
      if (chunkCount > 1) expect(downloads.detail(file).sizeBytes).toBe(bytesIn(chunkCount));
    }
  });

  it("those that wait go on where their peer goes and comes back", async () => {
    const downloads = await begun();
    const waiting = firstOf(count).filter((file) => !downloads.asked.includes(file));
    downloads.seeder.leave();
    const statuses = () => waiting.map((file) => downloads.detail(file).status);
    await downloads.clock.pass(3 * STALL_MS);
    expect(statuses()).toEqual(waiting.map(() => "interrupted"));
    await downloads.seedAgain();
    const ends = firstOf(count).map((file) => downloads.give(file));
    await downloads.clock.pass(PROVIDER_SEARCH_EVERY_MS + REDIAL_MAX_MS);
    for (const file of waiting) expect(await ends[file]).toBe("transfer_complete");
  });

  it("one that is cancelled leaves its turn to another, and one that waits is not waited for", async () => {
    const downloads = await begun();
    const { asked } = downloads;
    const [waiting, next] = firstOf(count).filter((file) => !asked.includes(file)) as [number, number];
    for (const file of [waiting, asked[0] as number])
      await downloads.leecher.node.cancel(downloads.ids[file] as string);
    await expect.poll(() => downloads.asked).toEqual([...asked.slice(1), next].sort((a, b) => a - b));
  });

  it("one that is paused leaves its turn to another", async () => {
    const downloads = await begun();
    const [paused] = downloads.asked as [number];
    await downloads.leecher.node.pause(downloads.ids[paused] as string);
    await expect.poll(() => downloads.asked.length).toBe(atOnce);
    expect(downloads.asked).not.toContain(paused);
  });
});

it("those that were asked for first go on first after a restart", async () => {
  const downloads = await Downloads.begun(...longOnes);
  await expect.poll(() => downloads.asked.length).toBe(LONG_FILES_AT_ONCE);
  await expect.poll(() => firstOf(COUNT).every((file) => downloads.detail(file).sizeBytes)).toBe(true);
  await downloads.startAgain();
  await expect.poll(() => downloads.asked).toEqual(firstOf(LONG_FILES_AT_ONCE));
});

it("a long one of which few chunks are missing leaves its turn to another, and comes without one", async () => {
  const downloads = await Downloads.begun(...longOnes);
  await expect.poll(() => downloads.asked.length).toBe(LONG_FILES_AT_ONCE);
  const { asked } = downloads;
  const [file] = asked as [number];
  for (let asks = 2; asks < LONG - SHORT_CHUNKS; asks++) downloads.giveOne(file);
  await expect.poll(() => downloads.asked.length).toBe(LONG_FILES_AT_ONCE + 1);
  expect(downloads.asked).toEqual(expect.arrayContaining(asked));
  expect(await downloads.give(file)).toBe("transfer_complete");
});

describe("beside long files that wait for their turn", () => {
  it("a short one is brought at once", async () => {
    const downloads = await Downloads.begun(...longOnes, SHORT_CHUNKS);
    expect(await downloads.give(COUNT)).toBe("transfer_complete");
  });

  it("one that is read is brought at once", async () => {
    const downloads = await Downloads.begun(...longOnes);
    await expect.poll(() => downloads.asked.length).toBe(LONG_FILES_AT_ONCE);
    const waiting = firstOf(COUNT).find((file) => !downloads.asked.includes(file)) as number;
    const bytes = downloads.read(waiting);
    await expect.poll(() => downloads.asked).toContain(waiting);
    await downloads.give(waiting);
    expect((await bytes).length).toBe(bytesIn(LONG));
  });
});

it("beside very many short files a long one is known, and asked for, at once", async () => {
  const downloads = await Downloads.begun(...firstOf(SHORT_FILES_AT_ONCE + 1).map(() => 1), LONG);
  await expect.poll(() => downloads.asked).toContain(SHORT_FILES_AT_ONCE + 1);
  expect(downloads.asked).toHaveLength(SHORT_FILES_AT_ONCE + 1);
});

it("a file that can't be watched yet, for others are before it, is not interrupted", async () => {
  const clock = new HandClock();
  const hub = new Hub(clock);
  let end = () => {};
  const watchable = new Promise<void>((resolve) => {
    end = resolve;
  });
  const seeder = await hub.join("seeder", { manners: { watchable } });
  const { file } = await seeder.node.share(bytesOf(randomFile(LONG * CHUNK_BYTES)), { name: "x" });
  const { node } = await hub.join("leecher");
  const { id } = await node.download({ fileId: file.id });
  await expect.poll(() => node.transfer(id).sizeBytes).toBeDefined();
  await clock.pass(2 * STALL_MS);
  expect(node.transfer(id).status).toBe("started");
  end();
  expect(await ended(node, id)).toBe("transfer_complete");
});

it("a turn that is taken again is the same one", () => {
  const turns = new Turns(LONG_FILES_AT_ONCE);
  const all = firstOf(LONG_FILES_AT_ONCE).map(() => turns.at("peer", () => {}));
  expect(all.map((turn) => turn.take())).toEqual(all.map(() => true));
  expect([all[0]?.take(), all[0]?.isOurs, all[0]?.isWaiting]).toEqual([true, true, false]);
  all[0]?.leave();
  expect(turns.isFree("peer")).toBe(true);
});

it("nobody's turn comes while it is held, then those who came first have theirs, as many as may", () => {
  const turns = new Turns(2);
  const begun: number[] = [];
  const join = (one: number) => turns.at("folder", () => begun.push(one)).take();
  const release = turns.hold("folder");
  const releaseOther = turns.hold("folder");
  expect([0, 1].map((one) => [turns.isFree("folder"), join(one)])).toEqual([
    [true, false],
    [true, false],
  ]);
  expect([turns.isFree("folder"), join(2)]).toEqual([false, false]);
  release();
  expect(begun).toEqual([]);
  releaseOther();
  expect([begun, turns.isWaitedFor("folder")]).toEqual([[0, 1], true]);
});

it("a line that was held is free again, also where who came has left meanwhile", () => {
  const turns = new Turns(1);
  const release = turns.hold("folder");
  const turn = turns.at("folder", () => {});
  turn.take();
  turn.leave();
  expect(turns.at("folder", () => {}).take()).toBe(false);
  release();
  expect(turns.isFree("folder")).toBe(false);
  expect(turns.at("other", () => {}).take()).toBe(true);
});

it("who had to wait does so until its turn comes, or until it leaves, and nobody else does", () => {
  const turns = new Turns(1);
  const begun: number[] = [];
  const all = [0, 1, 2, 3].map((one) => turns.at("peer", () => begun.push(one)));
  const waiting = () => all.map(({ isWaiting }) => isWaiting);
  expect(waiting()).toEqual([false, false, false, false]);
  expect(all.slice(0, 3).map((turn) => turn.take())).toEqual([true, false, false]);
  expect(waiting()).toEqual([false, true, true, false]);
  all[1]?.leave();
  all[0]?.leave();
  expect([begun, all[2]?.isOurs, waiting()]).toEqual([[2], true, [false, false, false, false]]);
  expect(turns.isWaitedFor("peer")).toBe(false);
});

it("who leaves as soon as its turn comes takes nothing from who comes next", () => {
  const turns = new Turns(1);
  const next = turns.at("folder", () => {});
  const release = turns.hold("folder");
  const brief = turns.at("folder", () => {
    brief.leave();
    next.take();
  });
  brief.take();
  release();
  expect([next.isOurs, turns.isFree("folder")]).toEqual([true, false]);
});
