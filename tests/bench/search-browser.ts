/**
 * The embedder in Chromium, and the bytes that it adds to a page. Called by search.ts; builds tests/browser/search-bench.html as
 * the page is built, and opens it.
 */
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { type Browser, chromium } from "playwright";
import { build, preview } from "vite";
import type { SearchBench } from "./search-bench.ts";
import type { FilesBench } from "./search-files.ts";
import { type EmbedderTimes, type SearchTimes, timeEmbedder, timeSearch } from "./search-times.ts";

/** What the page puts into its window. */
interface MeasuredPage {
  bench: SearchBench;
  files: FilesBench;
}

/** Where Chromium is, as in tests/vitest.config.ts. */
const EXECUTABLE = "/usr/bin/chromium";

export interface AddedFile {
  name: string;
  bytes: number;
  gzipBytes: number;
}

export interface InChromium {
  version: string;
  times: EmbedderTimes;
  search: SearchTimes;
  added: AddedFile[];
  /** Of the tab and its workers: before the model, with it, and with the index of files too. */
  memoryBytes: { before: number; withModel: number; withFiles: number };
}

export async function measureInChromium(texts: string[], query: string): Promise<InChromium> {
  const outDir = await mkdtemp(join(tmpdir(), "shoal-page-"));
  const root = join(import.meta.dirname, "../browser");
  await build({
    ...{ root, configFile: false, logLevel: "error", base: "./" },
    worker: { format: "es" },
    build: {
      outDir,
      emptyOutDir: true,
      assetsInlineLimit: 0,
      rolldownOptions: { input: join(root, "search-bench.html") },
    },
  });
  const server = await preview({
    ...{ root, configFile: false, logLevel: "error" },
    build: { outDir },
    preview: { host: "127.0.0.1", port: 0 },
  });
  const browser = await chromium.launch({ executablePath: EXECUTABLE, args: ["--no-sandbox"] });
  try {
    const page = await browser.newPage();
    await page.goto(new URL("search-bench.html", server.resolvedUrls?.local[0]).href);
    const bench: SearchBench = {
      embed: (texts, each) =>
        page.evaluate(([texts, each]) => (globalThis as unknown as MeasuredPage).bench.embed(texts, each), [
          texts,
          each,
        ] as [string[], boolean]),
      close: () => page.close(),
    };
    const files: FilesBench = {
      fill: (count, texts) =>
        page.evaluate(([count, texts]) => (globalThis as unknown as MeasuredPage).files.fill(count, texts), [
          count,
          texts,
        ] as [number, string[]]),
      search: (queries) =>
        page.evaluate((queries) => (globalThis as unknown as MeasuredPage).files.search(queries), queries),
      close: () => page.close(),
    };
    const before = await memoryBytes(browser);
    const times = await timeEmbedder(bench, texts, query, () => processorMs(browser));
    const withModel = await memoryBytes(browser);
    const search = await timeSearch(files, texts, () => processorMs(browser));
    const withFiles = await memoryBytes(browser);
    return {
      version: browser.version(),
      times,
      search,
      added: await addedFiles(join(outDir, "assets")),
      memoryBytes: { before, withModel, withFiles },
    };
  } finally {
    await browser.close();
    await server.close();
    await rm(outDir, { recursive: true });
  }
}

/** What the page fetches for the first embedding: the worker's script and what that fetches. */
async function addedFiles(assets: string): Promise<AddedFile[]> {
  const names = (await readdir(assets)).filter((name) =>
    /^(embed-.+\.js|model-.+\.onnx|runtime-.+\.wasm)$/.test(name),
  );
  return Promise.all(
    names.map(async (name) => {
      const content = await readFile(join(assets, name));
      return { name, bytes: content.byteLength, gzipBytes: gzipSync(content, { level: 9 }).byteLength };
    }),
  );
}

/** Of all of Chromium's pages and their workers. */
async function processorMs(browser: Browser): Promise<number> {
  return (await renderers(browser)).reduce((all, { cpuTime }) => all + cpuTime * 1000, 0);
}

/** Resident memory of theirs that no file stands behind. */
async function memoryBytes(browser: Browser): Promise<number> {
  const status = await Promise.all(
    (await renderers(browser)).map(({ id }) => readFile(`/proc/${id}/status`, "utf8")),
  );
  return status.reduce((all, text) => all + Number(/RssAnon:\s+(\d+) kB/.exec(text)?.[1] ?? 0) * 1024, 0);
}

async function renderers(browser: Browser) {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send("SystemInfo.getProcessInfo");
  await session.detach();
  return processInfo.filter(({ type }) => type === "renderer");
}
