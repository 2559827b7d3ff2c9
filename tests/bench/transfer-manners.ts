/**
 * What a node does beside being fast, measured by transfer.ts: the memory it takes to share and to download a file of
 * gigabytes, and how evenly a limited line is shared among four.
 */
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { type ShoalProcess, Shoals, transferEnd } from "../interop/shoal-process.ts";
import { until } from "../interop/until.ts";
import { randomFile } from "./random-file.ts";

const MIB = 1024 * 1024;
const LINE_BYTES_PER_SECOND = 20 * MIB;
const LINE_FILE_BYTES = 64 * MIB;
const PATIENCE_MS = 600_000;

/** Peaks of resident memory, in MB, of the node that shares and the one that downloads. */
export async function measureMemory(work: string, sizeMib: number): Promise<string> {
  const file = await randomFile(join(work, "large.bin"), sizeMib * MIB);
  await using shoals = new Shoals();
  const seeder = await shoals.start({ flags: ["--share-root", work, "--max-storage", "16GiB"] });
  const { file_id } = await seeder.client.share(file);
  const sharedMb = (await seeder.peakMemoryBytes()) / 1e6;
  const leecher = await shoals.start({ bootstrap: [seeder], flags: ["--max-storage", "16GiB"] });
  const { transfer_id } = await leecher.client.download({ file_id, output_path: "copy.bin" });
  const end = await transferEnd(leecher, transfer_id);
  if (end.status !== "completed") throw new Error(`the transfer ${end.status}: ${end.error}`);
  await rm(file);
  const [seederMb, leecherMb] = await Promise.all(
    [seeder, leecher].map(async (node) => (await node.peakMemoryBytes()) / 1e6),
  );
  return [
    `Memory, peak RSS with a file of ${sizeMib} MiB: ${sharedMb.toFixed(0)} MB after sharing it,`,
    `${seederMb?.toFixed(0)} MB after serving it, ${leecherMb?.toFixed(0)} MB after downloading it.`,
  ].join(" ");
}

/** Four download a file each from one node whose upload is limited. */
export async function measureFairness(work: string): Promise<string> {
  await using shoals = new Shoals();
  const flags = ["--share-root", work, "--max-upload", String(LINE_BYTES_PER_SECOND)];
  const seeder = await shoals.start({ flags });
  const ids: string[] = [];
  for (let i = 0; i < 4; i++) {
    const file = await randomFile(join(work, `line-${i}.bin`), LINE_FILE_BYTES);
    ids.push((await seeder.client.share(file)).file_id);
    await rm(file);
  }
  const leechers: ShoalProcess[] = [];
  for (let i = 0; i < 4; i++) leechers.push(await shoals.start({ bootstrap: [seeder] }));
  const transfers = await Promise.all(
    leechers.map(async (node, i) => (await node.client.download({ file_id: ids[i] as string })).transfer_id),
  );
  const progresses = () =>
    Promise.all(
      leechers.map(async (node, i) => (await node.client.transfer(transfers[i] as string)).progress),
    );
  const begun = await until(
    "all have begun",
    async () => {
      const now = await progresses();
      return Math.min(...now) > 0.1 ? now : undefined;
    },
    PATIENCE_MS,
  );
  const late = await until(
    "one is nearly done",
    async () => {
      const now = await progresses();
      return Math.max(...now) > 0.8 ? now : undefined;
    },
    PATIENCE_MS,
  );
  const shares = late.map((progress, i) => progress - (begun[i] as number));
  const mean = shares.reduce((sum, share) => sum + share, 0) / shares.length;
  const percents = shares.map((share) => `${((share / mean) * 100).toFixed(0)} %`);
  return `Four downloads on a line of ${LINE_BYTES_PER_SECOND / MIB} MiB/s: ${percents.join(", ")} of an equal share.`;
}
