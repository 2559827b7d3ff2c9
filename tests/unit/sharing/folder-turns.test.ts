/** Of the very many files of a folder, and of all others, few are run at a time: the rest wait, with nothing open, and can be had before their turn. */
import { CID } from "multiformats/cid";
import { create as createDigest } from "multiformats/hashes/digest";
import { sha256 } from "multiformats/hashes/sha2";
import { expect, it } from "vitest";
import { RAW } from "../../../src/sharing/hash.ts";
import { FOLDER_RUNS_AT_ONCE, LONE_RUNS_AT_ONCE } from "../../../src/sharing/limits.ts";
import type { TransferRequest } from "../../../src/sharing/transfers/transfers.ts";
import { unlessAborted } from "../../../src/sharing/unless-aborted.ts";
import { bytesOf, ended, gate, Hub, type HubNode } from "./hub.ts";

const COUNT = FOLDER_RUNS_AT_ONCE + 2;
const [NEXT, LAST] = [FOLDER_RUNS_AT_ONCE, FOLDER_RUNS_AT_ONCE + 1];
const all = Array.from({ length: COUNT }, (_, file) => file);

/** A leecher that has asked for all files of a folder, none of which the seeder gives before it may. */
class FolderDownload {
  readonly #hub = new Hub();
  readonly #gate = gate();
  readonly fileIds: string[] = [];
  readonly ids: string[] = [];
  leecher!: HubNode;

  static async begun(): Promise<FolderDownload> {
    const download = new FolderDownload();
    await download.#begin();
    return download;
  }

  async #begin(): Promise<void> {
    const answer = async (_: unknown, bytes: Uint8Array, signal: AbortSignal) => {
      await unlessAborted(this.#gate.opened, signal);
      return bytes;
    };
    const seeder = await this.#hub.join("seeder", { manners: { answer } });
    for (const number of all) {
      const { file } = await seeder.node.share(bytesOf(Uint8Array.of(number, number >> 8)), { name: "x" });
      this.fileIds.push(file.id);
    }
    this.leecher = await this.#hub.join("leecher");
    for (const file of all) this.ids.push((await this.get(file, { partOf: "folder" })).id);
  }

  get(file: number, more: Partial<TransferRequest>) {
    const request = { fileId: this.fileIds[file] as string, outputPath: `${file}` };
    return this.leecher.node.download({ ...request, ...more });
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
  await download.given(all);
  expect(openOutputs).toEqual([]);
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

it("files of another folder don't wait for those of the first", async () => {
  const download = await FolderDownload.begun();
  const { id } = await download.get(LAST, { outputPath: "elsewhere/1", partOf: "other" });
  await download.leecher.node.cancel(download.ids[LAST] as string);
  await expect.poll(() => download.leecher.openOutputs).toContain("elsewhere/1");
  await download.given(all.slice(0, LAST));
  expect(download.leecher.node.transfer(id).status).toBe("completed");
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

it("of those that were asked for by themselves some are run at a time, and folders don't wait for them", async () => {
  const hub = new Hub();
  const { node } = await hub.join("leecher");
  const wanted = Array.from({ length: LONE_RUNS_AT_ONCE + 2 }, (_, at) => idOf(at));
  for (const fileId of wanted) await node.download({ fileId });
  const waiting = () => node.transfers().filter(({ isWaiting }) => isWaiting);
  expect(waiting().map(({ fileId }) => fileId)).toEqual(wanted.slice(LONE_RUNS_AT_ONCE).toReversed());
  await node.download({ fileId: wanted.at(-1) as string });
  expect(waiting()).toHaveLength(2);
  await node.download({ fileId: wanted.at(-1) as string, outputPath: "there", partOf: "folder" });
  expect(waiting()).toHaveLength(2);
  const [first] = node.transfers().slice(-1);
  await node.cancel(first?.id as string);
  expect(waiting().map(({ fileId }) => fileId)).toEqual([wanted.at(-1)]);
  await node.stop();
});

/** Of a file that nobody holds. */
function idOf(number: number): string {
  const digest = new Uint8Array(32);
  new DataView(digest.buffer).setUint32(0, number);
  return CID.createV1(RAW, createDigest(sha256.code, digest)).toString();
}
