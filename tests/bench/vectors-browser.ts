/**
 * The index in Chromium: the bare kernel in a worker against Node.js, slice by slice in turn, and class Vx as a page
 * has it. Called by vectors.ts; builds tests/browser/vx-bench.html as the page is built, and opens it. Rates of the
 * kernel are of processor time, which Chromium tells by process, so that other programs on the machine don't count;
 * latencies are of the clock.
 */
import { copyFile, mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Browser, chromium, type Page } from "playwright";
import { build, preview } from "vite";
import type { BenchPage, MeasuredVx } from "./bench-page.ts";
import { KernelRun, type KernelShape } from "./kernel-run.ts";
import { median, table } from "./results.ts";
import { K, type VectorSet } from "./vectors-data.ts";

const SLICES = 10;
const ROUNDS = 10;
/** Passes over all queries in a round: what a round itself costs a page, a call by the browser's protocol, must not count. */
const PASSES = 10;
const EF = 64;
const APPENDS = 500;

/** Where Chromium is, as in tests/vitest.config.ts. */
const EXECUTABLE = "/usr/bin/chromium";

/** Gives the section's text. */
export async function compareInChromium(set: VectorSet, shape: KernelShape): Promise<string> {
  const outDir = await mkdtemp(join(tmpdir(), "shoal-page-"));
  const root = join(import.meta.dirname, "../browser");
  await build({
    ...{ root, configFile: false, logLevel: "error", base: "./" },
    worker: { format: "es" },
    build: {
      outDir,
      emptyOutDir: true,
      assetsInlineLimit: 0,
      rolldownOptions: { input: join(root, "vx-bench.html") },
    },
  });
  await mkdir(join(outDir, "data"));
  await copyFile(set.files.vectors, join(outDir, "data/vectors.f32"));
  await copyFile(set.files.queries, join(outDir, "data/queries.f32"));
  const server = await preview({
    ...{ root, configFile: false, logLevel: "error" },
    build: { outDir },
    preview: { host: "127.0.0.1", port: 0 },
  });
  const browser = await chromium.launch({ executablePath: EXECUTABLE, args: ["--no-sandbox"] });
  try {
    const page = await browser.newPage();
    await page.goto(new URL("vx-bench.html", server.resolvedUrls?.local[0]).href);
    const kernel = await compareKernel(set, shape, browser, page);
    const appendMs = await page.evaluate(
      (count) => (globalThis as unknown as Host).bench.append(count),
      APPENDS,
    );
    const size = { dimension: set.dimension, count: Math.floor(set.count / 1000) * 1000 };
    const vx = await page.evaluate(
      ({ dimension, count }) => (globalThis as unknown as Host).bench.measureVx(dimension, count),
      size,
    );
    return [kernel, describeVx(size.count, vx, appendMs)].join("\n\n");
  } finally {
    await browser.close();
    await server.close();
    await rm(outDir, { recursive: true });
  }
}

interface Host {
  bench: BenchPage;
}

/** Seconds of processor time of all of Chromium's processes but the browser's own. */
async function processorSeconds(browser: Browser): Promise<number> {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send("SystemInfo.getProcessInfo");
  await session.detach();
  return processInfo.reduce((sum, { type, cpuTime }) => sum + (type === "renderer" ? cpuTime : 0), 0);
}

interface Sides {
  node: number[];
  chromium: number[];
}

async function compareKernel(
  set: VectorSet,
  shape: KernelShape,
  browser: Browser,
  page: Page,
): Promise<string> {
  const node = new KernelRun(shape, await floats(set.files.vectors), await floats(set.files.queries));
  await page.evaluate((shape) => (globalThis as unknown as Host).bench.create(shape), shape);
  const inNode = async (work: () => unknown) => {
    const start = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(start);
    return (user + system) / 1e6;
  };
  const inChromium = async (work: () => Promise<unknown>) => {
    const start = await processorSeconds(browser);
    await work();
    return (await processorSeconds(browser)) - start;
  };
  const built: Sides = { node: [], chromium: [] };
  for (let slice = 0; slice < SLICES; slice++) {
    const [from, to] = [slice, slice + 1].map((n) => Math.round((n * set.count) / SLICES)) as [
      number,
      number,
    ];
    built.node.push(await inNode(() => node.build(from, to)));
    built.chromium.push(
      await inChromium(() =>
        page.evaluate(([from, to]) => (globalThis as unknown as Host).bench.build(from, to), [from, to] as [
          number,
          number,
        ]),
      ),
    );
  }
  const asked: Sides = { node: [], chromium: [] };
  for (let round = 0; round < ROUNDS; round++) {
    let inNodeIds: number[] = [];
    asked.node.push(
      await inNode(() => {
        inNodeIds = node.query(K, EF, PASSES);
      }),
    );
    asked.chromium.push(
      await inChromium(async () => {
        const ids = await page.evaluate(
          ([k, ef, passes]) => (globalThis as unknown as Host).bench.query(k, ef, passes),
          [K, EF, PASSES] as [number, number, number],
        );
        if (ids.join() !== inNodeIds.join()) throw new Error("Chromium finds other neighbours than Node.js");
      }),
    );
  }
  const buildRate = (seconds: number[]) => set.count / seconds.reduce((a, b) => a + b, 0);
  const queryRate = (seconds: number[]) => (set.queries * PASSES) / median(seconds);
  const row = (what: string, rate: (seconds: number[]) => number, sides: Sides) => {
    const [inNodeRate, inChromiumRate] = [rate(sides.node), rate(sides.chromium)];
    const percent = `${Math.round((inChromiumRate / inNodeRate) * 100)} %`;
    return [what, inNodeRate.toFixed(0), inChromiumRate.toFixed(0), percent];
  };
  const version = browser.version();
  return [
    `### The kernel in a worker of Chromium ${version}: ${set.name}, ${set.count} x ${set.dimension}`,
    `The same vectors in the same order, M = ${shape.m}, efConstruction = ${shape.efConstruction}, ef = ${EF}; both find the same.`,
    table(
      ["", "Node.js", "Chromium", ""],
      [row("build/s", buildRate, built), row("queries/s", queryRate, asked)],
    ),
  ].join("\n\n");
}

function describeVx(count: number, vx: MeasuredVx, appendMs: number[]): string {
  const ms = (values: number[]) => `${median(values).toFixed(2)} ms`;
  const longest =
    vx.longTasksMs.length === 0 ? "none" : `${Math.max(...vx.longTasksMs).toFixed(0)} ms at most`;
  return [
    `### Class Vx in a page, its engine in a worker on OPFS: ${count} vectors with metadata`,
    table(
      ["", "median, or in all"],
      [
        ["worker started and index in memory ready", ms(vx.startMs)],
        ["append of 600 bytes with its flush", ms(appendMs)],
        ["add of one vector, durable", ms(vx.addMs)],
        ["adds by 1000, while searching, vectors/s", (count / vx.addSeconds).toFixed(0)],
        ["search, from the window", ms(vx.searchMs)],
        ["search, in the engine", `${vx.engineSearchMs.toFixed(2)} ms`],
        ["saved index opened", `${vx.openMs.toFixed(0)} ms`],
        ["tasks of the window over 50 ms while adding and searching", `${vx.longTasksMs.length}, ${longest}`],
      ],
    ),
  ].join("\n\n");
}

async function floats(path: string): Promise<Float32Array> {
  const bytes = await readFile(path);
  return new Float32Array(
    bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) as ArrayBuffer,
  );
}
