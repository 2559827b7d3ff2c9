/**
 * Pages that tests build from source, each built once a run, by the first test file that asks for it. Set up by vitest
 * for the project `pages`; called by what serves such a page.
 */
import { access, mkdtemp, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inject } from "vitest";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  interface ProvidedContext {
    builtPages: string;
  }
}

let folder = "";

export async function setup(project: TestProject): Promise<void> {
  folder = await mkdtemp(join(tmpdir(), "shoal-built-pages-"));
  project.provide("builtPages", folder);
}

export async function teardown(): Promise<void> {
  await rm(folder, { recursive: true, force: true });
}

/** The folder of the page of that name, into which `build` puts it if nobody has yet. */
export async function builtPage(name: string, build: (outDir: string) => Promise<unknown>): Promise<string> {
  const shared = inject("builtPages");
  const built = join(shared, name);
  if (await isThere(built)) return built;
  const building = await mkdtemp(join(shared, "building-"));
  await build(building);
  // Another file may have been faster; what it built is the same.
  await rename(building, built).catch(async (error: unknown) => {
    if (!(await isThere(built))) throw error;
  });
  return built;
}

async function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
