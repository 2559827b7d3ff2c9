/** The maps in the READMEs of the source's folders name files that there are. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, it } from "vitest";

const root = join(import.meta.dirname, "../..");

function namesIn(folder: string): string[] {
  const paths = readdirSync(join(root, folder), { recursive: true, encoding: "utf8" });
  return paths.map((path) => basename(path).replace(/\..*/, ""));
}

/** What stands between fences that name no language. */
function drawnIn(readme: string): string {
  return [...readFileSync(join(root, readme), "utf8").matchAll(/^```\n(.*?)^```$/gms)].join("\n");
}

const folders = readdirSync(join(root, "src")).filter((name) =>
  existsSync(join(root, "src", name, "README.md")),
);

it.each(folders)("the map of %s", (folder) => {
  const names = [...namesIn(`src/${folder}`), ...namesIn("workers")];
  const named = drawnIn(`src/${folder}/README.md`).match(/\b[a-z0-9]+(-[a-z0-9]+)+\b/g) ?? [];
  expect(named.filter((name) => !names.includes(name))).toEqual([]);
});
