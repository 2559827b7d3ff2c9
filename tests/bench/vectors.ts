/**
 * `npm run bench vectors -- [part] [words] [clustered] [rounds]`: the vector index against its peers, in one run. Parts:
 * `peers` (build, queries at equal recall, memory, load; of one set alone by its name), `library` (class Vx around the
 * kernel), `chromium` (the kernel in a browser's worker); by default all. Each index has a process of its own and they take
 * turns, slice by slice of the build and round by round of the queries, so that what else the machine does falls on all
 * alike. Two build at a time, each slice beside others, for that takes most of the run: 33 minutes in all on two processors.
 */
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { machine, median, table, writeSection } from "./results.ts";
import { compareInChromium } from "./vectors-browser.ts";
import type { Loads } from "./vectors-child.ts";
import { clustered, digits, K, useFolder, type VectorSet, words } from "./vectors-data.ts";
import { measureLibrary } from "./vectors-library.ts";
import { EF_CONSTRUCTION, indexes, M } from "./vectors-peers.ts";
import { IndexProcess } from "./vectors-process.ts";

const RECALLS = [0.95, 0.99];
const QUERIES = 500;
const SLICES = 10;
/** Indexes that build at a time: rates are of processor time. */
const BUILDERS = 2;
/** Vectors that go into a page. */
const PAGE_COUNT = 30_000;
/** No index here needs more candidates for 0.99. */
const MOST_EF = 1024;
/** Processes that open a saved index. */
const LOAD_ROUNDS = 3;

const part = process.argv[2] ?? "all";
const wordCount = Number(process.argv[3] ?? 340_000);
const clusteredCount = Number(process.argv[4] ?? 100_000);
const rounds = Number(process.argv[5] ?? 5);

interface Measured {
  name: string;
  buildSeconds: number;
  /** By process that opened it; none where it can't be saved here. */
  loads: Loads[];
  /** By recall wanted: candidates, recall reached and queries a second of each round. */
  queries: { ef: number; recall: number; rates: number[] }[];
}

const peers = join(import.meta.dirname, "peers-vectors");
if (!existsSync(join(peers, "node_modules"))) {
  execFileSync("npm", ["ci"], { cwd: peers, stdio: "inherit" });
}
const work = await mkdtemp(join(tmpdir(), "shoal-bench-"));
try {
  await useFolder(work);
  const sets = {
    words: () => words(wordCount, QUERIES),
    clustered: () => clustered(clusteredCount, QUERIES),
    digits: () => digits(QUERIES),
  };
  for (const [name, make] of Object.entries(sets)) {
    if (["all", "peers", name].includes(part)) await comparePeers(await make());
  }
  if (part === "all" || part === "library") {
    const text = await measureLibrary(await clustered(clusteredCount, QUERIES));
    await writeSection("Vectors: the library around the kernel", `${machine()}.\n\n${text}`);
  }
  if (part === "all" || part === "chromium") {
    const shape = { m: M, efConstruction: EF_CONSTRUCTION };
    const set = await clustered(Math.min(clusteredCount, PAGE_COUNT), QUERIES);
    const text = await compareInChromium(set, { ...shape, dimension: set.dimension, metric: set.metric });
    await writeSection("Vectors: in a page", `${machine()}.\n\n${text}`);
  }
} finally {
  await rm(work, { recursive: true, force: true });
}

/** Each set has a section of its own, written when it is done: a run that is broken off keeps what it has. */
async function comparePeers(set: VectorSet): Promise<void> {
  tell(`${set.name}: ${set.count} x ${set.dimension}`);
  const body = [await introduction(), report(set, await compare(set))].join("\n\n");
  await writeSection(`Vectors: the index and its peers, ${set.name}`, body);
}

/** Says how far the run is, and since when it runs. */
function tell(text: string): void {
  console.log(`${(performance.now() / 60_000).toFixed(1)} min: ${text}`);
}

async function compare(set: VectorSet): Promise<Measured[]> {
  const processes = await Promise.all(Object.keys(indexes).map((name) => IndexProcess.start(name, set)));
  const all = processes.map(({ name }): Measured => {
    return { name, buildSeconds: 0, loads: [], queries: [] };
  });
  const each = async (work: (index: IndexProcess, measured: Measured) => Promise<void>) => {
    for (const [i, index] of processes.entries()) await work(index, all[i] as Measured);
  };
  for (let slice = 0; slice < SLICES; slice++) {
    const [from, to] = [slice, slice + 1].map((n) => Math.round((n * set.count) / SLICES)) as [
      number,
      number,
    ];
    const waiting = processes.map((index, i) => ({ index, measured: all[i] as Measured }));
    waiting.push(...waiting.splice(0, slice % waiting.length));
    const build = async () => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        next.measured.buildSeconds += await next.index.order("build", from, to);
      }
    };
    await Promise.all(Array.from({ length: BUILDERS }, build));
    tell(
      `slice ${slice + 1} of ${SLICES}, built ${to}: ${all.map(({ buildSeconds }) => buildSeconds.toFixed(1)).join(", ")} s`,
    );
  }
  for (const wanted of RECALLS) {
    await each(async (index, measured) => {
      measured.queries.push({ ...(await leastEf(index, wanted)), rates: [] });
    });
    for (let round = 0; round < rounds; round++) {
      await each(async (index, measured) => {
        const last = measured.queries.at(-1) as Measured["queries"][number];
        await index.order("setEf", last.ef);
        last.rates.push(set.queries / (await index.order("query")).seconds);
      });
    }
    tell(`recall ${wanted}`);
    console.log(all.map(({ name, queries }) => `${name}: ${JSON.stringify(queries.at(-1))}`).join("\n"));
  }
  const saved: { measured: Measured; folder: string }[] = [];
  await each(async (index, measured) => {
    const folder = await mkdtemp(join(work, "saved-"));
    if (await index.order("save", folder)) saved.push({ measured, folder });
    index.end();
  });
  for (let round = 0; round < LOAD_ROUNDS; round++) {
    for (const { measured, folder } of saved) measured.loads.push(await load(measured.name, set, folder));
    // The first meets memory that nobody has used for a while.
    saved.push(...saved.splice(0, 1));
  }
  return all;
}

/** In a process of its own, as at a program's start: in that which built it V8 would tidy up what it holds meanwhile. */
async function load(name: string, set: VectorSet, folder: string): Promise<Loads> {
  const opener = await IndexProcess.start(name);
  const loads = await opener.order("load", name, set, folder);
  opener.end();
  return loads;
}

/** The fewest candidates that give the recall, by doubling and halving. */
async function leastEf(index: IndexProcess, wanted: number): Promise<{ ef: number; recall: number }> {
  const recallAt = async (ef: number) => {
    await index.order("setEf", ef);
    return (await index.order("query")).recall;
  };
  let low = K - 1;
  let high = K;
  let recall = await recallAt(high);
  while (recall < wanted && high < MOST_EF) {
    low = high;
    high *= 2;
    recall = await recallAt(high);
  }
  while (high - low > Math.max(1, high / 64)) {
    const middle = Math.floor((low + high) / 2);
    const there = await recallAt(middle);
    if (there < wanted) low = middle;
    else [high, recall] = [middle, there];
  }
  return { ef: high, recall };
}

async function introduction(): Promise<string> {
  const versions = await Promise.all(
    ["hnswlib-node", "usearch", "hnswlib-wasm", "@lancedb/lancedb"].map(async (name) => {
      const text = await readFile(join(peers, "node_modules", name, "package.json"), "utf8");
      return `${name} ${(JSON.parse(text) as { version: string }).version}`;
    }),
  );
  return [
    `${machine()}. ${versions.join(", ")}.`,
    `M = ${M}, efConstruction = ${EF_CONSTRUCTION}, one thread, recall@${K} over ${QUERIES} queries that are not in the set;`,
    `queries a second at the fewest candidates (ef) that give the recall, median of ${rounds} rounds in turn. Rates are of`,
    `processor time, with ${BUILDERS} indexes building at a time. The saved index, opened in ${LOAD_ROUNDS} processes in turn: MiB are`,
    "what the process grows by with one more index beside the same one; load is the median of 7 in each, ready to search; ours as the product opens it, every checksum verified. Peers in f32 hold no second",
    "form of a vector; ours with int8 holds both, and with `quantization: none` the f32 alone. LanceDB keeps its index on disk and has threads of its own. Qdrant has no embedded engine in the npm registry, only a client.",
  ].join(" ");
}

function report(set: VectorSet, all: Measured[]): string {
  const base = all.find(({ name }) => name === "hnswlib-node") as Measured;
  const rateOf = (measured: Measured, i: number) => median(measured.queries[i]?.rates ?? []);
  const ratio = (value: number) => `${value.toFixed(2)}x`;
  const rows = all.map((measured) => [
    measured.name,
    (set.count / measured.buildSeconds).toFixed(0),
    ratio(base.buildSeconds / measured.buildSeconds),
    ...RECALLS.flatMap((wanted, i) => {
      const { ef = 0, recall = 0 } = measured.queries[i] ?? {};
      const reached = recall >= wanted;
      const at = `ef ${ef}, ${recall.toFixed(3)}`;
      if (!reached) return [`not reached: ${at}`, ""];
      return [`${rateOf(measured, i).toFixed(0)} (${at})`, ratio(rateOf(measured, i) / rateOf(base, i))];
    }),
    memoryOf(measured),
    loadOf(measured),
  ]);
  const head = [
    "who",
    "build/s",
    "to hnswlib-node",
    "queries/s at 0.95",
    "",
    "at 0.99",
    "",
    "MiB",
    "load, ms (of processor)",
  ];
  return `### ${set.name}: ${set.count} x ${set.dimension}, ${set.metric}\n\n${table(head, rows)}`;
}

function memoryOf({ loads }: Measured): string {
  if (loads.length === 0) return "";
  return (median(loads.map(({ bytes }) => bytes)) / 2 ** 20).toFixed(1);
}

/** Milliseconds by the clock and of the processor. */
function loadOf({ loads }: Measured): string {
  if (loads.length === 0) return "";
  const all = loads.flatMap(({ seconds }) => seconds);
  const ms = (which: "clock" | "processor") => (median(all.map((each) => each[which])) * 1000).toFixed(0);
  return `${ms("clock")} (${ms("processor")})`;
}
