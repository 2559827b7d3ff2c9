/**
 * The threads of a headless node, each made one file of its source once a run: from a hundred modules a thread takes a second of
 * processor time to start. Set up by vitest for the suite `fast`; `src/headless/thread.source.mjs` takes them.
 */
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { build } from "vite";
import type { TestProject } from "vitest/node";

/** From where the packages are found that they import. */
const CACHE = join(import.meta.dirname, "../node_modules/.cache");
const THREADS = ["vx-worker", "vx-linker", "texts-worker"];

let folder = "";

export async function setup(project: TestProject): Promise<void> {
  await mkdir(CACHE, { recursive: true });
  folder = await mkdtemp(join(CACHE, "shoal-threads-"));
  await writeFile(join(folder, "package.json"), JSON.stringify({ type: "module" }));
  await bundle();
  process.env.SHOAL_THREAD_BUNDLES = folder;
  project.onTestsRerun(bundle);
}

export async function teardown(): Promise<void> {
  await rm(folder, { recursive: true, force: true });
}

async function bundle(): Promise<void> {
  const input = THREADS.map((name) => [name, join(import.meta.dirname, `../src/headless/${name}.ts`)]);
  await build({
    configFile: false,
    logLevel: "warn",
    publicDir: false,
    build: {
      ssr: true,
      target: "node20",
      outDir: folder,
      emptyOutDir: false,
      sourcemap: true,
      rolldownOptions: { input: Object.fromEntries(input), output: { entryFileNames: "[name].js" } },
    },
  });
}
