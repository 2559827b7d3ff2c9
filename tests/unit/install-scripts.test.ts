/** What packages may run while they are installed: npm 12 runs nothing that was not allowed, and warns of what was not decided. */
import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";

interface Lockfile {
  packages: Record<string, { hasInstallScript?: boolean }>;
}

test("of each package with a script of its own it is decided whether it may run", async () => {
  const { packages } = await json<Lockfile>("package-lock.json");
  const { allowScripts } = await json<{ allowScripts: Record<string, boolean> }>("package.json");
  const withScripts = Object.keys(packages)
    .filter((path) => packages[path]?.hasInstallScript)
    .map((path) => path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length));
  expect(Object.keys(allowScripts).sort()).toEqual([...new Set(withScripts)].sort());
});

async function json<T>(name: string): Promise<T> {
  return JSON.parse(await readFile(new URL(`../../${name}`, import.meta.url), "utf8"));
}
