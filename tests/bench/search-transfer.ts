/**
 * What embedding costs a running transfer: one file from a node to another that has a backlog to embed, and to one with search
 * switched off, in turns. Called by search.ts; starts built nodes. Time by the clock, and processor time of the model's process.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ShoalProcess, Shoals, transferEnd } from "../interop/shoal-process.ts";
import { until } from "../interop/until.ts";
import { childrenProcessorMsOf } from "./processor-time.ts";
import { randomFile } from "./random-file.ts";
import { median } from "./results.ts";

const MIB = 1024 * 1024;
const FILE_BYTES = 256 * MIB;
const ROUNDS = 3;
const PATIENCE_MS = 120_000;

/** More than are embedded while the file comes. */
const BACKLOG = 300;

const NO_SEARCH = ["--no-search", "--rate-limit", "0"];

export interface TransferTimes {
  /** Seconds by the clock of each round: with a backlog, and without search. */
  embedding: number[];
  alone: number[];
  /** Processor seconds that the model's process took a second of the transfer, median. */
  modelShare: number;
  /** Files embedded while the file came, of all rounds. */
  embedded: number;
  slowdown: number;
}

export async function measureTransfers(texts: readonly string[]): Promise<TransferTimes> {
  const work = await mkdtemp(join(tmpdir(), "shoal-bench-"));
  const times = { embedding: [] as number[], alone: [] as number[], shares: [] as number[], embedded: 0 };
  try {
    const file = await randomFile(join(work, "file.bin"), FILE_BYTES);
    await using shoals = new Shoals();
    const seeder = await shoals.start({ flags: ["--share-root", work, ...NO_SEARCH] });
    const { file_id: fileId } = await seeder.client.share(file);
    const filled = await shoals.start({ bootstrap: [seeder], flags: NO_SEARCH });
    await share(filled, texts);
    await filled.stop();
    const { folder } = filled;
    for (let round = 0; round < ROUNDS; round++) {
      const alone = await shoals.start({ folder, bootstrap: [seeder], flags: NO_SEARCH });
      times.alone.push((await download(alone, fileId)).seconds);
      await alone.stop();

      const busy = await shoals.start({
        folder,
        bootstrap: [seeder],
        flags: ["--search", "--rate-limit", "0"],
      });
      const isEmbedding = async () => (await busy.client.searchStatus()).indexed > 0;
      await until("files are embedded", isEmbedding, PATIENCE_MS);
      const before = (await busy.client.searchStatus()).indexed;
      const { seconds, modelSeconds } = await download(busy, fileId);
      times.embedding.push(seconds);
      times.shares.push(modelSeconds / seconds);
      times.embedded += (await busy.client.searchStatus()).indexed - before;
      await busy.stop();
      await rm(join(folder, "data/search"), { recursive: true });
    }
  } finally {
    await rm(work, { recursive: true, force: true });
  }
  const { embedding, alone, shares, embedded } = times;
  const slowdown = median(embedding) / median(alone) - 1;
  return { embedding, alone, embedded, slowdown, modelShare: median(shares) };
}

async function share(node: ShoalProcess, texts: readonly string[]): Promise<void> {
  for (let at = 0; at < BACKLOG; at++) {
    const text = new TextEncoder().encode(`${texts[at % texts.length]} ${at}`);
    await node.client.upload(text, { name: `text ${at}.txt` });
  }
}

/** The file is gone again afterwards. */
async function download(node: ShoalProcess, fileId: string) {
  await until(
    "the file is offered",
    async () => (await node.client.networkFiles()).files.some(({ id }) => id === fileId),
    PATIENCE_MS,
  );
  const model = () => childrenProcessorMsOf(node.child.pid as number);
  const modelBefore = await model();
  const start = performance.now();
  const { transfer_id } = await node.client.download({ file_id: fileId });
  const end = await transferEnd(node, transfer_id);
  if (end.status !== "completed") throw new Error(`the transfer ${end.status}: ${end.error}`);
  const seconds = (performance.now() - start) / 1000;
  const modelSeconds = ((await model()) - modelBefore) / 1000;
  await node.client.deleteFile(fileId);
  return { seconds, modelSeconds };
}
