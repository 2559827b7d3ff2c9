/**
 * Of the very many files of a folder, and of all others, few are run at a time: the rest wait, with nothing open, and
 * can be had before their turn.
 */
import { CID } from "multiformats/cid";
import { create as createDigest } from "multiformats/hashes/digest";
import { sha256 } from "multiformats/hashes/sha2";
import { describe, expect, it, vi } from "vitest";
import { collectBytes } from "../../../src/sharing/collect-bytes.ts";
import { SharingError } from "../../../src/sharing/errors.ts";
import { blockCid, RAW } from "../../../src/sharing/hash.ts";
import {
  CHUNK_BYTES,
  FIRST_PROVIDER_MS,
  FOLDER_RUNS_AT_ONCE,
  LAST_LOOK_MS,
  LONE_RUNS_AT_ONCE,
  PROVIDER_SEARCH_EVERY_MS,
  STALL_MS,
  TICK_MS,
} from "../../../src/sharing/limits.ts";
import { MemoryRecords } from "../../../src/sharing/memory/memory-records.ts";
import type { Clock } from "../../../src/sharing/ports.ts";
import type { TransferRequest } from "../../../src/sharing/transfers/transfer-request.ts";
import { unlessAborted } from "../../../src/sharing/unless-aborted.ts";
import { untilAborted } from "../../until-aborted.ts";
import { HandClock } from "../hand-clock.ts";
import { bytesOf, ended, gate, Hub, type HubNode } from "./hub.ts";

const COUNT = FOLDER_RUNS_AT_ONCE + 2;
const [NEXT, LAST] = [FOLDER_RUNS_AT_ONCE, FOLDER_RUNS_AT_ONCE + 1];
const all = Array.from({ length: COUNT }, (_, file) => file);

/** A leecher that has asked for all files of a folder, none of which the seeder gives before it may. */
class FolderDownload {
  readonly #hub: Hub;
  readonly #gate = gate();
  readonly fileIds: string[] = [];
  readonly ids: string[] = [];
  /** Blocks that are given at once. */
  readonly #given = new Set<string>();
  seeder!: HubNode;
  leecher!: HubNode;

  private constructor(clock?: Clock) {
    this.#hub = new Hub(clock);
  }

  static async begun(clock?: Clock): Promise<FolderDownload> {
    const download = new FolderDownload(clock);
    await download.#begin();
    return download;
  }

  async #begin(): Promise<void> {
    this.seeder = await this.#hub.join("seeder", { manners: { answer: this.#answer } });
    for (const number of all) {
      const { file } = await this.seeder.node.share(bytesOf(Uint8Array.of(number, number >> 8)), {
        name: "x",
      });
      this.fileIds.push(file.id);
    }
    this.leecher = await this.#hub.join("leecher");
    for (const file of all) this.ids.push((await this.get(file, { partOf: "folder" })).id);
  }

  readonly #answer = async (cid: CID, bytes: Uint8Array, signal: AbortSignal) => {
    if (!this.#given.has(cid.toString())) await unlessAborted(this.#gate.opened, signal);
    return bytes;
  };

  get(file: number, more: Partial<TransferRequest>) {
    const request = { fileId: this.fileIds[file] as string, outputPath: `${file}` };
    return this.leecher.node.download({ ...request, ...more });
  }

  /** Another file, of which somebody else has given one of two chunks, waits behind all others. */
  async partOf(bytes: Uint8Array) {
    const { node } = this.leecher;
    const seeder = await this.#hub.join("another", { manners: { answer: this.#answer } });
    const { file } = await seeder.node.share(bytesOf(bytes), { name: "long" });
    this.#given.add(file.id).add((await blockCid(bytes.subarray(0, CHUNK_BYTES), RAW)).toString());
    const { id } = await node.download({ fileId: file.id, partOf: "folder" });
    await node.download({ fileId: file.id });
    await expect.poll(() => node.transfer(id).progress).toBe(0.5);
    await node.pause(id);
    return await node.resume(file.id);
  }

  detail(file: number) {
    return this.leecher.node.transfer(this.ids[file] as string);
  }

  isWaiting(file: number): boolean {
    return this.detail(file).isWaiting;
  }

  /** The leecher's process is gone, and another one goes on. */
  async startAgain(): Promise<void> {
    const { blocks, records, outputs, node } = this.leecher;
    await node.stop();
    this.leecher = await this.#hub.join("leecher", { blocks, records, outputs, autoResume: true });
  }

  /** The seeder is gone, and another process goes on with what it has. */
  async seedAgain(): Promise<void> {
    const { blocks, records, node } = this.seeder;
    await node.stop();
    this.seeder = await this.#hub.join("seeder", { blocks, records });
  }

  /** Those of `files` have come. */
  async given(files: readonly number[]): Promise<void> {
    this.#gate.open();
    const ends = files.map((file) => ended(this.leecher.node, this.ids[file] as string));
    expect(new Set(await Promise.all(ends))).toEqual(new Set(["transfer_complete"]));
    const { outputs } = this.leecher;
    expect(files.map((file) => [...(outputs.get(`${file}`) ?? [])])).toEqual(
      files.map((file) => [file & 0xff, file >> 8]),
    );
  }
}

it("those that wait say so and have no output open, and come in their turn", async () => {
  const download = await FolderDownload.begun();
  const { openOutputs } = download.leecher;
  expect([...openOutputs].sort()).toEqual(all.slice(0, NEXT).map(String).sort());
  for (const file of [NEXT, LAST])
    expect(download.detail(file)).toMatchObject({ status: "started", isWaiting: true });
  await expect.poll(() => download.leecher.node.isTransferring()).toBe(true);
  await download.given(all);
  await expect.poll(() => download.leecher.node.isTransferring()).toBe(false);
  expect(openOutputs).toEqual([]);
});

it("none begins while others are asked for with it, unless it is wanted by itself, and then those that were first", async () => {
  const download = await FolderDownload.begun();
  const { leecher } = download;
  for (const id of download.ids.splice(0)) await leecher.node.cancel(id);
  await leecher.node.downloadTogether("folder", async () => {
    for (const file of all) download.ids.push((await download.get(file, { partOf: "folder" })).id);
    expect(leecher.openOutputs).toHaveLength(FOLDER_RUNS_AT_ONCE);
    expect(all.every((file) => download.isWaiting(file))).toBe(true);
    await download.get(LAST, {});
    await expect.poll(() => leecher.openOutputs).toContain(`${LAST}`);
  });
  expect(all.filter((file) => download.isWaiting(file))).toEqual([NEXT]);
  await download.given(all);
});

it("they begin also where one of them was refused", async () => {
  const download = await FolderDownload.begun();
  const { node } = download.leecher;
  for (const id of download.ids.splice(0)) await node.cancel(id);
  const asking = node.downloadTogether("folder", async () => {
    download.ids.push((await download.get(0, { partOf: "folder" })).id);
    throw new SharingError("output_exists", "it is taken");
  });
  await expect(asking).rejects.toThrow("it is taken");
  await download.given([0]);
});

it("one that is cancelled leaves its turn to the next, and one that waits leaves nothing", async () => {
  const download = await FolderDownload.begun();
  const { leecher, ids } = download;
  await leecher.node.cancel(ids[NEXT] as string);
  await leecher.node.pause(ids[0] as string);
  await expect.poll(() => leecher.openOutputs).toContain(`${LAST}`);
  expect(leecher.openOutputs).not.toContain(`${NEXT}`);
  await download.given([...all.slice(1, NEXT), LAST]);
  expect(download.detail(NEXT).status).toBe("cancelled");
});

it.each<[string, Partial<TransferRequest>]>([
  ["to the same place", {}],
  ["to another place", { outputPath: "other" }],
  ["with another folder", { outputPath: "other", partOf: "other" }],
])("one that is asked for %s begins before its turn", async (_, wish) => {
  const download = await FolderDownload.begun();
  await download.get(LAST, wish);
  await expect.poll(() => download.leecher.openOutputs).toContain(`${LAST}`);
  expect([download.isWaiting(NEXT), download.leecher.openOutputs.includes(`${NEXT}`)]).toEqual([true, false]);
  await download.given(all);
});

it.each<[string, (download: FolderDownload) => Promise<void>, Partial<TransferRequest>]>([
  ["was paused", (download) => download.leecher.node.pause(download.ids[LAST] as string), {}],
  ["may replace what it was not to", async () => {}, { overwrite: true }],
])("one that %s begins before its turn, too", async (_, before, wish) => {
  const download = await FolderDownload.begun();
  await before(download);
  await download.get(LAST, wish);
  await expect.poll(() => download.leecher.openOutputs).toContain(`${LAST}`);
  expect(download.isWaiting(NEXT)).toBe(true);
  await download.given(all);
});

it("one that is shared from here meanwhile comes to its place before its turn", async () => {
  const download = await FolderDownload.begun();
  const { node, outputs } = download.leecher;
  await node.share(bytesOf(Uint8Array.of(LAST & 0xff, LAST >> 8)), { name: "x" });
  await expect.poll(() => download.detail(LAST).status).toBe("completed");
  expect([outputs.has(`${LAST}`), download.isWaiting(NEXT)]).toEqual([true, true]);
  await download.given(all.slice(0, LAST));
});

it("files of another folder don't wait for those of the first", async () => {
  const download = await FolderDownload.begun();
  const { id } = await download.get(LAST, { outputPath: "elsewhere/1", partOf: "other" });
  await download.leecher.node.cancel(download.ids[LAST] as string);
  await expect.poll(() => download.leecher.openOutputs).toContain("elsewhere/1");
  await download.given(all.slice(0, LAST));
  expect(await ended(download.leecher.node, id)).toBe("transfer_complete");
});

it("they wait in the same order after a restart", async () => {
  const download = await FolderDownload.begun();
  await download.startAgain();
  expect(all.filter((file) => download.isWaiting(file) && file >= NEXT)).toEqual([NEXT, LAST]);
  expect(download.leecher.openOutputs).toHaveLength(FOLDER_RUNS_AT_ONCE);
  await download.given(all);
});

it("one whose place is taken is refused at once, and one whose place is taken meanwhile fails", async () => {
  const download = await FolderDownload.begun();
  const { outputs } = download.leecher;
  outputs.set("taken", Uint8Array.of(1));
  const again = download.get(0, { outputPath: "taken", partOf: "folder" });
  await expect(again).rejects.toMatchObject({ name: "output_exists" });
  const same = download.get(0, { outputPath: `${LAST}`, partOf: "folder" });
  await expect(same).rejects.toMatchObject({ name: "output_exists" });
  outputs.set(`${NEXT}`, Uint8Array.of(7));
  await download.given([...all.slice(0, NEXT), LAST]);
  await expect
    .poll(() => download.detail(NEXT))
    .toMatchObject({ status: "failed", error: "The output exists" });
});

describe("where no provider is to be had", () => {
  const statuses = ({ node }: HubNode) => new Set(node.transfers().map(({ status }) => status));

  it("files let others of their folder go first, and fail once such have come", async () => {
    const clock = new HandClock();
    const hub = new Hub(clock);
    const seeder = await hub.join("seeder");
    const { file } = await seeder.node.share(bytesOf(Uint8Array.of(1)), { name: "x" });
    const leecher = await hub.join("leecher");
    const ofNobody = all.slice(0, FOLDER_RUNS_AT_ONCE).map(idOf);
    for (const fileId of ofNobody) await leecher.node.download({ fileId, partOf: "folder" });
    const { id } = await leecher.node.download({ fileId: file.id, outputPath: "x", partOf: "folder" });
    const isOver = ended(leecher.node, id);
    await clock.pass(FIRST_PROVIDER_MS + TICK_MS);
    expect(statuses(leecher)).toEqual(new Set(["started"]));
    await clock.pass(STALL_MS - FIRST_PROVIDER_MS);
    expect(await isOver).toBe("transfer_complete");
    await clock.pass(LAST_LOOK_MS + TICK_MS);
    expect(statuses(leecher)).toEqual(new Set(["completed", "failed"]));
  });

  it("those that look for one, and those that wait for their turn, do not count as being brought", async () => {
    const leecher = await new Hub().join("leecher");
    for (const file of all) await leecher.node.download({ fileId: idOf(file), partOf: "folder" });
    expect(leecher.node.transfers().map(({ isWaiting }) => isWaiting)).toContain(true);
    expect(statuses(leecher)).toEqual(new Set(["started"]));
    expect(leecher.node.isTransferring()).toBe(false);
    await leecher.node.stop();
  });

  const refuse = () => {
    throw new SharingError("block_not_found", "the block is not here");
  };

  it.each([
    ["refuses", refuse, "the block is not here"],
    ["brings garbage for", () => Uint8Array.of(2), expect.stringContaining("hash")],
  ])("one that its only provider %s fails, though none of its folder comes", async (_, answer, error) => {
    const clock = new HandClock();
    const hub = new Hub(clock);
    const { node: refuser } = await hub.join("refuser", { manners: { answer } });
    const { file } = await refuser.share(bytesOf(Uint8Array.of(1)), { name: "x" });
    const { node } = await hub.join("leecher");
    const { id } = await node.download({ fileId: file.id, partOf: "folder" });
    await node.download({ fileId: idOf(0), partOf: "folder" });
    await clock.pass(FIRST_PROVIDER_MS + TICK_MS);
    expect(node.transfer(id)).toMatchObject({ status: "failed", error });
  });

  /**
   * A leecher that waits for files of nobody, as many as have their turn, of each folder; a file that can be had, and
   * its seeder.
   */
  async function waitingWhole(...folders: string[]) {
    const clock = new HandClock();
    const hub = new Hub(clock);
    const seeder = await hub.join("seeder");
    const { file } = await seeder.node.share(bytesOf(Uint8Array.of(1)), { name: "x" });
    const { node } = await hub.join("leecher");
    for (const partOf of folders)
      for (const fileId of all.slice(0, FOLDER_RUNS_AT_ONCE).map(idOf))
        await node.download({ fileId, outputPath: `${partOf}/${fileId}`, partOf });
    const get = (partOf: string) => node.download({ fileId: file.id, outputPath: `${partOf}/x`, partOf });
    return { clock, node, get };
  }

  it("they let those go first that come when they have waited for long", async () => {
    const { clock, node, get } = await waitingWhole("folder");
    await clock.pass(STALL_MS + TICK_MS);
    const { id } = await get("folder");
    await clock.pass(3 * TICK_MS);
    expect(node.transfer(id).status).toBe("completed");
  });

  it.each([0, STALL_MS + TICK_MS])(
    "those of another folder that wait for the same files let others go first, which come after %i ms",
    async (afterMs) => {
      const { clock, node, get } = await waitingWhole("one", "two");
      await clock.pass(afterMs);
      const { id } = await get("two");
      await clock.pass(STALL_MS + 3 * TICK_MS);
      expect(node.transfer(id).status).toBe("completed");
    },
  );

  it("one that is the last of its folder fails as any other does", async () => {
    const clock = new HandClock();
    const { node } = await new Hub(clock).join("leecher");
    const { id, fileId } = await node.download({ fileId: idOf(0), partOf: "folder" });
    const other = await node.download({ fileId: idOf(1), partOf: "folder" });
    await clock.pass(FIRST_PROVIDER_MS + TICK_MS);
    expect(node.transfer(id).status).toBe("started");
    await node.cancel(other.id);
    await clock.pass(LAST_LOOK_MS + TICK_MS);
    expect(node.transfer(id)).toMatchObject({ status: "failed", error: "No peer offers this file" });
    await node.resume(fileId);
    await clock.pass(FIRST_PROVIDER_MS + TICK_MS);
    expect(node.transfer(id)).toMatchObject({ status: "failed", error: "No peer offers this file" });
  });

  it("one whose peer was here waits for it alone, also after a restart", async () => {
    const clock = new HandClock();
    const hub = new Hub(clock);
    const { node: seeder, leave } = await hub.join("seeder", {
      manners: { answer: (_cid, _bytes, signal) => untilAborted(signal) },
    });
    const { file } = await seeder.share(bytesOf(Uint8Array.of(1)), { name: "x" });
    const { blocks, records, node } = await hub.join("leecher");
    const { id } = await node.download({ fileId: file.id, partOf: "folder" });
    await clock.pass(TICK_MS);
    leave();
    await node.stop();
    const again = await hub.join("leecher", { blocks, records, autoResume: true });
    await clock.pass(STALL_MS + TICK_MS);
    expect(again.node.transfer(id)).toMatchObject({ status: "interrupted", error: "no provider is left" });
  });

  it("one whose peer is back looks on for it, though the other that waited with it has come, and then fails", async () => {
    const clock = new HandClock();
    const hub = new Hub(clock);
    const { node } = await hub.join("leecher");
    const files = [1, 2, 3].map((byte) => Uint8Array.of(byte));
    const ids: string[] = [];
    for (const bytes of files) {
      const fileId = (await blockCid(bytes, RAW)).toString();
      ids.push((await node.download({ fileId, partOf: "folder" })).id);
    }
    const stand = () => ids.map((id) => node.transfer(id).status);
    await clock.pass(2 * STALL_MS);
    const { node: seeder } = await hub.join("seeder");
    await seeder.share(bytesOf(files[0] as Uint8Array), { name: "x" });
    await clock.pass(LAST_LOOK_MS - 2 * TICK_MS);
    expect(stand()).toEqual(["completed", "interrupted", "interrupted"]);
    await seeder.share(bytesOf(files[1] as Uint8Array), { name: "x" });
    await clock.pass(4 * TICK_MS);
    expect(stand()).toEqual(["completed", "completed", "failed"]);
  });

  it("none of more than have their turn fails, and all go on where their peer comes back", async () => {
    const clock = new HandClock();
    const download = await FolderDownload.begun(clock);
    const { leecher, seeder } = download;
    const interrupted: string[] = [];
    leecher.node.events.subscribe(({ event, data }) => {
      if (event === "transfer_interrupted") interrupted.push(data.transfer_id);
    });
    seeder.leave();
    await clock.pass(6 * STALL_MS);
    expect(statuses(leecher)).not.toContain("failed");
    expect(leecher.openOutputs.length).toBeLessThanOrEqual(FOLDER_RUNS_AT_ONCE);
    // Of each that is told once, and not in each of its turns.
    expect(interrupted.sort()).toEqual([...download.ids].sort());
    expect(statuses(leecher)).toEqual(new Set(["interrupted"]));
    await download.seedAgain();
    await clock.pass(PROVIDER_SEARCH_EVERY_MS);
    await download.given(all);
  });

  /** Of one file, of which there is no provider, and of as many others as have their turn, of which there is none either. */
  async function stalled(options: Parameters<Hub["join"]>[1]) {
    const clock = new HandClock();
    const { node } = await new Hub(clock).join("leecher", options);
    const told: string[] = [];
    const bytes = Uint8Array.of(1);
    const fileId = (await blockCid(bytes, RAW)).toString();
    const { id } = await node.download({ fileId, outputPath: "x", partOf: "folder" });
    node.events.subscribe(({ event, data }) => {
      const isOfIt = "transfer_id" in data && data.transfer_id === id;
      if (isOfIt && event !== "transfer_progress") told.push("reason" in data ? data.reason : event);
    });
    for (const other of all.slice(0, FOLDER_RUNS_AT_ONCE))
      await node.download({ fileId: idOf(other), partOf: "folder" });
    await clock.pass(STALL_MS + TICK_MS);
    return { clock, node, id, bytes, told };
  }

  it("one that has come by the time that its stall is noted has ended", async () => {
    const { opened, open } = gate();
    const records = new MemoryRecords();
    const put = records.put.bind(records);
    // One after the other, as on a disk.
    let last: Promise<void> = Promise.resolve();
    vi.spyOn(records, "put").mockImplementation((table, key, value) => {
      const isOfStall = table === "transfers" && (value as { status: string }).status === "interrupted";
      const kept = structuredClone(value);
      last = last.then(() => (isOfStall ? opened : undefined)).then(() => put(table, key, kept));
      return last;
    });
    const { clock, node, id, bytes, told } = await stalled({ records });
    const shared = node.share(bytesOf(bytes), { name: "x" });
    await clock.pass(2 * TICK_MS);
    open();
    await shared;
    await clock.pass(2 * STALL_MS);
    expect(told).toEqual(["no provider is left", "transfer_complete"]);
    expect(node.transfer(id)).toMatchObject({ status: "completed", error: undefined });
  });

  it("one that is paused while it lets others go first says so", async () => {
    const { opened, open } = gate();
    const { node, id, told } = await stalled({ onDiscard: () => opened });
    const isPaused = node.pause(id);
    open();
    await isPaused;
    expect(told).toEqual(["no provider is left", "paused"]);
    expect(node.transfer(id)).toMatchObject({ status: "interrupted", isPaused: true, error: "paused" });
  });

  it.each(["pause", "cancel"] as const)(
    "one that has let others go first can be stopped (%s)",
    async (wish) => {
      const clock = new HandClock();
      const download = await FolderDownload.begun(clock);
      const { leecher, seeder, ids } = download;
      seeder.leave();
      await clock.pass(4 * STALL_MS);
      for (const id of ids) await leecher.node[wish](id);
      expect(statuses(leecher)).toEqual(new Set([wish === "pause" ? "interrupted" : "cancelled"]));
      expect(leecher.node.isTransferring()).toBe(false);
      expect([leecher.openOutputs, leecher.node.transfers().filter(({ isWaiting }) => isWaiting)]).toEqual([
        [],
        [],
      ]);
    },
  );
});

it("of those that were asked for by themselves some are run at a time, and folders don't wait for them", async () => {
  const hub = new Hub();
  const { node } = await hub.join("leecher");
  const wanted = Array.from({ length: LONE_RUNS_AT_ONCE + 2 }, (_, at) => idOf(at));
  for (const fileId of wanted) await node.download({ fileId });
  const waiting = () => node.transfers().filter(({ isWaiting }) => isWaiting);
  expect(waiting().map(({ fileId }) => fileId)).toEqual(wanted.slice(LONE_RUNS_AT_ONCE).toReversed());
  await node.download({ fileId: wanted.at(-1) as string });
  expect(waiting()).toHaveLength(2);
  const [first] = node.transfers().slice(-1);
  await node.cancel(first?.id as string);
  expect(waiting().map(({ fileId }) => fileId)).toEqual([wanted.at(-1)]);
  await node.download({ fileId: wanted.at(-1) as string, outputPath: "there", partOf: "folder" });
  await expect.poll(waiting).toEqual([]);
  await node.stop();
});

it("one that is partly here comes before its turn once somebody reads it", async () => {
  const download = await FolderDownload.begun();
  const { leecher } = download;
  const { signal } = new AbortController();
  const bytes = new Uint8Array(2 * CHUNK_BYTES).fill(1, CHUNK_BYTES);
  const { fileId, id, isWaiting } = await download.partOf(bytes);
  expect(isWaiting).toBe(true);
  const read = collectBytes(leecher.node.read(fileId, { start: 0, end: bytes.length }, signal));
  await expect.poll(() => leecher.node.transfer(id).isWaiting).toBe(false);
  await download.given(all);
  expect(Buffer.compare(await read, bytes)).toBe(0);
});

it("one of another length than its folder says fails with nothing in its place, and can be had by itself", async () => {
  const hub = new Hub();
  const seeder = await hub.join("seeder");
  // Three times the same chunk: little to send, and as long as one likes.
  const { file } = await seeder.node.share(bytesOf(new Uint8Array(3 * CHUNK_BYTES)), { name: "x" });
  const { node, outputs } = await hub.join("leecher");
  const wish = { fileId: file.id, outputPath: "there" };
  const { id } = await node.download({ ...wish, partOf: "folder", saidBytes: 10 });
  expect(await ended(node, id)).toBe("transfer_failed");
  expect(node.transfer(id).error).toBe(`its folder says 10 bytes, and it has ${file.sizeBytes}`);
  expect(outputs.has("there")).toBe(false);
  expect(await ended(node, (await node.download(wish)).id)).toBe("transfer_complete");
});

/** A file, whose seed is away until it is called back, and a leecher. */
async function seedAway() {
  const hub = new Hub(new HandClock());
  const { node: seed, blocks, records } = await hub.join("seeder");
  const { file } = await seed.share(bytesOf(new Uint8Array(3 * CHUNK_BYTES)), { name: "x" });
  await seed.stop();
  const { node } = await hub.join("leecher");
  return { file, node, callBack: () => hub.join("seeder", { blocks, records }) };
}

it.each(["there", undefined])(
  "one of which one folder says another length than the other fails for that folder alone (output %s)",
  async (outputPath) => {
    const { file, node, callBack } = await seedAway();
    const wish = { fileId: file.id, ...(outputPath !== undefined && { outputPath }) };
    const lied = await node.download({ ...wish, partOf: "one", saidBytes: 10 });
    const { id } = await node.download({ ...wish, partOf: "two", saidBytes: file.sizeBytes });
    expect((await node.download({ ...wish, partOf: "three", saidBytes: file.sizeBytes })).id).toBe(id);
    await callBack();
    expect(await ended(node, lied.id)).toBe("transfer_failed");
    expect(await ended(node, id)).toBe("transfer_complete");
  },
);

it("one that is asked for by itself, too, is brought whatever its folder says of its length", async () => {
  const { file, node, callBack } = await seedAway();
  const wish = { fileId: file.id, outputPath: "there" };
  const { id } = await node.download({ ...wish, partOf: "folder", saidBytes: 10 });
  expect((await node.download(wish)).id).toBe(id);
  await callBack();
  expect(await ended(node, id)).toBe("transfer_complete");
});

/** Of a file that nobody holds. */
function idOf(number: number): string {
  const digest = new Uint8Array(32);
  new DataView(digest.buffer).setUint32(0, number);
  return CID.createV1(RAW, createDigest(sha256.code, digest)).toString();
}
