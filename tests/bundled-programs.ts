/**
 * The threads of a headless node, and the programs that tests start (`*.child.ts`), each made one file of its source once a run:
 * of a hundred modules a thread or process takes a second of processor time to start. Set up by vitest for the suites that have
 * some; `src/headless/threads/thread.source.mjs` takes the threads, and child-program.ts the programs.
 */
import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { build } from "vite";
import type { TestProject } from "vitest/node";

/** From where the packages are found that they import. */
const CACHE = join(import.meta.dirname, "../node_modules/.cache");
const THREADS = ["vx-worker", "vx-linker", "texts-process", "embed-process"];

let folder: string | undefined;

export async function setup(project: TestProject): Promise<void> {
  // Another suite of the same run has made them.
  if (process.env.SHOAL_BUNDLES !== undefined) return;
  await mkdir(CACHE, { recursive: true });
  folder = await mkdtemp(join(CACHE, "shoal-bundles-"));
  process.env.SHOAL_BUNDLES = folder;
  await writeFile(join(folder, "package.json"), JSON.stringify({ type: "module" }));
  await bundle(folder);
  project.onTestsRerun(() => bundle(process.env.SHOAL_BUNDLES as string));
}

export async function teardown(): Promise<void> {
  if (folder !== undefined) await rm(folder, { recursive: true, force: true });
}

async function bundle(outDir: string): Promise<void> {
  const threads = THREADS.map((name) => [
    name,
    join(import.meta.dirname, `../src/headless/threads/${name}.ts`),
  ]);
  const files = await readdir(import.meta.dirname, { recursive: true });
  const programs = files
    .filter((file) => file.endsWith(".child.ts"))
    .map((file) => [basename(file, ".ts"), join(import.meta.dirname, file)]);
  await build({
    configFile: false,
    logLevel: "warn",
    publicDir: false,
    build: {
      ssr: true,
      target: "node20",
      outDir,
      emptyOutDir: false,
      sourcemap: true,
      rolldownOptions: {
        input: Object.fromEntries([...threads, ...programs]),
        output: { entryFileNames: "[name].js" },
      },
    },
  });
}
