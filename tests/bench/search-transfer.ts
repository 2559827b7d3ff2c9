/**
 * What embedding costs a running transfer: one file from a node to another that has a backlog to embed, and to one with search
 * switched off, pair by pair. The model's process is stopped while the other's turn is, so that two warm nodes are compared and
 * nothing is started in between. Called by search.ts; starts built nodes.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { childrenOf } from "../interop/child-processes.ts";
import { type ShoalProcess, Shoals, transferEnd } from "../interop/shoal-process.ts";
import { until } from "../interop/until.ts";
import { type MedianRatio, medianRatio } from "./paired.ts";
import { processorMsOf } from "./processor-time.ts";
import { randomFile } from "./random-file.ts";
import { machine, median, table, writeSection } from "./results.ts";

const MIB = 1024 * 1024;
const FILE_BYTES = 128 * MIB;
const PATIENCE_MS = 120_000;

/** More than are embedded in all rounds: each has the six passages that a file has at most. */
const BACKLOG = 600;
const TEXTS_A_FILE = 12;

/** Processor time of the model that shows it at work when a transfer begins. */
const AT_WORK_MS = 150;

/** Before the first that counts: the nodes' code is compiled while it runs. */
const WARM_UP_PAIRS = 2;

/** One transfer: seconds by the clock, processor seconds of all processes, and of the model's. */
interface Cost {
  seconds: number;
  processor: number;
  model: number;
}

interface Nodes {
  seeder: ShoalProcess;
  alone: ShoalProcess;
  embedding: ShoalProcess;
  /** Process of the model. */
  model: number;
  fileId: string;
}

/** `texts`: of which the backlog is made. */
export async function compareTransfers(texts: readonly string[], pairs: number): Promise<void> {
  const work = await mkdtemp(join(tmpdir(), "shoal-bench-"));
  try {
    await using shoals = new Shoals();
    const nodes = await startNodes(shoals, { work, texts });
    try {
      for (let pair = 0; pair < WARM_UP_PAIRS; pair++) await measurePair(nodes, pair);
      const measured: Pair[] = [];
      for (let pair = 0; pair < pairs; pair++) {
        measured.push(await measurePair(nodes, pair));
        await tell(measured);
      }
    } finally {
      // A process that is stopped can't see that its node has gone.
      process.kill(nodes.model, "SIGCONT");
    }
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

interface Pair {
  alone: Cost;
  embedding: Cost;
}

/** In turn who is first. */
async function measurePair(nodes: Nodes, pair: number): Promise<Pair> {
  if (pair % 2 === 0) {
    const alone = await measureAlone(nodes);
    return { alone, embedding: await measureEmbedding(nodes) };
  }
  const embedding = await measureEmbedding(nodes);
  return { alone: await measureAlone(nodes), embedding };
}

function measureAlone(nodes: Nodes): Promise<Cost> {
  return download(nodes, nodes.alone);
}

/** Begins in the middle of embedding. */
async function measureEmbedding(nodes: Nodes): Promise<Cost> {
  const { model, embedding } = nodes;
  const before = await processorMsOf(model);
  process.kill(model, "SIGCONT");
  await until(
    "the model is at work",
    async () => (await processorMsOf(model)) > before + AT_WORK_MS,
    PATIENCE_MS,
  );
  const cost = await download(nodes, embedding);
  process.kill(model, "SIGSTOP");
  return cost;
}

/** The file is gone again afterwards. */
async function download({ seeder, model, fileId }: Nodes, node: ShoalProcess): Promise<Cost> {
  const processor = async () => {
    const all = [seeder, node].map(({ child }) => processorMsOf(child.pid as number));
    return (await Promise.all(all)).reduce((sum, ms) => sum + ms, 0);
  };
  const [processorBefore, modelBefore] = [await processor(), await processorMsOf(model)];
  const start = performance.now();
  const { transfer_id } = await node.client.download({ file_id: fileId });
  const end = await transferEnd(node, transfer_id);
  if (end.status !== "completed") throw new Error(`the transfer ${end.status}: ${end.error}`);
  const seconds = (performance.now() - start) / 1000;
  const ofModel = (await processorMsOf(model)) - modelBefore;
  const ofNodes = (await processor()) - processorBefore;
  await node.client.deleteFile(fileId);
  return { seconds, processor: (ofNodes + ofModel) / 1000, model: ofModel / 1000 };
}

async function startNodes(
  shoals: Shoals,
  { work, texts }: { work: string; texts: readonly string[] },
): Promise<Nodes> {
  const file = await randomFile(join(work, "file.bin"), FILE_BYTES);
  const seeder = await shoals.start({ flags: ["--share-root", work, "--no-search"] });
  const { file_id: fileId } = await seeder.client.share(file);
  const alone = await shoals.start({ bootstrap: [seeder], flags: ["--no-search"] });
  const embedding = await shoals.start({ bootstrap: [seeder], flags: ["--search"] });
  // Both hold the same files, which cost a node something by themselves.
  for (const node of [alone, embedding]) await share(node, texts);
  for (const node of [alone, embedding]) {
    await until("the file is offered", () => isOffered(node, fileId), PATIENCE_MS);
  }
  await until(
    "files are embedded",
    async () => (await embedding.client.searchStatus()).indexed > 0,
    PATIENCE_MS,
  );
  const [model] = await childrenOf(embedding.child.pid as number, "embed-process");
  if (model === undefined) throw new Error("No process of a model runs");
  process.kill(model, "SIGSTOP");
  return { seeder, alone, embedding, model, fileId };
}

async function share(node: ShoalProcess, texts: readonly string[]): Promise<void> {
  for (let at = 0; at < BACKLOG; at++) {
    const some = Array.from({ length: TEXTS_A_FILE }, (_, i) => texts[(at + i * 17) % texts.length]);
    const content = new TextEncoder().encode(`${some.join("\n\n")} ${at}`);
    await node.client.upload(content, { name: `text ${at}.txt` });
  }
}

async function isOffered(node: ShoalProcess, fileId: string): Promise<boolean> {
  return (await node.client.networkFiles()).files.some(({ id }) => id === fileId);
}

/** After each pair, so that a run that is ended early leaves what it had. */
async function tell(pairs: readonly Pair[]): Promise<void> {
  const row = (what: string, pick: (cost: Cost) => number) => {
    const ratio = medianRatio(pairs.map(({ alone, embedding }) => pick(embedding) / pick(alone)));
    const seconds = (costs: Cost[]) => median(costs.map(pick)).toFixed(2);
    return [
      what,
      seconds(pairs.map(({ alone }) => alone)),
      seconds(pairs.map(({ embedding }) => embedding)),
      more(ratio.median),
      interval(ratio),
    ];
  };
  const ofCore = median(pairs.map(({ embedding: { model, seconds } }) => model / seconds));
  const ofAll = median(pairs.map(({ embedding: { model, processor } }) => model / processor));
  await writeSection(
    "Search by meaning: what a transfer loses",
    [
      `${machine()}. ${FILE_BYTES / MIB} MiB to a node with search switched off and to one in the middle of a backlog, ${pairs.length} pairs in turn.`,
      table(
        ["", "alone, s", "while embedding, s", "longer, median of pairs", "which lies"],
        [
          row("by the clock", ({ seconds }) => seconds),
          row("processor time of all, the model's too", ({ processor }) => processor),
        ],
      ),
      `While the file came the model's process took ${percent(ofCore)} of one core, ${percent(ofAll)} of all processor time.`,
    ].join("\n\n"),
  );
}

function more(ratio: number): string {
  return percent(ratio - 1);
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}

function interval({ low, high, confidence }: MedianRatio): string {
  return `from ${more(low)} to ${more(high)} (${(confidence * 100).toFixed(0)} % sure)`;
}
